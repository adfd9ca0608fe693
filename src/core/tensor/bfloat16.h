// bfloat16, the upper half of a float, for storage; arithmetic is done in
// float.
#ifndef MUNJA_TENSOR_BFLOAT16_H_
#define MUNJA_TENSOR_BFLOAT16_H_

#include <bit>
#include <cstdint>

namespace munja {

inline float BFloat16ToFloat(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

// Round to nearest, ties to even; NaN stays NaN.
inline uint16_t FloatToBFloat16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  const uint32_t odd = (bits >> 16) & 1u;
  return static_cast<uint16_t>((bits + 0x7fffu + odd) >> 16);
}

}  // namespace munja

#endif  // MUNJA_TENSOR_BFLOAT16_H_
