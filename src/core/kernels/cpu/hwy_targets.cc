// The target query of Highway's dispatch: which vector instructions the CPU
// has. Answered here, so that programs need not load Highway's library: it
// calibrates the timer at program start, which takes four milliseconds, longer
// than reading a model.
//
// WebAssembly has one set of instructions, as have the Arm processors of
// Android here, and no library. On other processors, and where this file is not
// linked first, the library answers as before.
#include <cstdint>

#include "base/fork.h"
#include "hwy/targets.h"

#if HWY_ARCH_X86 || HWY_ARCH_WASM || defined(__ANDROID__)
#include <atomic>
#include <initializer_list>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace {

#if !HWY_ARCH_X86
int64_t Detect() { return HWY_STATIC_TARGET; }
#else
struct Registers {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

Registers Cpuid(uint32_t leaf) {
  Registers r;
  // The number is signed in some compilers' headers.
  const auto last =
      static_cast<uint32_t>(__get_cpuid_max(leaf & 0x80000000u, nullptr));
  if (last >= leaf) __cpuid_count(leaf, 0, r.a, r.b, r.c, r.d);
  return r;
}

bool HasAll(uint32_t value, std::initializer_list<int> bits) {
  for (const int bit : bits)
    if ((value >> bit & 1u) == 0) return false;
  return true;
}

// Which registers the operating system saves.
uint32_t SavedRegisters() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Bits by the processor manuals (Intel SDM volume 2, CPUID; AMD APM volume 3,
// appendix E).
int64_t Detect() {
  int64_t targets = HWY_SCALAR | HWY_EMU128;
  const Registers one = Cpuid(1), seven = Cpuid(7), more = Cpuid(0x80000001u);
  // SSE3, SSSE3.
  if (!HasAll(one.c, {0, 9})) return targets;
  targets |= HWY_SSSE3;
  // SSE4.1, SSE4.2, carry-less products, AES.
  if (!HasAll(one.c, {19, 20, 1, 25})) return targets;
  targets |= HWY_SSE4;
  // XGETBV, AVX, FMA, F16C; LZCNT; AVX2, BMI1, BMI2; XMM and YMM saved.
  if (!HasAll(one.c, {27, 28, 12, 29}) || !HasAll(more.c, {5}) ||
      !HasAll(seven.b, {5, 3, 8}))
    return targets;
  const uint32_t saved = SavedRegisters();
  if (!HasAll(saved, {1, 2})) return targets;
  targets |= HWY_AVX2;
  // AVX-512 F, DQ, CD, BW, VL; masks and both halves of ZMM saved.
  if (!HasAll(seven.b, {16, 17, 28, 30, 31}) || !HasAll(saved, {5, 6, 7}))
    return targets;
  targets |= HWY_AVX3;
  // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ.
  if (HasAll(seven.c, {1, 6, 8, 9, 10, 11, 12, 14})) targets |= HWY_AVX3_DL;
  return targets;
}

#endif

std::atomic<int64_t> disabled{0}, for_test{0};

}  // namespace

namespace hwy {

int64_t SupportedTargets() {
  const int64_t detected = munja::MadeOnce<Detect>();
  const int64_t mocked = for_test.load();
  const int64_t targets = (mocked != 0 ? mocked : detected) & ~disabled.load();
  return targets != 0 ? targets : HWY_STATIC_TARGET;
}

void DisableTargets(int64_t targets) {
  disabled = targets;
  GetChosenTarget().DeInit();
}

void SetSupportedTargetsForTest(int64_t targets) {
  for_test = targets;
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy

#endif  // HWY_ARCH_X86 || HWY_ARCH_WASM || defined(__ANDROID__)
