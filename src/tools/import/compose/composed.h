// Operators that several formats have and .tflite has not, made of others.
// Context is that of a front end: its Step() adds a node.
#ifndef MUNJA_IMPORT_COMPOSE_COMPOSED_H_
#define MUNJA_IMPORT_COMPOSE_COMPOSED_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/ir/builder.h"
#include "import/ir/model.h"

namespace munja::importer {

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
// one: a constant.
template <class Context, class Source>
Result<ValueId> LogOnePlusExp(Context& context, const Source& source, ValueId x,
                              ValueId one) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId top,
                         context.Step(source, "top", "Relu", {x}));
  ValueId y = x;
  for (const char* step : {"Abs", "Neg", "Exp"}) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, step, step, {y}));
  }
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "moved", "Add", {y, one}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "log", "Log", {y}));
  return context.Step(source, "softplus", "Add", {top, y});
}

// The mean of each channel of a feature map; of groups of channels the mean of
// the group.
template <class Context, class Source>
Result<ValueId> MeanOfGroups(Context& context, const Source& source,
                             const char* what, ValueId x, int64_t channels,
                             int64_t own) {
  graph::Attributes plane;
  plane.Set("axes", std::vector<int64_t>{2, 3});
  plane.Set("keepdims", int64_t{1});
  MUNJA_ASSIGN_OR_RETURN(ValueId mean, context.Step(source, what, "ReduceMean",
                                                    {x}, std::move(plane)));
  if (own == 1) return mean;
  // A grouped convolution gives each channel the mean of its group.
  const ValueId weights = context.builder.AddConstant(
      source.name + "/" + what + "/group",
      Tensor::Floats({channels, own, 1, 1},
                     std::vector<float>(static_cast<size_t>(channels * own),
                                        1 / static_cast<float>(own))));
  graph::Attributes groups;
  groups.Set("group", channels / own);
  return context.Step(source, what, "Conv", {mean, weights}, std::move(groups));
}

// Normalizes groups of `own` channels to mean 0 and variance 1. scale, bias:
// one value per channel, or kNoValue. epsilon: a constant.
template <class Context, class Source>
Result<ValueId> NormalizeGroups(Context& context, const Source& source,
                                ValueId x, int64_t channels, int64_t own,
                                ValueId epsilon, ValueId scale, ValueId bias) {
  constexpr int64_t kMaxWeights = 1 << 22;
  if (own > kMaxWeights || channels * own > kMaxWeights)
    return Unsupported(source, ": groups of ", own, " channels");
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId mean,
      MeanOfGroups(context, source, "mean", x, channels, own));
  MUNJA_ASSIGN_OR_RETURN(const ValueId moved,
                         context.Step(source, "moved", "Sub", {x, mean}));
  MUNJA_ASSIGN_OR_RETURN(ValueId y,
                         context.Step(source, "square", "Square", {moved}));
  MUNJA_ASSIGN_OR_RETURN(
      y, MeanOfGroups(context, source, "variance", y, channels, own));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "above", "Add", {y, epsilon}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "factor", "Rsqrt", {y}));
  if (scale != kNoValue) {
    MUNJA_ASSIGN_OR_RETURN(y,
                           context.Step(source, "scaled", "Mul", {y, scale}));
  }
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "normal", "Mul", {moved, y}));
  if (bias == kNoValue) return y;
  return context.Step(source, "biased", "Add", {y, bias});
}

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_COMPOSED_H_
