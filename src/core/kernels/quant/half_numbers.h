// Numbers stored as 16-bit floats.
#ifndef MUNJA_KERNELS_QUANT_HALF_NUMBERS_H_
#define MUNJA_KERNELS_QUANT_HALF_NUMBERS_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// `count` numbers of IEEE binary16, two bytes each at any address, as floats:
// exact. A NaN stays one.
void HalvesToFloats(const uint8_t* halves, size_t count, float* out);
// Likewise back, to the nearest, of two the even one. A NaN stays one.
void FloatsToHalves(const float* numbers, size_t count, uint8_t* halves);

namespace reference {
void HalvesToFloats(const uint8_t* halves, size_t count, float* out);
void FloatsToHalves(const float* numbers, size_t count, uint8_t* halves);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_HALF_NUMBERS_H_
