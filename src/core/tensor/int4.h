// 4-bit integers, packed two to a byte, the even one in the low half.
#ifndef MUNJA_TENSOR_INT4_H_
#define MUNJA_TENSOR_INT4_H_

#include <cstddef>
#include <cstdint>

namespace munja {

// Value i, in [-8, 7].
inline int8_t Int4At(const uint8_t* packed, size_t i) {
  const int nibble = (packed[i / 2] >> (i % 2 * 4)) & 0xf;
  return static_cast<int8_t>(nibble >= 8 ? nibble - 16 : nibble);
}

// Sets value i to the low four bits of v. Setting an even one clears the odd
// one behind it, so that values set in order leave no bits of what was before.
inline void SetInt4(uint8_t* packed, size_t i, int v) {
  const int nibble = v & 0xf;
  packed[i / 2] = static_cast<uint8_t>(
      i % 2 == 0 ? nibble : (packed[i / 2] & 0xf) | nibble << 4);
}

}  // namespace munja

#endif  // MUNJA_TENSOR_INT4_H_
