// The rules behind InferNode, one for each family of operators. The number of
// inputs has been checked; attributes and shapes have not.
#ifndef MUNJA_IMPORT_SHAPES_INFER_RULES_H_
#define MUNJA_IMPORT_SHAPES_INFER_RULES_H_

#include <span>
#include <utility>
#include <vector>

#include "import/shapes/shape_inference.h"

namespace munja::importer {

#define MUNJA_INFER_RULE(name) \
  Result<std::vector<ValueInfo>> name(const Node&, std::span<const ValueInfo>)
MUNJA_INFER_RULE(InferSame);
MUNJA_INFER_RULE(InferPRelu);
MUNJA_INFER_RULE(InferCast);
MUNJA_INFER_RULE(InferBroadcast);
MUNJA_INFER_RULE(InferReduce);
MUNJA_INFER_RULE(InferArgMax);
MUNJA_INFER_RULE(InferSoftmax);
MUNJA_INFER_RULE(InferBatchNorm);
MUNJA_INFER_RULE(InferLayerNorm);
MUNJA_INFER_RULE(InferConv);
MUNJA_INFER_RULE(InferConvTranspose);
MUNJA_INFER_RULE(InferPool);
MUNJA_INFER_RULE(InferMatMul);
MUNJA_INFER_RULE(InferResize);
MUNJA_INFER_RULE(InferLstm);
MUNJA_INFER_RULE(InferDepthToSpace);
MUNJA_INFER_RULE(InferConcat);
MUNJA_INFER_RULE(InferSplit);
MUNJA_INFER_RULE(InferSlice);
MUNJA_INFER_RULE(InferSqueeze);
MUNJA_INFER_RULE(InferUnsqueeze);
MUNJA_INFER_RULE(InferReshape);
MUNJA_INFER_RULE(InferTranspose);
MUNJA_INFER_RULE(InferPad);
MUNJA_INFER_RULE(InferGather);
MUNJA_INFER_RULE(InferShape);
#undef MUNJA_INFER_RULE

// The infos of an operator's only output.
inline std::vector<ValueInfo> One(Dims shape, bool is_integer = false) {
  return {ValueInfo{std::move(shape), is_integer, true}};
}

// Right-aligned broadcast of two shapes; kMalformed when they do not fit.
Result<Dims> BroadcastShapes(const Dims& a, const Dims& b);

// Slice along one axis of known size: the first index and the count.
struct SliceRange {
  int64_t first = 0, count = 0;
};
SliceRange ResolveSlice(int64_t size, int64_t start, int64_t end, int64_t step);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_SHAPES_INFER_RULES_H_
