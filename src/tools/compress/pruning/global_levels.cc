#include "compress/pruning/global_levels.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/control.h"
#include "compress/pruning/channels.h"
#include "compress/pruning/level.h"
#include "compress/quantization/prepare.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

using graph::Subgraph;
using graph::ValueId;

constexpr size_t kSteps = std::size(kSensitivityLevels);

std::vector<ValueId> FloatOutputs(const Subgraph& g) {
  std::vector<ValueId> outputs;
  for (const ValueId v : g.outputs)
    if (g.values[static_cast<size_t>(v)].type == ElementType::kFloat32)
      outputs.push_back(v);
  return outputs;
}

Result<std::vector<std::vector<float>>> OutputsOf(
    const graph::Graph& graph, std::span<const BoxedSample> samples,
    const std::shared_ptr<ThreadPool>& pool) {
  std::vector<Sample> plain;
  for (const BoxedSample& s : samples) plain.push_back(s.sample);
  std::vector<std::vector<float>> outputs;
  MUNJA_RETURN_IF_ERROR(
      Observe(graph, FloatOutputs(graph.main()), plain, pool,
              [&](size_t, ValueId, const TensorView& view) -> Status {
                outputs.push_back(ToFloats(view));
                return Status();
              }));
  return outputs;
}

double LostShare(const std::vector<std::vector<float>>& whole,
                 const std::vector<std::vector<float>>& pruned) {
  double lost = 0, all = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (size_t k = 0; k < whole[i].size(); ++k) {
      const double w = whole[i][k], d = w - pruned[i][k];
      lost += d * d;
      all += w * w;
    }
  }
  return all > 0 ? lost / all : 0;
}

// One layer whose cost depends on what groups keep.
struct CostedLayer {
  std::string name;
  double cost = 0;
  // Channels of each group (its index, or -1 for those that stay) at either
  // side.
  std::map<int, int> outputs, inputs;
};

class CostModel {
 public:
  CostModel(const Subgraph& g, const LayerCosts& costs)
      : channels_(Channels::Find(g)) {
    std::vector<int> group_of(static_cast<size_t>(channels_.count()), -1);
    for (size_t i = 0; i < channels_.groups().size(); ++i)
      for (const int c : channels_.groups()[i].channels)
        group_of[static_cast<size_t>(c)] = static_cast<int>(i);
    for (const graph::Node& node : g.nodes) {
      const graph::LinearOp* linear = graph::FindFloatLinearOp(g, node);
      if (linear == nullptr) continue;
      CostedLayer layer;
      layer.name = g.values[static_cast<size_t>(node.outputs[0])].name;
      const auto cost = costs.find(layer.name);
      if (cost == costs.end()) continue;
      layer.cost = cost->second;
      for (const int c : channels_.Of(node.outputs[0]))
        ++layer.outputs[group_of[static_cast<size_t>(c)]];
      // A depthwise layer has an input for each output.
      if (node.op != "DEPTHWISE_CONV_2D")
        for (const int c :
             channels_.Of(node.inputs[static_cast<size_t>(linear->input)]))
          ++layer.inputs[group_of[static_cast<size_t>(c)]];
      layers_.push_back(std::move(layer));
    }
  }

  const std::vector<ChannelGroup>& groups() const { return channels_.groups(); }

  // `kept`: the share of each group that stays.
  double Total(const std::vector<double>& kept) const {
    double total = 0;
    for (const CostedLayer& layer : layers_)
      total +=
          layer.cost * Share(layer.outputs, kept) * Share(layer.inputs, kept);
    return total;
  }
  std::string Dearest() const {
    const auto most = std::max_element(
        layers_.begin(), layers_.end(),
        [](const auto& a, const auto& b) { return a.cost < b.cost; });
    return most == layers_.end() ? "" : most->name;
  }

 private:
  static double Share(const std::map<int, int>& side,
                      const std::vector<double>& kept) {
    double all = 0, left = 0;
    for (const auto& [group, count] : side) {
      all += count;
      left += group < 0 ? count : count * kept[static_cast<size_t>(group)];
    }
    return all > 0 ? left / all : 1;
  }

  Channels channels_;
  std::vector<CostedLayer> layers_;
};

double KeptShare(int channels, size_t step) {
  return step == 0 ? 1.0
                   : static_cast<double>(
                         KeptFilters(channels, kSensitivityLevels[step - 1])) /
                         channels;
}

}  // namespace

