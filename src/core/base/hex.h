#ifndef MUNJA_BASE_HEX_H_
#define MUNJA_BASE_HEX_H_

#include <cstdint>
#include <span>
#include <string>

namespace munja {

// Two hexadecimal digits for each byte, in small letters.
inline std::string Hex(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const uint8_t byte : bytes) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

}  // namespace munja

#endif  // MUNJA_BASE_HEX_H_
