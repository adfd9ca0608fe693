#include "kernels/cpu/byte_dot.h"

#include <atomic>
#include <cstdint>

#include "hwy/highway.h"
#include "hwy/targets.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace munja::kernels {
namespace {

std::atomic<bool> allowed{true};

// Sets of instructions (bits of Highway) that this CPU extends by a dot
// product of bytes. Whether the system saves the registers is for Highway to
// know, which names no set otherwise.
int64_t FindTargets() {
  int64_t targets = 0;
#if HWY_ARCH_X86
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return 0;
  const uint32_t leaves = a;
  if ((c >> 11 & 1) != 0) targets |= HWY_AVX3;  // AVX512_VNNI.
  if (leaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
      (a >> 4 & 1) != 0)
    targets |= HWY_AVX2;  // AVX-VNNI.
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
  constexpr unsigned long kDotProduct = 1UL << 20;  // HWCAP_ASIMDDP.
  if ((getauxval(AT_HWCAP) & kDotProduct) != 0) targets |= HWY_NEON;
#elif HWY_ARCH_ARM_A64 && defined(__ARM_FEATURE_DOTPROD)
  targets |= HWY_NEON;
#endif
  return targets;
}

}  // namespace

bool HasByteDot() {
  static const int64_t targets = FindTargets();
  // Highway numbers better targets lower, and takes the best of those that the
  // kernels are compiled for.
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  return allowed.load(std::memory_order_relaxed) &&
         (supported & -supported & targets) != 0;
}

void AllowByteDot(bool is_allowed) { allowed = is_allowed; }

}  // namespace munja::kernels
