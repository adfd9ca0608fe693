// IEEE 754 binary16 <-> binary32 for storage; arithmetic is done in float.
#ifndef MUNJA_TENSOR_HALF_H_
#define MUNJA_TENSOR_HALF_H_

#include <bit>
#include <cstdint>

namespace munja {

inline float HalfToFloat(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                                (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  // Subnormal: mantissa * 2^-24, exact in float.
  const float value = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}

// Round to nearest, ties to even; overflow gives infinity, NaN stays NaN.
inline uint16_t FloatToHalf(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  if (magnitude >= 0x477ff000u)
    return sign | 0x7c00u;        // >= 65520 rounds to infinity
  if (magnitude < 0x38800000u) {  // < 2^-14: subnormal or zero
    // Adding 0.5 aligns the mantissa so that the hardware rounds for us.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) -
                                        0x3f000000u);
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return sign |
         static_cast<uint16_t>((magnitude + 0xfffu + odd - 0x38000000u) >> 13);
}

}  // namespace munja

#endif  // MUNJA_TENSOR_HALF_H_
