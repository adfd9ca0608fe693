#include "compress/pruning/prune.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/control.h"
#include "compress/pruning/channels.h"
#include "compress/pruning/level.h"
#include "compress/pruning/splitmix.h"
#include "compress/quantization/prepare.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

using graph::Subgraph;
using graph::ValueId;

const std::string& NameOfLayer(const Subgraph& g, size_t node) {
  return g.values[static_cast<size_t>(g.nodes[node].outputs[0])].name;
}

int64_t CountFloats(const Subgraph& g) {
  std::set<ValueId> read;
  for (const graph::Node& node : g.nodes)
    read.insert(node.inputs.begin(), node.inputs.end());
  int64_t count = 0;
  for (const ValueId v : read) {
    if (v == graph::kNoValue) continue;
    const graph::Value& value = g.values[static_cast<size_t>(v)];
    if (value.constant && (value.type == ElementType::kFloat32 ||
                           value.type == ElementType::kFloat16))
      count += value.shape.elements();
  }
  return count;
}

// The map that a layer's filters make: behind the normalization and activation
// that only it has.
ValueId MapOf(const Subgraph& g, const graph::DefUse& uses,
              const Channels& channels, size_t layer) {
  ValueId v = g.nodes[layer].outputs[0];
  for (;;) {
    const int reader = uses.only_reader(v);
    if (reader == graph::kNoNode) return v;
    const graph::Node& node = g.nodes[static_cast<size_t>(reader)];
    int computed = 0;
    for (const ValueId input : node.inputs)
      computed += input != graph::kNoValue &&
                  !g.values[static_cast<size_t>(input)].constant;
    if (computed != 1 || node.outputs.size() != 1 ||
        channels.Of(node.outputs[0]) != channels.Of(v) ||
        g.values[static_cast<size_t>(node.outputs[0])].shape !=
            g.values[static_cast<size_t>(v)].shape ||
        node.op == "DEPTHWISE_CONV_2D" ||
        node.op.find("POOL") != std::string::npos)
      return v;
    v = node.outputs[0];
  }
}

// Points of the channels of a group: the mean over the layers that make them.
class BoxPoints {
 public:
  static Result<BoxPoints> Measure(const graph::Graph& graph,
                                   const Channels& channels,
                                   std::span<const BoxedSample> samples,
                                   const std::shared_ptr<ThreadPool>& pool) {
    BoxPoints found;
    const Subgraph& g = graph.main();
    const graph::DefUse uses(g);
    std::vector<size_t> layers;
    std::vector<ValueId> maps;
    for (const ChannelGroup& group : channels.groups())
      for (const size_t n : group.layers) {
        if (std::find(layers.begin(), layers.end(), n) != layers.end())
          continue;
        layers.push_back(n);
        maps.push_back(MapOf(g, uses, channels, n));
      }
    MUNJA_ASSIGN_OR_RETURN(auto points,
                           MeasureBoxes(graph, maps, samples, pool));
    for (size_t i = 0; i < layers.size(); ++i)
      found.by_layer_[layers[i]] = std::move(points[i]);
    return found;
  }

  std::vector<MapPoint> Of(const Channels& channels,
                           const ChannelGroup& group) const {
    std::vector<MapPoint> points;
    for (const int channel : group.channels) {
      MapPoint mean = {};
      const auto& filters = channels.FiltersOf(channel);
      for (const Filter& filter : filters) {
        const MapPoint& point =
            by_layer_.at(filter.node)[static_cast<size_t>(filter.index)];
        for (size_t d = 0; d < kPointSize; ++d)
          mean[d] += point[d] / static_cast<double>(filters.size());
      }
      points.push_back(mean);
    }
    return points;
  }

 private:
  std::map<size_t, std::vector<MapPoint>> by_layer_;
};

Result<double> LevelOf(const Subgraph& g, const ChannelGroup& group,
                       const PruneOptions& options) {
  double level = options.level;
  for (const size_t n : group.layers) {
    const auto own = options.levels.find(NameOfLayer(g, n));
    if (own != options.levels.end()) level = own->second;
  }
  MUNJA_RETURN_IF_ERROR(CheckLevel(level, NameOfLayer(g, group.layers[0]),
                                   static_cast<int>(group.channels.size())));
  return level;
}

Status CheckNames(const Subgraph& g, const Channels& channels,
                  const PruneOptions& options) {
  std::set<std::string> known;
  for (const ChannelGroup& group : channels.groups())
    for (const size_t n : group.layers) known.insert(NameOfLayer(g, n));
  for (const auto& [name, level] : options.levels)
    if (!known.contains(name))
      return InvalidArgument("the model has no layer '", name,
                             "' that can be pruned");
  return Status();
}

std::vector<PrunedLayer> KeptByLayer(const Subgraph& g,
                                     const Channels& channels,
                                     const std::vector<bool>& keeps) {
  const auto kept = [&](ValueId v) {
    std::vector<int> positions;
    const std::vector<int>& list = channels.Of(v);
    for (size_t i = 0; i < list.size(); ++i)
      if (keeps[static_cast<size_t>(list[i])])
        positions.push_back(static_cast<int>(i));
    return positions;
  };
  std::vector<PrunedLayer> layers;
  for (size_t n = 0; n < g.nodes.size(); ++n) {
    const graph::Node& node = g.nodes[n];
    const graph::LinearOp* linear = graph::FindFloatLinearOp(g, node);
    if (linear == nullptr) continue;
    const ValueId in = node.inputs[static_cast<size_t>(linear->input)];
    PrunedLayer& layer = layers.emplace_back();
    layer.name = NameOfLayer(g, n);
    layer.filters = static_cast<int>(channels.Of(node.outputs[0]).size());
    layer.inputs = static_cast<int>(channels.Of(in).size());
    layer.kept = kept(node.outputs[0]);
    layer.kept_inputs = kept(in);
  }
  return layers;
}

