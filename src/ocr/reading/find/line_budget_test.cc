#include "reading/find/line_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::ocr {
namespace {

TextBox Box(float left, float top, float width, float height, float score) {
  return {{{{left, top},
            {left + width, top},
            {left + width, top + height},
            {left, top + height}}},
          score};
}

TEST(LineBudget, APageFullOfSmallPrint_IsReadWhole) {
  const RecognizerConfig config;
  std::vector<TextBox> boxes;
  for (int i = 0; i < 96; ++i)
    boxes.push_back(Box(0, static_cast<float>(10 * i), 640, 8, 0.5f));
  EXPECT_EQ(KeepColumns(MaxColumns(640, 960, config), config, &boxes), 0u);
  EXPECT_EQ(boxes.size(), 96u);
}

TEST(LineBudget, TooManyLines_LoseTheWeakest) {
  RecognizerConfig config;
  config.height = 48;
  // Each box gives 4800 columns; together far more than the page can hold.
  std::vector<TextBox> boxes;
  for (int i = 0; i < 1000; ++i)
    boxes.push_back(
        Box(0, static_cast<float>(i % 900), 600, 6, i % 2 == 0 ? 0.9f : 0.6f));
  const int64_t most = MaxColumns(640, 960, config);
  EXPECT_EQ(most, 640 * 960 * 48 / 80);
  EXPECT_EQ(KeepColumns(most, config, &boxes),
            1000u - static_cast<size_t>(most) / 4800);
  ASSERT_EQ(boxes.size(), 76u);
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_EQ(boxes[i].score, 0.9f);
    EXPECT_EQ(boxes[i].quad[0].y, static_cast<float>(2 * i));  // In order.
  }
}

TEST(LineBudget, ALine_IsAlwaysRead) {
  const RecognizerConfig config;
  std::vector<TextBox> boxes = {Box(0, 0, 60000, 1, 0.1f)};
  EXPECT_EQ(KeepColumns(10, config, &boxes), 0u);
  EXPECT_EQ(boxes.size(), 1u);
}

}  // namespace
}  // namespace munja::ocr
