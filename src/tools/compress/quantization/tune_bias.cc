#include "compress/quantization/tune_bias.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/control.h"
#include "compress/quantization/emit.h"
#include "graph/op_traits.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

// The mean of each channel over all samples.
class ChannelMeans {
 public:
  // Values beyond the ends count as these.
  void Add(const TensorView& view, float low, float high) {
    std::vector<float> values = ToFloats(view);
    for (float& x : values) x = std::clamp(x, low, high);
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

// The range of the integers: ranges are chosen so that some values are clipped
// on purpose, which no bias should make up for.
std::pair<float, float> EndsOf(const graph::Value& value) {
  const Quantization& q = value.quantization;
  if (!q.is_quantized())
    return {-std::numeric_limits<float>::max(),
            std::numeric_limits<float>::max()};
  const bool is_narrow = value.type == ElementType::kInt8;
  const auto zero = static_cast<float>(q.zero_points[0]);
  return {q.scales[0] * ((is_narrow ? -128.0f : -32768.0f) - zero),
          q.scales[0] * ((is_narrow ? 127.0f : 32767.0f) - zero)};
}

// `stored` holds the ranges; its value ids are those of the graph.
Result<Means> Measure(const graph::Graph& graph, const graph::Graph& stored,
                      std::span<const graph::ValueId> taps,
                      std::span<const Sample> samples,
                      const std::shared_ptr<ThreadPool>& pool) {
  Means means;
  MUNJA_RETURN_IF_ERROR(
      Observe(graph, taps, samples, pool,
              [&](size_t, graph::ValueId v, const TensorView& view) -> Status {
                const auto [low, high] =
                    EndsOf(stored.main().values[static_cast<size_t>(v)]);
                means[v].Add(view, low, high);
                return Status();
              }));
  return means;
}

// Integer layers without an activation, fused or absorbed, in the order in
// which they run.
std::vector<size_t> FindLayers(const graph::Subgraph& main,
                               const Assignment& assignment) {
  const graph::DefUse uses(main);
  std::vector<size_t> found;
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    if (!assignment.layers[n] || !graph::HasNoActivation(node) ||
        (assignment.nodes[n] != Precision::kInt8 &&
         assignment.nodes[n] != Precision::kInt16))
      continue;
    const int reader = uses.only_reader(node.outputs[0]);
    if (reader != graph::kNoNode &&
        graph::FindClamp(main.nodes[static_cast<size_t>(reader)]))
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
  samples = FirstSamples(samples);
  std::vector<graph::ValueId> taps;
  for (const size_t n : layers) taps.push_back(main.nodes[n].outputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph stored,
                         Emit(prepared, *assignment));
  MUNJA_ASSIGN_OR_RETURN(const Means wanted,
                         Measure(prepared, stored, taps, samples, pool));
  // One at a time: what one layer's mean is off comes again in those behind it,
  // often larger, and would be corrected there once more.
  for (size_t i = 0; i < layers.size(); ++i) {
    ReportProgress("tuning biases of layers", i, layers.size());
    MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph,
                           Emit(prepared, *assignment));
    MUNJA_ASSIGN_OR_RETURN(
        const Means got,
        Measure(graph, stored, std::span(&taps[i], 1), samples, pool));
    RoundedLayer& layer = *assignment->layers[layers[i]];
    const ChannelMeans& want = wanted.at(taps[i]);
    const ChannelMeans& have = got.at(taps[i]);
    if (want.channels() != layer.bias.size() ||
        have.channels() != layer.bias.size())
      continue;
    for (size_t c = 0; c < layer.bias.size(); ++c)
      layer.bias[c] += static_cast<float>(want[c] - have[c]);
  }
  return Status();
}

}  // namespace munja::compress
