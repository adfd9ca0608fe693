#include "document/pdf/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace munja::document::pdf {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const TextBox kPage = {0, 0, 1000, 1000};

TEST(RulesBetween, Paragraphs_NeedNone) {
  const std::vector<TextBox> boxes = {
      {100, 100, 900, 120}, {100, 130, 880, 150}, {120, 160, 300, 180}};
  EXPECT_THAT(RulesBetween(boxes, kPage), IsEmpty());
  EXPECT_THAT(RulesBetween({}, kPage), IsEmpty());
}

// A reader would take the second box for the first column.
TEST(RulesBetween, RowOnTheLeftBelowOneOnTheRight_GetsARule) {
  const std::vector<TextBox> boxes = {{600, 100, 900, 120},
                                      {100, 130, 300, 150}};
  const auto rules = RulesBetween(boxes, kPage);
  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_EQ(rules[0].before, 1u);
  const TextBox& box = rules[0].box;
  EXPECT_GT(box.top, 100);
  EXPECT_LT(box.top, box.bottom);
  EXPECT_LE(box.bottom, 130);
  EXPECT_EQ(box.left, 0);
  EXPECT_EQ(box.right, 1000);
}

// A line over both is such a rule already.
TEST(RulesBetween, BoxBetween_MakesARuleUnnecessary) {
  const std::vector<TextBox> boxes = {
      {600, 100, 900, 120}, {100, 130, 900, 150}, {100, 160, 300, 180}};
  EXPECT_THAT(RulesBetween(boxes, kPage), IsEmpty());
}

// The columns' lines are above and below the rule in the wrong order.
TEST(RulesBetween, Rules_KeepAwayFromOtherColumns) {
  std::vector<TextBox> boxes = {{300, 100, 400, 120}, {100, 130, 200, 150}};
  for (int i = 0; i < 5; ++i)
    boxes.push_back({600, 100.0 + 30 * i, 900, 120.0 + 30 * i});
  const auto rules = RulesBetween(boxes, kPage);
  ASSERT_FALSE(rules.empty());
  EXPECT_EQ(rules[0].before, 1u);
  EXPECT_LT(rules[0].box.right, 600);
  EXPECT_GT(rules[0].box.right, 400);
}

TEST(RulesBetween, Columns_HaveARuleBetween) {
  std::vector<TextBox> boxes = {{100, 40, 900, 60}};
  for (const double left : {100.0, 550.0})
    for (int i = 0; i < 5; ++i)
      boxes.push_back({left, 100.0 + 30 * i, left + 350, 120.0 + 30 * i});
  boxes.push_back({100, 300, 900, 320});
  const auto rules = RulesBetween(boxes, kPage);
  ASSERT_THAT(rules, SizeIs(3));
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].before, 6u);
    const TextBox& box = rules[i].box;
    EXPECT_GT(box.left, 450);
    EXPECT_LT(box.left, box.right);
    EXPECT_LT(box.right, 550);
    // From the headline to the foot.
    EXPECT_EQ(box.top, 60 + 80 * static_cast<double>(i));
    EXPECT_EQ(box.bottom, box.top + 80);
  }
}

TEST(RulesBetween, TooManyBoxes_HaveNone) {
  std::vector<TextBox> boxes;
  for (int i = 0; i < 3000; ++i) {
    const double left = i % 2 == 0 ? 600 : 100;
    boxes.push_back({left, 1.0 * i, left + 100, i + 0.9});
  }
  EXPECT_THAT(RulesBetween(boxes, kPage), IsEmpty());
  EXPECT_THAT(SizesApart(boxes), SizeIs(3000));
}

TEST(SizesApart, Neighbors_Differ) {
  std::vector<TextBox> boxes;
  for (int i = 0; i < 10; ++i)
    boxes.push_back({100, 100.0 + 22 * i, 900, 120.0 + 22 * i});
  // Nearly beside the second.
  boxes.push_back({905, 122, 990, 142});
  // Far from all.
  boxes.push_back({100, 800, 900, 820});
  const auto sizes = SizesApart(boxes);
  ASSERT_EQ(sizes.size(), boxes.size());
  for (size_t i = 1; i < 10; ++i)
    EXPECT_GT(std::abs(sizes[i] / sizes[i - 1] - 1), 0.05) << i;
  EXPECT_GT(std::abs(sizes[10] / sizes[1] - 1), 0.2);
  EXPECT_EQ(sizes[0], 1);
  EXPECT_EQ(sizes[11], 1);
}

}  // namespace
}  // namespace munja::document::pdf
