// Arithmetic of two quantized operands, for the operators that have it.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_BINARY_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_BINARY_H_

#include <memory>

#include "base/status.h"
#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/binary.h"
#include "ops/op.h"

namespace munja::ops {

// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE and PRELU on int8, uint8 and int16
// with scales; each operand and the output has its own. kUnsupported for other
// kinds.
Result<std::unique_ptr<Kernel>> MakeQuantizedBinary(
    const NodeInfo& info, kernels::BinaryKind kind,
    kernels::ActivationKind activation);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_BINARY_H_
