#include "document/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace munja::document {
namespace {

UprightBox Across(double left, double right) { return {0, left, right, 0, 1}; }

// Integers: intervals sorted and joined where less than the gap is left.
TEST(Coverage, Parts_AreJoinedBelowTheGap) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    constexpr int kGap = 3;
    Coverage coverage(kGap);
    std::vector<std::pair<int, int>> all, parts;
    const size_t count = 1 + random() % 12;
    for (size_t i = 0; i < count; ++i) {
      const int left = static_cast<int>(random() % 80);
      const int right = left + static_cast<int>(random() % 12);
      all.emplace_back(left, right);
      coverage.Add(Across(left, right));
    }
    std::sort(all.begin(), all.end());
    for (const auto& [left, right] : all) {
      if (parts.empty() || left - parts.back().second >= kGap)
        parts.emplace_back(left, right);
      else
        parts.back().second = std::max(parts.back().second, right);
    }
    ASSERT_EQ(coverage.parts().size(), parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(coverage.parts()[i].begin, parts[i].first);
      EXPECT_EQ(coverage.parts()[i].end, parts[i].second);
    }
    for (const auto& [left, right] : all) {
      const Interval part = coverage.PartAt(Across(left, right));
      EXPECT_TRUE(part.begin <= left && right <= part.end);
      EXPECT_EQ(std::count(parts.begin(), parts.end(),
                           std::pair(static_cast<int>(part.begin),
                                     static_cast<int>(part.end))),
                1);
    }
    for (int left = -5; left < 90; left += 7) {
      for (int right = left; right < 100; right += 5) {
        size_t reached = 0;
        for (const auto& [begin, end] : parts)
          reached += std::min(end, right) - std::max(begin, left) >= kGap;
        ASSERT_EQ(coverage.PartsReached(Across(left, right)), reached);
      }
    }
  }
}

TEST(Coverage, BoxThatIsInNoPart_IsItsOwn) {
  Coverage coverage(2);
  coverage.Add(Across(0, 10));
  for (const auto& [left, right] :
       {std::pair(11.0, 20.0), {5.0, 10.5}, {-0.5, 5.0}}) {
    EXPECT_EQ(coverage.PartAt(Across(left, right)).begin, left);
    EXPECT_EQ(coverage.PartAt(Across(left, right)).end, right);
  }
  EXPECT_EQ(coverage.PartAt(Across(0, 10)).end, 10);
}

// Numbers of the boxes of each column, of lines of height 20.
class Columns {
 public:
  void Add(double left, double top, double width, double height = 20) {
    boxes_.push_back({boxes_.size(), left, left + width, top, top + height});
  }
  std::vector<std::vector<size_t>> Split() const {
    std::vector<UprightBox> sorted = boxes_;
    std::sort(sorted.begin(), sorted.end(), IsAbove);
    std::vector<std::vector<size_t>> numbers;
    for (const auto& column : SplitColumns(GroupRows(sorted), {}, 20)) {
      numbers.emplace_back();
      for (const UprightBox& box : column) numbers.back().push_back(box.index);
    }
    return numbers;
  }
  size_t Count() const { return Split().size(); }

 private:
  std::vector<UprightBox> boxes_;
};

// Two sides of so many rows each, so long and apart.
size_t CountOfTwo(int rows, double length, double gap) {
  Columns columns;
  for (int row = 0; row < rows; ++row) {
    columns.Add(0, 30 * row, length);
    columns.Add(length + gap, 30 * row, length);
  }
  return columns.Count();
}

TEST(SplitColumns, RunningText_IsLongOrHasManyRows) {
  // Ten times as long as high in three rows, or 6.5 times in six.
  EXPECT_EQ(CountOfTwo(3, 200, 40), 2u);
  EXPECT_EQ(CountOfTwo(2, 200, 40), 1u);
  EXPECT_EQ(CountOfTwo(3, 199, 40), 1u);
  EXPECT_EQ(CountOfTwo(6, 130, 40), 2u);
  EXPECT_EQ(CountOfTwo(5, 130, 40), 1u);
  EXPECT_EQ(CountOfTwo(6, 129, 40), 1u);
  // Columns are 0.6 of a line's height apart at least.
  EXPECT_EQ(CountOfTwo(6, 200, 12), 2u);
  EXPECT_EQ(CountOfTwo(6, 200, 11.9), 1u);
}

// At least 0.6 of the rows of running text fill 0.8 of their column.
TEST(SplitColumns, RaggedColumns_AreNotRunningText) {
  const auto count = [](int short_rows, double length) {
    Columns columns;
    for (int row = 0; row < 10; ++row) {
      columns.Add(0, 30 * row, row < short_rows ? length : 300);
      columns.Add(350, 30 * row, 300);
    }
    return columns.Count();
  };
  EXPECT_EQ(count(4, 210), 2u);
  EXPECT_EQ(count(5, 210), 1u);
  EXPECT_EQ(count(5, 240), 2u);
  EXPECT_EQ(count(5, 239), 1u);
}

// Short lines whose rows do not fit together are columns, too, from five lines
// on of which less than half are level.
TEST(SplitColumns, RowsThatAreNotLevel_AreColumns) {
  const auto count = [](std::vector<double> left, std::vector<double> right) {
    Columns columns;
    for (const double top : left) columns.Add(0, top, 60);
    for (const double top : right) columns.Add(100, top, 60);
    return columns.Count();
  };
  EXPECT_EQ(count({0, 30, 60}, {0, 30, 60}), 1u);
  EXPECT_EQ(count({0, 34, 68}, {0, 43, 83}), 2u);
  EXPECT_EQ(count({0, 34}, {10, 50}), 1u);
  EXPECT_EQ(count({0, 34, 68}, {14, 53}), 2u);
}

// Rows that are a third of their height higher on one side are level where one
// side has amounts, and not where both have text.
TEST(SplitColumns, SlantedRows_AreLevelBesideAmounts) {
  const auto count = [](double left, double right) {
    Columns columns;
    for (int row = 0; row < 4; ++row) {
      columns.Add(0, 30 * row, left);
      columns.Add(200, 30 * row + 6, right);
    }
    return columns.Count();
  };
  EXPECT_EQ(count(160, 160), 2u);
  EXPECT_EQ(count(160, 60), 1u);
  EXPECT_EQ(count(60, 160), 1u);
  EXPECT_EQ(count(160, 100), 1u);
  EXPECT_EQ(count(160, 101), 2u);
}

TEST(SplitColumns, TallBox_StandsBesideLines) {
  const auto count = [](double height, int lines) {
    Columns columns;
    columns.Add(0, 0, 30, height);
    for (int i = 0; i < lines; ++i) columns.Add(60, 22 * i, 100);
    return columns.Count();
  };
  EXPECT_EQ(count(42, 2), 2u);
  EXPECT_EQ(count(36, 2), 2u);
  EXPECT_EQ(count(35, 2), 1u);
  EXPECT_EQ(count(42, 1), 1u);
}

TEST(SplitColumns, Columns_AreFromLeftToRightAndDownwards) {
  Columns columns;
  for (int row = 0; row < 4; ++row)
    for (int column = 2; column >= 0; --column)
      columns.Add(250.0 * column, 30 * row, 220);
  const std::vector<std::vector<size_t>> want = {
      {2, 5, 8, 11}, {1, 4, 7, 10}, {0, 3, 6, 9}};
  EXPECT_EQ(columns.Split(), want);
}

}  // namespace
}  // namespace munja::document
