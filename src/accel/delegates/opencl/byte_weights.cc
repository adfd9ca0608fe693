#include "delegates/opencl/byte_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "delegates/opencl/recording.h"
#include "graph/rewrite/linear_op.h"
#include "runtime/fold.h"
#include "runtime/resolver.h"

namespace munja::delegates::opencl {
namespace {

using graph::Subgraph;
using graph::ValueId;

// As a share of a step: the rounding error of multiplying by it and by a
// normalization.
constexpr double kClose = 2e-6;
constexpr int kMaxSteps = 127;

// Channel c: `runs` stretches of `length` numbers, which begin at
// c * length and lie `channels` * length apart.
struct Channels {
  size_t channels = 0, runs = 1, length = 1;

  Channels(const Shape& shape, int axis)
      : channels(static_cast<size_t>(shape[axis])) {
    for (int d = 0; d < axis; ++d) runs *= static_cast<size_t>(shape[d]);
    for (int d = axis + 1; d < shape.rank(); ++d)
      length *= static_cast<size_t>(shape[d]);
  }
  void ForEach(size_t c, const auto& visit) const {
    for (size_t r = 0; r < runs; ++r)
      for (size_t i = 0; i < length; ++i)
        visit((r * channels + c) * length + i);
  }
};

float LargestOf(const std::vector<float>& numbers, const Channels& at,
                size_t c) {
  float largest = 0;
  at.ForEach(
      c, [&](size_t i) { largest = std::max(largest, std::abs(numbers[i])); });
  return largest;
}

bool AreMultiples(const std::vector<float>& numbers, const Channels& at,
                  size_t c, double step) {
  for (size_t r = 0; r < at.runs; ++r) {
    for (size_t i = 0; i < at.length; ++i) {
      const double steps =
          numbers[(r * at.channels + c) * at.length + i] / step;
      // Also false for NaN.
      if (!(std::abs(steps - std::round(steps)) <=
            kClose * std::max(1.0, std::abs(steps))))
        return false;
    }
  }
  return true;
}

// Nothing: the channel is none of bytes.
std::optional<float> StepOf(const std::vector<float>& numbers,
                            const Channels& at, size_t c) {
  const float largest = LargestOf(numbers, at, c);
  if (largest == 0) return 1.0f;
  if (!std::isfinite(largest)) return std::nullopt;
  // The largest number is some multiple of the step; the finest steps first.
  for (int steps = kMaxSteps; steps > 0; --steps) {
    const auto step =
        static_cast<float>(double{largest} / static_cast<double>(steps));
    if (std::isnormal(step) && AreMultiples(numbers, at, c, step)) return step;
  }
  return std::nullopt;
}

Result<std::vector<float>> WeightsOf(const graph::Value& value) {
  return NumbersOf(value.type, value.constant->bytes.data(),
                   value.shape.elements());
}

// Gives the layer other weights. Those that it had may be others', too.
void ReplaceWeights(Subgraph& subgraph, graph::Node& node, int weights,
                    graph::Constant numbers) {
  graph::Value value;
  value.name = subgraph.values[node.inputs[weights]].name;
  value.shape = subgraph.values[node.inputs[weights]].shape;
  value.constant = std::move(numbers);
  node.inputs[weights] = subgraph.AddValue(std::move(value));
}

}  // namespace

Status WidenWeights(Subgraph& subgraph) {
  for (graph::Node& node : subgraph.nodes) {
    const graph::LinearOp* const linear =
        graph::FindHybridLinearOp(subgraph, node);
    if (linear == nullptr) continue;
    const ValueId weights = node.inputs[linear->weights];
    if (!subgraph.values[weights].quantization.is_quantized()) continue;
    graph::Node widen;
    widen.op = "DEQUANTIZE";
    widen.inputs = {weights};
    graph::Value wide;
    wide.shape = subgraph.values[weights].shape;
    widen.outputs = {subgraph.AddValue(std::move(wide))};
    auto folded = runtime::FoldNode(subgraph, widen, ops::MakeOptions{},
                                    runtime::Resolver());
    subgraph.values.pop_back();
    if (!folded.ok()) return std::move(folded).TakeStatus();
    ReplaceWeights(subgraph, node, linear->weights,
                   std::move((*folded)[0].data));
  }
  return Status();
}

Status RoundWeights(Subgraph& subgraph) {
  for (graph::Node& node : subgraph.nodes) {
    const graph::LinearOp* const linear =
        graph::FindFloatLinearOp(subgraph, node);
    if (linear == nullptr) continue;
    const graph::Value& value = subgraph.values[node.inputs[linear->weights]];
    MUNJA_ASSIGN_OR_RETURN(std::vector<float> numbers, WeightsOf(value));
    const Channels at(value.shape, linear->channel_axis);
    for (size_t c = 0; c < at.channels; ++c) {
      const float step = LargestOf(numbers, at, c) / kMaxSteps;
      if (!std::isnormal(step)) continue;
      at.ForEach(c, [&](size_t i) {
        numbers[i] = std::round(numbers[i] / step) * step;
      });
    }
    std::vector<uint8_t> bytes(numbers.size() * sizeof(float));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    ReplaceWeights(subgraph, node, linear->weights,
                   graph::MakeConstant(std::move(bytes)));
  }
  return Status();
}

Result<ScalesOfWeights> FindByteScales(const Subgraph& subgraph) {
  ScalesOfWeights found;
  for (const graph::Node& node : subgraph.nodes) {
    const graph::LinearOp* const linear =
        graph::FindFloatLinearOp(subgraph, node);
    if (linear == nullptr) continue;
    const ValueId weights = node.inputs[linear->weights];
    if (found.contains(weights)) continue;
    const graph::Value& value = subgraph.values[weights];
    if (value.shape.elements() == 0) continue;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<float> numbers, WeightsOf(value));
    const Channels at(value.shape, linear->channel_axis);
    ByteScales scales{linear->channel_axis, {}};
    for (size_t c = 0; c < at.channels; ++c) {
      const std::optional<float> step = StepOf(numbers, at, c);
      if (!step) break;
      scales.scales.push_back(*step);
    }
    if (scales.scales.size() == at.channels)
      found.emplace(weights, std::move(scales));
  }
  return found;
}

}  // namespace munja::delegates::opencl
