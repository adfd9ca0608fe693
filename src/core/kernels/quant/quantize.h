// Real numbers to stored ones and back: real = scale * (stored - zero).
#ifndef MUNJA_KERNELS_QUANT_QUANTIZE_H_
#define MUNJA_KERNELS_QUANT_QUANTIZE_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// Rounds half away from zero and saturates; NaN gives the lowest quantized
// value. T is int8_t, uint8_t or int16_t.
template <class T>
void Quantize(const float* in, size_t count, float scale, int32_t zero, T* out);
// T as above or int32_t, which is converted exactly before one rounding.
template <class T>
void Dequantize(const T* in, size_t count, float scale, int32_t zero,
                float* out);

namespace reference {
template <class T>
void Quantize(const float* in, size_t count, float scale, int32_t zero, T* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_QUANTIZE_H_