// The scores that the options hold, or those of the weights.
Result<std::vector<double>> Scores(const Subgraph& g, const Channels& channels,
                                   const ChannelGroup& group,
                                   const PruneOptions& options) {
  if (options.criterion != Criterion::kBatchNorm || options.factors.empty())
    return ScoreFilters(g, channels, group, options.criterion);
  std::vector<double> scores;
  for (const int channel : group.channels) {
    double sum = 0;
    for (const Filter& filter : channels.FiltersOf(channel)) {
      const std::string& name = NameOfLayer(g, filter.node);
      const auto own = options.factors.find(name);
      if (own == options.factors.end() ||
          static_cast<size_t>(filter.index) >= own->second.size())
        return InvalidArgument("there are no factors of layer '", name, "'");
      sum += std::fabs(own->second[static_cast<size_t>(filter.index)]);
    }
    scores.push_back(sum);
  }
  return scores;
}

}  // namespace

Result<Pruned> Prune(const graph::Graph& model,
                     std::span<const BoxedSample> samples,
                     const PruneOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, FoldConstants(model));
  const Subgraph& g = graph.main();
  const Channels channels = Channels::Find(g);
  MUNJA_RETURN_IF_ERROR(CheckNames(g, channels, options));
  std::vector<double> levels;
  bool is_identity = true;
  for (const ChannelGroup& group : channels.groups()) {
    MUNJA_ASSIGN_OR_RETURN(levels.emplace_back(), LevelOf(g, group, options));
    is_identity &= levels.back() == 0;
  }
  std::optional<BoxPoints> points;
  if (options.criterion == Criterion::kClusters && !is_identity) {
    if (samples.empty())
      return InvalidArgument(
          "the criterion 'clusters' needs labeled pictures to calibrate on");
    MUNJA_ASSIGN_OR_RETURN(
        points, BoxPoints::Measure(graph, channels, samples, options.pool));
  }
  Splitmix random(options.seed);
  std::vector<bool> keeps(static_cast<size_t>(channels.count()), true);
  for (size_t i = 0; i < levels.size(); ++i) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const ChannelGroup& group = channels.groups()[i];
    const auto filters = static_cast<int>(group.channels.size());
    const int count = levels[i] == 0
                          ? filters
                          : RoundedToMultiple(KeptFilters(filters, levels[i]),
                                              options.multiple, filters);
    if (count == filters) continue;
    std::vector<int> chosen;
    if (points) {
      chosen =
          ChooseByClusters(points->Of(channels, group),
                           CenterCount(options.centers, filters, levels[i]),
                           count, options.seed);
    } else if (options.criterion == Criterion::kRandom) {
      std::vector<double> scores;
      for (int c = 0; c < filters; ++c) scores.push_back(random.Uniform());
      chosen = ChooseBest(scores, count);
    } else {
      MUNJA_ASSIGN_OR_RETURN(const auto scores,
                             Scores(g, channels, group, options));
      chosen = ChooseBest(scores, count);
    }
    for (const int c : group.channels) keeps[static_cast<size_t>(c)] = false;
    for (const int c : chosen)
      keeps[static_cast<size_t>(group.channels[static_cast<size_t>(c)])] = true;
  }
  Pruned pruned;
  if (is_identity) {
    pruned.graph = model;
  } else {
    MUNJA_ASSIGN_OR_RETURN(pruned.graph,
                           WithoutChannels(graph, channels, keeps));
  }
  PruneReport& report = pruned.report;
  report.layers = KeptByLayer(g, channels, keeps);
  report.groups = static_cast<int>(channels.groups().size());
  report.parameters_before = CountFloats(g);
  report.parameters =
      is_identity ? report.parameters_before : CountFloats(pruned.graph.main());
  return pruned;
}

Result<std::vector<PrunableGroup>> FindPrunable(const graph::Graph& model) {
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, FoldConstants(model));
  const Channels channels = Channels::Find(graph.main());
  std::vector<PrunableGroup> found;
  for (const ChannelGroup& group : channels.groups()) {
    PrunableGroup& row = found.emplace_back();
    for (const size_t n : group.layers)
      row.layers.push_back(NameOfLayer(graph.main(), n));
    row.channels = static_cast<int>(group.channels.size());
  }
  return found;
}

Result<std::map<std::string, double>> LevelsCountedFrom(
    const graph::Graph& whole, const graph::Graph& model, double level) {
  MUNJA_ASSIGN_OR_RETURN(const auto groups, FindPrunable(model));
  MUNJA_ASSIGN_OR_RETURN(const auto whole_groups, FindPrunable(whole));
  std::map<std::string, int> whole_channels;
  for (const PrunableGroup& group : whole_groups)
    for (const std::string& layer : group.layers)
      whole_channels[layer] = group.channels;
  std::map<std::string, double> levels;
  for (const PrunableGroup& group : groups) {
    const std::string& name = group.layers[0];
    const auto before = whole_channels.find(name);
    if (before == whole_channels.end())
      return InvalidArgument("the whole network has no layer '", name, "'");
    MUNJA_RETURN_IF_ERROR(CheckLevel(level, name, before->second));
    const int kept = KeptFilters(before->second, level);
    if (kept > group.channels)
      return InvalidArgument("layer '", name, "' has ", group.channels,
                             " filters; of those of the whole network ", kept,
                             " would be left");
    levels[name] = 1 - static_cast<double>(kept) / group.channels;
  }
  return levels;
}

}  // namespace munja::compress
