#include "reading/read/line_windows.h"

#include <gtest/gtest.h>

namespace munja::ocr {
namespace {

TEST(SplitLine, LineThatFits_IsOneWindow) {
  EXPECT_EQ(SplitLine(3200, 3200, 288, 8), (std::vector<Window>{{0, 3200}}));
  EXPECT_EQ(SplitLine(1, 3200, 288, 8), (std::vector<Window>{{0, 1}}));
}

TEST(SplitLine, Windows_CoverOverlapAndStayWithinTheLimit) {
  for (int width = 3201; width < 20000; width += 37) {
    const auto windows = SplitLine(width, 3200, 288, 8);
    ASSERT_GE(windows.size(), 2u);
    EXPECT_EQ(windows.front().begin, 0);
    EXPECT_EQ(windows.back().end, width);
    for (size_t i = 0; i < windows.size(); ++i) {
      EXPECT_LE(windows[i].end - windows[i].begin, 3200);
      EXPECT_EQ(windows[i].begin % 8, 0);
      if (i > 0) {
        EXPECT_GE(windows[i - 1].end - windows[i].begin, 288);
        EXPECT_EQ(windows[i - 1].end % 8, 0);
      }
    }
  }
}

using Steps = std::vector<text::CtcStep>;

Steps Make(std::initializer_list<int> classes) {
  Steps steps;
  for (const int c : classes) steps.push_back({c, 1.0f});
  return steps;
}

std::vector<int> Classes(const Steps& steps) {
  std::vector<int> classes;
  for (const auto& s : steps) classes.push_back(s.cls);
  return classes;
}

TEST(StitchSteps, TheSeam_LiesWhereBothReadABlank) {
  Steps steps = Make({1, 0, 2, 2, 0, 3, 3});
  // Covers steps 2..8; the two disagree about the character at 5 and 6.
  StitchSteps(Make({2, 2, 0, 4, 3, 0, 5}), 2, steps);
  EXPECT_EQ(Classes(steps), (std::vector<int>{1, 0, 2, 2, 0, 4, 3, 0, 5}));
}

TEST(StitchSteps, SeamWithoutABlank_IsTheMiddle) {
  Steps steps = Make({1, 1, 1, 1});
  StitchSteps(Make({2, 2, 2}), 2, steps);
  EXPECT_EQ(Classes(steps), (std::vector<int>{1, 1, 1, 2, 2}));
}

TEST(StitchSteps, TheFirstWindow_IsTakenWhole) {
  Steps steps;
  StitchSteps(Make({0, 1, 0}), 0, steps);
  EXPECT_EQ(Classes(steps), (std::vector<int>{0, 1, 0}));
}

}  // namespace
}  // namespace munja::ocr
