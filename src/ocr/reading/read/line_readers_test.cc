#include "reading/read/line_readers.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

TEST(LinesSideBySide, OneThread_ReadsOneAfterTheOther) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{300, 200}, 1), 2u);
  EXPECT_EQ(LinesSideBySide({}, 4), 0u);
}

TEST(LinesSideBySide, EqualLines_KeepAllThreadsBusy) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>(8, 320), 2), 8u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(8, 320), 4), 8u);
}

TEST(LinesSideBySide, TheOddOne_IsReadByAllTogether) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{320}, 2), 0u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(3, 320), 2), 2u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(9, 320), 4), 8u);
}

TEST(LinesSideBySide, ShortLines_FillTheGap) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{400, 200, 200}, 2), 3u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>{1000, 10}, 2), 0u);
}

}  // namespace
}  // namespace munja::ocr
