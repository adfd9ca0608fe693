// Shared by the fuzzers that compare kernels with their reference
// implementations: bytes become small cases, which run with every SIMD target
// of this machine.
#ifndef MUNJA_KERNELS_DIFFERENTIAL_FUZZ_H_
#define MUNJA_KERNELS_DIFFERENTIAL_FUZZ_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/simd.h"
#include "kernels/elementwise/activation.h"

namespace munja::kernels {

inline constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
// Stands where a kernel must not write.
inline constexpr float kUntouched = -77.0f;

// Hands out the bytes one by one, zeros after the last.
class CaseBytes {
 public:
  CaseBytes(const uint8_t* data, size_t size) : bytes_(data, size) {}
  bool empty() const { return at_ >= bytes_.size(); }
  int32_t Byte() { return empty() ? 0 : bytes_[at_++]; }
  bool Flag() { return (Byte() & 1) != 0; }
  // In [first, last], at most 256 of them.
  int32_t Between(int32_t first, int32_t last) {
    return first + Byte() % (last - first + 1);
  }
  size_t Size(size_t first, size_t last) {
    return static_cast<size_t>(
        Between(static_cast<int32_t>(first), static_cast<int32_t>(last)));
  }
  template <class T, size_t N>
  T Pick(const T (&choices)[N]) {
    return choices[static_cast<size_t>(Byte()) % N];
  }

  // Exactly `count` numbers of one magnitude, of both signs, some of them 0.
  std::vector<float> Numbers(size_t count) {
    const float scale = Pick({1.0f, 1.0f, 0.001f, 30.0f});
    uint32_t state = static_cast<uint32_t>(Byte() * 256 + Byte());
    std::vector<float> numbers(count);
    for (float& x : numbers) {
      state = state * 1664525u + 1013904223u;
      x = state >> 28 == 0
              ? 0.0f
              : scale * (static_cast<float>(state >> 8) * 0x1p-23f - 1.0f);
    }
    return numbers;
  }

  Activation AnyActivation() {
    constexpr int kKinds = static_cast<int>(ActivationRows().size());
    // Half of the time none, so that nothing hides behind a clamp.
    const int kind = Byte() % (2 * kKinds);
    if (kind >= kKinds) return {};
    return {static_cast<ActivationKind>(kind), 0.25f, 0.5f};
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

[[noreturn]] inline void Fail(const std::string& what, size_t i, float got,
                              float want, float tolerance) {
  std::fprintf(stderr,
               "%s, %s: element %zu is %.9g, the reference says %.9g, which "
               "may differ by %.3g\n",
               what.c_str(), SimdName().c_str(), i, static_cast<double>(got),
               static_cast<double>(want), static_cast<double>(tolerance));
  std::abort();
}

// tolerance(i) is that of element i. NaN equals NaN only.
template <class Tolerance>
void ExpectNear(const std::string& what, std::span<const float> got,
                std::span<const float> want, const Tolerance& tolerance) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])))
      continue;
    const float allowed = tolerance(i);
    if (!(std::fabs(got[i] - want[i]) <= allowed))
      Fail(what, i, got[i], want[i], allowed);
  }
}

inline void ExpectSame(const std::string& what, std::span<const float> got,
                       std::span<const float> want) {
  ExpectNear(what, got, want, [](size_t) { return 0.0f; });
}

inline std::vector<float> Absolute(std::vector<float> numbers) {
  for (float& x : numbers) x = std::fabs(x);
  return numbers;
}

inline float Largest(std::span<const float> numbers) {
  float largest = 0;
  for (const float x : numbers) largest = std::max(largest, std::fabs(x));
  return largest;
}

// Calls run() once for each SIMD target; it packs what it needs.
template <class Run>
void OnEveryTarget(const Run& run) {
  for (const std::string& name : SimdNames()) {
    if (!SelectSimd(name).ok()) std::abort();
    run();
  }
  if (!SelectSimd("").ok()) std::abort();
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_DIFFERENTIAL_FUZZ_H_
