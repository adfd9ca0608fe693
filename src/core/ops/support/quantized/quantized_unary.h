// Functions of one element on int8 and int16 with scales.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_UNARY_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_UNARY_H_

#include <memory>

#include "base/status.h"
#include "kernels/elementwise/unary.h"
#include "ops/op.h"

namespace munja::ops {

// kUnsupported for rows without such a form. Roots of negative numbers are
// refused in Eval; LOG gives its smallest output for what is not positive,
// RSQRT its largest for 0.
Result<std::unique_ptr<Kernel>> MakeQuantizedUnary(const kernels::UnaryRow& row,
                                                   bool reference_kernels);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_UNARY_H_
