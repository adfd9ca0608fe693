// Inputs for tests of kernels.
#ifndef MUNJA_KERNELS_TESTING_H_
#define MUNJA_KERNELS_TESTING_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace munja::kernels {

// Uniform in [-spread, spread), the same for the same seed.
inline std::vector<float> Random(size_t n, uint32_t seed, float spread = 1.0f) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-spread, spread);
  std::vector<float> v(n);
  for (float& x : v) x = uniform(generator);
  return v;
}

// Sums of these bound what sums of `v` lose by rounding.
inline std::vector<float> Absolute(std::vector<float> v) {
  for (float& x : v) x = std::fabs(x);
  return v;
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_TESTING_H_
