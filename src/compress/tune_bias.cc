#include "compress/tune_bias.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compress/emit.h"
#include "compress/operator_rules.h"
#include "graph/passes/linear_op.h"
#include "graph/passes/uses.h"

namespace munja::compress {
namespace {

// Layers measured in one run of the samples.
constexpr size_t kStages = 8;
// Every sample counts the same in a mean of this many; more say little.
constexpr size_t kMaxSamples = 16;

// The mean of each channel over all samples.
class ChannelMeans {
 public:
  void Add(const TensorView& view) {
    const std::vector<float> values = ToFloats(view);
    const auto channels =
        static_cast<size_t>(view.shape.rank() > 0 ? view.shape.back() : 1);
    if (values.empty() || channels == 0) return;
    sum_.resize(channels, 0.0);
    for (size_t i = 0; i < values.size(); ++i)
      sum_[i % channels] += double{values[i]};
    rows_ += values.size() / channels;
  }
  size_t channels() const { return sum_.size(); }
  double operator[](size_t c) const {
    return rows_ > 0 ? sum_[c] / static_cast<double>(rows_) : 0.0;
  }

 private:
  std::vector<double> sum_;
  size_t rows_ = 0;
};

using Means = std::map<graph::ValueId, ChannelMeans>;

Result<Means> Measure(const graph::Graph& graph,
                      std::span<const graph::ValueId> taps,
                      std::span<const Sample> samples,
                      const std::shared_ptr<ThreadPool>& pool) {
  Means means;
  MUNJA_RETURN_IF_ERROR(
      Observe(graph, taps, samples, pool,
              [&](size_t, graph::ValueId v, const TensorView& view) -> Status {
                means[v].Add(view);
                return Status();
              }));
  return means;
}

// Integer layers without an activation, fused or absorbed, in the order in
// which they run.
std::vector<size_t> FindLayers(const graph::Subgraph& main,
                               const Assignment& assignment) {
  const graph::Uses uses(main);
  std::vector<size_t> found;
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    if (!assignment.layers[n] || !graph::HasNoActivation(node) ||
        (assignment.nodes[n] != Precision::kInt8 &&
         assignment.nodes[n] != Precision::kInt16))
      continue;
    const int reader = uses.only_reader(node.outputs[0]);
    if (reader != graph::kNoNode &&
        FindClamp(main.nodes[static_cast<size_t>(reader)]))
      continue;
    found.push_back(n);
  }
  return found;
}

}  // namespace

Status TuneBias(const graph::Graph& prepared, std::span<const Sample> samples,
                const std::shared_ptr<ThreadPool>& pool,
                Assignment* assignment) {
  const graph::Subgraph& main = prepared.main();
  const std::vector<size_t> layers = FindLayers(main, *assignment);
  samples = samples.first(std::min(samples.size(), kMaxSamples));
  std::vector<graph::ValueId> taps;
  for (const size_t n : layers) taps.push_back(main.nodes[n].outputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const Means wanted,
                         Measure(prepared, taps, samples, pool));
  const size_t stages = std::min(kStages, layers.size());
  for (size_t stage = 0; stage < stages; ++stage) {
    const size_t begin = layers.size() * stage / stages;
    const size_t end = layers.size() * (stage + 1) / stages;
    MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph,
                           Emit(prepared, *assignment));
    const std::span<const graph::ValueId> now(taps.data() + begin, end - begin);
    MUNJA_ASSIGN_OR_RETURN(const Means got, Measure(graph, now, samples, pool));
    for (size_t i = begin; i < end; ++i) {
      RoundedLayer& layer = *assignment->layers[layers[i]];
      const ChannelMeans& want = wanted.at(taps[i]);
      const ChannelMeans& have = got.at(taps[i]);
      if (want.channels() != layer.bias.size() ||
          have.channels() != layer.bias.size())
        continue;
      for (size_t c = 0; c < layer.bias.size(); ++c)
        layer.bias[c] += static_cast<float>(want[c] - have[c]);
    }
  }
  return Status();
}

}  // namespace munja::compress
