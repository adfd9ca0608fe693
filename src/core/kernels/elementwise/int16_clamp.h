// Clamping of int16: a RELU between equal scales.
#ifndef MUNJA_KERNELS_ELEMENTWISE_INT16_CLAMP_H_
#define MUNJA_KERNELS_ELEMENTWISE_INT16_CLAMP_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// out[i] = min(max(in[i], low), high), low <= high. `in` and `out` may be the
// same.
void Clamp(const int16_t* in, size_t count, int16_t low, int16_t high,
           int16_t* out);

namespace reference {
void Clamp(const int16_t* in, size_t count, int16_t low, int16_t high,
           int16_t* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_INT16_CLAMP_H_
