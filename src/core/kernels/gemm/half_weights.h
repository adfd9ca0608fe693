// Rounding of weights to 16-bit floats.
#ifndef MUNJA_KERNELS_GEMM_HALF_WEIGHTS_H_
#define MUNJA_KERNELS_GEMM_HALF_WEIGHTS_H_

#include <cstddef>
#include <vector>

#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// weights[outer][taps][inner] rounded to the format: to nearest, except for
// those that are rounded to the other side so that the sum over the taps of one
// outer and inner is kept. A window of equal pixels, and most of an image is
// such, then gives what it would with exact weights.
std::vector<float> RoundKeepingSums(ElementType format, const float* weights,
                                    size_t outer, size_t taps, size_t inner);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_HALF_WEIGHTS_H_
