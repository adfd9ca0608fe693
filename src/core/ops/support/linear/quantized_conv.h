// The kernels of nodes whose weights are integers.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_CONV_H_
#define MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_CONV_H_

#include <memory>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

Result<std::unique_ptr<Kernel>> MakeQuantizedConv2d(const NodeInfo& info);
// CONCAT_CONV_2D.
Result<std::unique_ptr<Kernel>> MakeQuantizedConcatConv2d(const NodeInfo& info);
Result<std::unique_ptr<Kernel>> MakeQuantizedDepthwise(const NodeInfo& info);
Result<std::unique_ptr<Kernel>> MakeQuantizedFullyConnected(
    const NodeInfo& info);
Result<std::unique_ptr<Kernel>> MakeQuantizedTransposeConv(
    const NodeInfo& info);
Result<std::unique_ptr<Kernel>> MakeQuantizedBatchMatMul(const NodeInfo& info);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_CONV_H_
