#include "kernels/cpu/byte_dot.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "hwy/targets.h"

namespace munja::kernels {
namespace {

// CPU flags as the system reports them: " avx512_vnni " and the like. An
// emulator may show the list of the host, which has another name.
std::string ProcessorFlags() {
  const char* const name = HWY_ARCH_X86 ? "flags" : "Features";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line + " ";
  return "";
}

TEST(ByteDot, SupportedCpu_UsesIt) {
  const std::string flags = ProcessorFlags();
  if (flags.empty()) GTEST_SKIP() << "the system does not list the processor";
  const auto has = [&](const char* name) {
    return flags.find(std::string(" ") + name + " ") != std::string::npos;
  };
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  bool expected = has("asimddp");
  if ((supported & HWY_AVX3) != 0)
    expected = has("avx512_vnni");
  else if ((supported & HWY_AVX2) != 0)
    expected = has("avx_vnni");
  EXPECT_EQ(HasByteDot(), expected);
}

TEST(ByteDot, OlderInstructionSet_DoesNotUseIt) {
  hwy::SetSupportedTargetsForTest(HWY_ARCH_X86 ? HWY_SSE4 : HWY_STATIC_TARGET);
  const bool has = HasByteDot();
  hwy::SetSupportedTargetsForTest(0);
  if (!HWY_ARCH_X86) GTEST_SKIP() << "one set of instructions only";
  EXPECT_FALSE(has);
}

TEST(ByteDot, Forbidden_DoesNotUseIt) {
  AllowByteDot(false);
  EXPECT_FALSE(HasByteDot());
  AllowByteDot(true);
}

}  // namespace
}  // namespace munja::kernels
