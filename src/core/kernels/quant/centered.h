// Quantized values as int16 without their zero point, which is the form that
// integer kernels read: what lies outside of an image is then 0.
#ifndef MUNJA_KERNELS_QUANT_CENTERED_H_
#define MUNJA_KERNELS_QUANT_CENTERED_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// out[i] = in[i] - zero.
void Center(const int8_t* in, size_t count, int32_t zero, int16_t* out);
void Center(const uint8_t* in, size_t count, int32_t zero, int16_t* out);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_CENTERED_H_
