#include "document/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace munja::document {
namespace {

// Numbers of the boxes of each row, of boxes numbered as they are listed.
std::vector<std::vector<size_t>> RowsOf(std::vector<UprightBox> boxes) {
  for (size_t i = 0; i < boxes.size(); ++i) boxes[i].index = i;
  std::sort(boxes.begin(), boxes.end(), IsAbove);
  std::vector<std::vector<size_t>> rows;
  for (const Row& row : GroupRows(boxes)) {
    rows.emplace_back();
    for (const UprightBox& box : row.boxes) rows.back().push_back(box.index);
  }
  return rows;
}

using Rows = std::vector<std::vector<size_t>>;

// Two boxes are of one row from half of the lower one's height on.
TEST(GroupRows, HalfOfTheLowerHeight_MakesARow) {
  const auto is_one = [](double top, double bottom) {
    return RowsOf({{0, 0, 50, 100, 120}, {0, 60, 90, top, bottom}}).size() == 1;
  };
  EXPECT_TRUE(is_one(110, 130));
  EXPECT_FALSE(is_one(110.1, 130.1));
  EXPECT_TRUE(is_one(90, 110));
  EXPECT_FALSE(is_one(89.9, 109.9));
  // A lower one stands beside a higher one, whichever is which.
  EXPECT_TRUE(is_one(115, 125));
  EXPECT_FALSE(is_one(115.1, 125.1));
  EXPECT_TRUE(is_one(80, 110));
  EXPECT_FALSE(is_one(70, 109));
  // Without height: where it lies within the other.
  EXPECT_TRUE(is_one(110, 110));
  EXPECT_FALSE(is_one(130, 130));
}

// Boxes may overlap by 0.3 of the narrower one's width or 0.35 of the higher
// one's height, whichever is more.
TEST(GroupRows, BoxesAboveEachOther_AreNoRow) {
  const auto is_one = [](double left, double width) {
    return RowsOf({{0, 0, 200, 100, 120}, {0, left, left + width, 100, 120}})
               .size() == 1;
  };
  EXPECT_TRUE(is_one(171, 100));
  EXPECT_FALSE(is_one(169, 100));
  EXPECT_TRUE(is_one(193.1, 10));
  EXPECT_FALSE(is_one(192.9, 10));
  EXPECT_FALSE(is_one(50, 100));
}

// The nearest box decides, so that a tilted row stays one.
TEST(GroupRows, TiltedRow_IsOne) {
  std::vector<UprightBox> boxes;
  std::vector<size_t> row;
  for (size_t i = 0; i < 12; ++i) {
    const auto x = static_cast<double>(i);
    boxes.push_back({0, 100 * x, 100 * x + 90, 8 * x, 8 * x + 20});
    row.push_back(i);
  }
  EXPECT_EQ(RowsOf(boxes), Rows{row});
}

// A box joins the one of two rows of which it shares more.
TEST(GroupRows, BoxBesideTwoRows_IsOfTheOneItSharesMoreOf) {
  EXPECT_EQ(RowsOf({{0, 0, 90, 100, 124},
                    {0, 0, 90, 108, 128},
                    {0, 100, 190, 109, 129}}),
            (Rows{{0}, {1, 2}}));
  EXPECT_EQ(RowsOf({{0, 0, 90, 100, 130},
                    {0, 0, 90, 112, 122},
                    {0, 100, 190, 117, 127}}),
            (Rows{{1}, {0, 2}}));
}

TEST(GroupRows, RandomTables_AreTheRowsTheyWereMadeOf) {
  std::mt19937 random(2);
  const auto any = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<UprightBox> boxes;
    Rows expected;
    double top = 0;
    for (int row = 0; row < 100; ++row, top += any(22, 40)) {
      expected.emplace_back();
      for (double x = any(0, 50); x < 600; x += any(8, 300)) {
        const double width = any(5, 200), y = top + any(-1, 1);
        expected.back().push_back(boxes.size());
        boxes.push_back({boxes.size(), x, x + width, y, y + any(17, 20)});
        x += width;
      }
    }
    std::vector<UprightBox> sorted = boxes;
    std::sort(sorted.begin(), sorted.end(), IsAbove);
    const std::vector<Row> rows = GroupRows(sorted);
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<size_t> numbers;
      double least = 1e9, most = -1e9, left = 1e9, right = -1e9, sum = 0;
      for (const UprightBox& box : rows[i].boxes) {
        numbers.push_back(box.index);
        least = std::min(least, box.top);
        most = std::max(most, box.bottom);
        left = std::min(left, box.left);
        right = std::max(right, box.right);
        sum += (box.top + box.bottom) / 2;
      }
      ASSERT_EQ(numbers, expected[i]);
      EXPECT_EQ(rows[i].top, least);
      EXPECT_EQ(rows[i].bottom, most);
      EXPECT_EQ(rows[i].left, left);
      EXPECT_EQ(rows[i].right, right);
      EXPECT_NEAR(rows[i].middle, sum / static_cast<double>(numbers.size()),
                  1e-9);
    }
  }
}

}  // namespace
}  // namespace munja::document
