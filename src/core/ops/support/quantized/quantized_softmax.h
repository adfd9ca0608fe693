// SOFTMAX and LOG_SOFTMAX on int8, uint8 and int16.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_SOFTMAX_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_SOFTMAX_H_

#include <memory>

#include "ops/op.h"

namespace munja::ops {

// Pairs of input and output: int8, uint8 and int16 each to itself, SOFTMAX also
// 8 bits to int16; LOG_SOFTMAX has no int16. The output's scale and zero point
// must be those that the scheme prescribes.
std::unique_ptr<Kernel> MakeQuantizedSoftmax(bool is_log, float beta);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_SOFTMAX_H_
