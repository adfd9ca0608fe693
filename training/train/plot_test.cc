#include "train/plot.h"

#include <gtest/gtest.h>

#include <array>

#include "base/file.h"
#include "image/decode.h"
#include "train/training_log.h"

namespace munja::train {
namespace {

TEST(PlotTest, Log_BecomesAnImage) {
  const std::string log = testing::TempDir() + "plot_test.jsonl";
  const std::string png = testing::TempDir() + "plot_test.png";
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    const std::string seconds = std::to_string(60 * i);
    text += "{\"step\":1,\"seconds\":" + seconds +
            ",\"loss\":" + std::to_string(10.0 / i) +
            ",\"learning_rate\":0.001}\n";
    text += "{\"step\":1,\"seconds\":" + seconds +
            ",\"set\":\"held-out\",\"accuracy\":" + std::to_string(0.05 * i) +
            "}\n";
  }
  text += "{\"step\":3,\"sec";  // Killed while it wrote.
  ASSERT_TRUE(WriteFile(log, text).ok());
  ASSERT_TRUE(PlotLog(log, png).ok());
  auto picture = image::DecodeFile(png);
  ASSERT_TRUE(picture.ok());
  // The accuracy rises evenly from the lower left to the upper right of the
  // lower half: its color (the first of the palette) is seen at both ends.
  const std::array<uint8_t, 3> color = {31, 119, 180};
  const auto shown = [&](int left, int top, int right, int bottom) {
    for (int y = top; y < bottom; ++y)
      for (int x = left; x < right; ++x) {
        const uint8_t* p = picture->row(y) + 3 * x;
        if (p[0] == color[0] && p[1] == color[1] && p[2] == color[2])
          return true;
      }
    return false;
  };
  const int w = picture->width(), h = picture->height();
  EXPECT_TRUE(shown(w / 10, h * 7 / 8, w / 3, h));
  EXPECT_FALSE(shown(w / 10, h * 5 / 8, w / 3, h * 6 / 8));
  EXPECT_TRUE(shown(w * 8 / 9, h / 2, w, h * 5 / 8));
}

TEST(PlotTest, LogsWithoutCurves_AreRefused) {
  const std::string log = testing::TempDir() + "plot_test_empty.jsonl";
  ASSERT_TRUE(WriteFile(log, std::string_view("{}\n")).ok());
  const Status status = PlotLog(log, testing::TempDir() + "none.png");
  EXPECT_EQ(status.message(),
            log + ": the log holds neither losses nor figures");
  ASSERT_TRUE(WriteFile(log, std::string_view("{}\nnoise\n{}\n")).ok());
  EXPECT_EQ(ReadTrainingLog(log).status().message(),
            log + ": line 2 is not a JSON object");
}

}  // namespace
}  // namespace munja::train