Result<std::vector<GroupSensitivity>> MeasureSensitivity(
    const graph::Graph& model, std::span<const BoxedSample> samples,
    const PruneOptions& options) {
  if (samples.empty())
    return InvalidArgument("sensitivities need images to measure on");
  MUNJA_ASSIGN_OR_RETURN(const auto groups, FindPrunable(model));
  MUNJA_ASSIGN_OR_RETURN(const auto whole,
                         OutputsOf(model, samples, options.pool));
  PruneOptions one = options;
  one.level = 0;
  std::vector<GroupSensitivity> found;
  for (size_t i = 0; i < groups.size(); ++i) {
    ReportProgress("pruning single layers", i, groups.size());
    GroupSensitivity& row = found.emplace_back();
    row.layers = groups[i].layers;
    row.channels = groups[i].channels;
    for (const double level : kSensitivityLevels) {
      MUNJA_RETURN_IF_ERROR(CheckControl());
      one.levels = {{row.layers[0], level}};
      MUNJA_ASSIGN_OR_RETURN(const Pruned pruned, Prune(model, samples, one));
      MUNJA_ASSIGN_OR_RETURN(const auto outputs,
                             OutputsOf(pruned.graph, samples, options.pool));
      row.errors.push_back(LostShare(whole, outputs));
    }
  }
  return found;
}

Result<LayerCosts> WeightCounts(const graph::Graph& model) {
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, FoldConstants(model));
  const Subgraph& g = graph.main();
  LayerCosts costs;
  for (const graph::Node& node : g.nodes) {
    const graph::LinearOp* linear = graph::FindFloatLinearOp(g, node);
    if (linear == nullptr) continue;
    const ValueId weights = node.inputs[static_cast<size_t>(linear->weights)];
    costs[g.values[static_cast<size_t>(node.outputs[0])].name] =
        static_cast<double>(
            g.values[static_cast<size_t>(weights)].shape.elements());
  }
  return costs;
}

Result<GlobalLevels> FindGlobalLevels(
    const graph::Graph& model,
    const std::vector<GroupSensitivity>& sensitivities, const LayerCosts& costs,
    double budget) {
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, FoldConstants(model));
  const CostModel cost_model(graph.main(), costs);
  const size_t count = cost_model.groups().size();
  if (sensitivities.size() != count)
    return InvalidArgument("the sensitivities belong to a different model");
  for (const GroupSensitivity& row : sensitivities)
    if (row.errors.size() != kSteps || row.channels < 1)
      return InvalidArgument("the sensitivities are not those of each level");
  std::vector<size_t> steps(count, 0);
  std::vector<double> kept(count, 1.0);
  const auto error_at = [&](size_t i, size_t step) {
    return step == 0 ? 0.0 : sensitivities[i].errors[step - 1];
  };
  double cost = cost_model.Total(kept);
  while (cost > budget) {
    size_t best = count, best_step = 0;
    double best_price = 0, best_cost = 0;
    for (size_t i = 0; i < count; ++i) {
      const double before = kept[i];
      // Larger steps are tried, too: an error need not rise with each level.
      for (size_t step = steps[i] + 1; step <= kSteps; ++step) {
        kept[i] = KeptShare(sensitivities[i].channels, step);
        const double total = cost_model.Total(kept);
        const double price =
            std::max(0.0, error_at(i, step) - error_at(i, steps[i])) /
            std::max(1e-12, cost - total);
        if (total < cost && (best == count || price < best_price)) {
          best = i;
          best_step = step;
          best_price = price;
          best_cost = total;
        }
      }
      kept[i] = before;
    }
    if (best == count)
      return InvalidArgument("a budget of ", budget,
                             " cannot be reached: at the highest levels it is ",
                             cost, ", and layer '", cost_model.Dearest(),
                             "' costs the most");
    steps[best] = best_step;
    kept[best] = KeptShare(sensitivities[best].channels, best_step);
    cost = best_cost;
  }
  GlobalLevels found;
  found.cost = cost;
  for (size_t i = 0; i < count; ++i) {
    if (steps[i] == 0) continue;
    found.levels[sensitivities[i].layers[0]] = kSensitivityLevels[steps[i] - 1];
    found.error += error_at(i, steps[i]);
  }
  return found;
}

}  // namespace munja::compress
