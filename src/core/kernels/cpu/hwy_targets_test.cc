#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "hwy/targets.h"

namespace munja::kernels {
namespace {

// Highway's own answer, from its library, which is not the one linked here.
TEST(HwyTargets, Targets_MatchTheHighwayLibrary) {
  void* const library = dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "there is no shared library";
  const auto theirs = reinterpret_cast<int64_t (*)()>(
      dlsym(library, "_ZN3hwy16SupportedTargetsEv"));
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(hwy::SupportedTargets(), theirs());
}

TEST(HwyTargets, Targets_CanBeDisabled) {
  const int64_t all = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(HWY_SSE4);
  EXPECT_EQ(hwy::SupportedTargets(), HWY_SSE4);
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
  hwy::DisableTargets(HWY_SSE4);
  EXPECT_NE(hwy::SupportedTargets(), 0);
  EXPECT_NE(hwy::SupportedTargets(), HWY_SSE4);
  hwy::DisableTargets(0);
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(hwy::SupportedTargets(), all);
}

}  // namespace
}  // namespace munja::kernels
