// Philox4x32-10, a counter-based generator of random numbers (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3"): the same on every machine.
#ifndef MUNJA_OPS_SUPPORT_PHILOX_H_
#define MUNJA_OPS_SUPPORT_PHILOX_H_

#include <array>
#include <cstdint>

namespace munja::ops {

class Philox {
 public:
  // The first seed is the key, the second the upper half of the counter.
  Philox(uint64_t seed, uint64_t seed2)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{0, 0, static_cast<uint32_t>(seed2),
                 static_cast<uint32_t>(seed2 >> 32)} {}

  // Four numbers of 32 random bits.
  std::array<uint32_t, 4> Next() {
    std::array<uint32_t, 4> x = counter_;
    std::array<uint32_t, 2> key = key_;
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * x[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
      x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key[0],
           static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ x[3] ^ key[1],
           static_cast<uint32_t>(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    for (uint32_t& word : counter_)
      if (++word != 0) break;
    return x;
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;  // 128 bits, the lowest first.
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_PHILOX_H_
