#include "kernels/cpu/simd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {
namespace {

struct RestoreBest {
  ~RestoreBest() { EXPECT_TRUE(SelectSimd("").ok()); }
};

TEST(Simd, EveryName_CanBeSelected) {
  const RestoreBest restore;
  ASSERT_FALSE(SimdNames().empty());
  EXPECT_EQ(SimdName(), SimdNames().front());
  for (const std::string& name : SimdNames()) {
    ASSERT_TRUE(SelectSimd(name).ok()) << name;
    EXPECT_EQ(SimdName(), name);
  }
  ASSERT_TRUE(SelectSimd("").ok());
  EXPECT_EQ(SimdName(), SimdNames().front());
}

#if HWY_ARCH_X86
// Every x86 build has code for processors without vector instructions.
TEST(Simd, Scalar_IsTheLast) { EXPECT_EQ(SimdNames().back(), "scalar"); }

// A panel is two vectors wide: seen from outside, the kernels follow.
TEST(Simd, Selection_ChangesKernels) {
  const RestoreBest restore;
  for (const auto& [name, panels] : std::map<std::string, size_t>{
           {"avx3", 128 / 32}, {"avx2", 128 / 16}, {"sse4", 128 / 8}}) {
    if (std::ranges::count(SimdNames(), name) == 0) continue;
    ASSERT_TRUE(SelectSimd(name).ok());
    EXPECT_EQ(PanelCount(128), panels) << name;
  }
}
#endif

TEST(Simd, UnknownName_IsRefusedWithTheKnownOnes) {
  const std::string before = SimdName();
  for (const char* name : {"avx9", "AVX2 ", "x"}) {
    const Status status = SelectSimd(name);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(name));
    for (const std::string& known : SimdNames())
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr(known));
    EXPECT_EQ(SimdName(), before);
  }
}

TEST(Simd, LockedSet_Stays) {
  if (SimdNames().size() < 2) GTEST_SKIP() << "there is one set";
  const std::string best = SimdName(), other = SimdNames().back();
  {
    const SimdLock lock;
    std::optional<SimdLock> second(std::in_place);
    const Status status = SelectSimd(other);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                testing::AllOf(testing::HasSubstr("'" + best + "'"),
                               testing::HasSubstr("'" + other + "'")));
    EXPECT_EQ(SimdName(), best);
    second.reset();
    EXPECT_FALSE(SelectSimd(other).ok());
    EXPECT_TRUE(SelectSimd("").ok());  // The one in use, by both its names.
    EXPECT_TRUE(SelectSimd(best).ok());
  }
  EXPECT_TRUE(SelectSimd(other).ok());
  EXPECT_EQ(SimdName(), other);
  {
    const SimdLock lock;
    EXPECT_FALSE(SelectSimd("").ok());
    EXPECT_EQ(SimdName(), other);
  }
  EXPECT_TRUE(SelectSimd("").ok());
}

}  // namespace
}  // namespace munja::kernels
