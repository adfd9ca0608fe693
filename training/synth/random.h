// Numbers from a seed, the same on every machine (the distributions of <random>
// are not). Each compiler has an order of its own for the arguments of a call
// and the operands of a sum: what draws more than one number there draws them
// before, a statement (or an item of {}) each.
#ifndef MUNJA_SYNTH_RANDOM_H_
#define MUNJA_SYNTH_RANDOM_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace munja::train {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // An own stream for every (seed, index).
  Random(uint64_t seed, uint64_t index) : state_(seed) {
    state_ = Bits() ^ (index * 0xD1342543DE82EF95u + 0x2545F4914F6CDD1Du);
    Bits();
  }

  uint64_t Bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // [0, 1)
  float Unit() { return static_cast<float>(Bits() >> 40) * 0x1p-24f; }
  // [low, high)
  float Uniform(float low, float high) { return low + (high - low) * Unit(); }
  // Evenly spread ratios: sizes, distances. Both bounds > 0.
  float LogUniform(float low, float high) {
    return low * std::exp(std::log(high / low) * Unit());
  }
  // [low, high], both included.
  int Integer(int low, int high) {
    return low + static_cast<int>(Below(static_cast<uint64_t>(
                     static_cast<int64_t>(high) - low + 1)));
  }
  // [0, count); count > 0.
  uint64_t Below(uint64_t count) {
    return static_cast<uint64_t>(
        static_cast<unsigned __int128>(Bits()) * count >> 64);
  }
  bool Chance(float probability) { return Unit() < probability; }
  // Mean 0, deviation 1; the sum of four, cut at about 3.5.
  float Normal() {
    float sum = Unit();
    for (int i = 0; i < 3; ++i) sum += Unit();
    return (sum - 2.0f) * 1.7320508f;
  }
  // An index, as likely as its weight; weights >= 0, at least one of them > 0.
  size_t Weighted(std::span<const float> weights) {
    float sum = 0;
    for (float w : weights) sum += w;
    float left = Unit() * sum;
    for (size_t i = 0; i < weights.size(); ++i) {
      if ((left -= weights[i]) < 0) return i;
    }
    for (size_t i = weights.size(); i-- > 0;) {  // Rounding.
      if (weights[i] > 0) return i;
    }
    return 0;
  }
  // A stream that does not depend on how much of this one is used later.
  Random Fork() { return Random(Bits()); }

 private:
  uint64_t state_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_RANDOM_H_
