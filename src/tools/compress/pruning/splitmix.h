// Splitmix: a small random sequence that is the same on every machine.
#ifndef MUNJA_COMPRESS_PRUNING_SPLITMIX_H_
#define MUNJA_COMPRESS_PRUNING_SPLITMIX_H_

#include <cstdint>

namespace munja::compress {

// Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
// 2014.
class Splitmix {
 public:
  explicit Splitmix(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15u;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return z ^ (z >> 31);
  }
  // At least 0, below 1.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_SPLITMIX_H_
