#include "reading/find/line_place.h"

#include <gtest/gtest.h>

namespace munja::ocr {
namespace {

TEST(IsBetterSample, TheNarrowestLine_WithEnoughLetters) {
  constexpr int kHeight = 48;
  EXPECT_TRUE(IsBetterSample(240, 1000, kHeight));
  EXPECT_FALSE(IsBetterSample(1000, 240, kHeight));
  EXPECT_TRUE(IsBetterSample(1000, 239, kHeight));
  EXPECT_TRUE(IsBetterSample(239, 100, kHeight));
}

}  // namespace
}  // namespace munja::ocr
