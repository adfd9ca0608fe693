// Reductions that add up in wider integers than they read: MEAN of integers,
// MEAN, SUM and REDUCE_PROD of quantized values.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_REDUCE_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_REDUCE_H_

#include <memory>

#include "ops/op.h"

namespace munja::ops {

enum class WideReduceKind { kMean, kSum, kProduct };

// Quantized: int8, uint8 and int16 with their own scales for input and output.
// Otherwise only kMean, of int32 and int64, which is cut toward zero.
std::unique_ptr<Kernel> MakeWideReduce(WideReduceKind kind, bool keep_dims,
                                       bool is_quantized);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_REDUCE_H_
