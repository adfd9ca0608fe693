#include "train/page_feeder.h"

#include <gtest/gtest.h>

#include <vector>

namespace munja::train {
namespace {

// White with one black bar, which is the text.
Result<PageSample> BarPage(uint64_t index) {
  PageSample page;
  MUNJA_ASSIGN_OR_RETURN(page.picture, image::Image::Create(160, 160));
  const int top = 40 + static_cast<int>(index % 60);
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 160; ++x) {
      const bool ink = y >= top && y < top + 24 && x >= 20 && x < 140;
      for (int c = 0; c < 3; ++c)
        page.picture.row(y)[3 * x + c] = ink ? 0 : 255;
    }
  const auto t = static_cast<float>(top);
  page.lines.push_back(
      {{{20, t}, {140, t}, {140, t + 24}, {20, t + 24}}, "bar", false});
  return page;
}

PageFeedSettings PageSettings() {
  PageFeedSettings s;
  s.pages = 2;
  s.crops_per_page = 2;
  s.crop.side = 96;
  return s;
}

TEST(PageFeederTest, Batches_DependOnTheirNumberOnly) {
  PageFeeder one(BarPage, PageSettings(), 7, 1, 0);
  PageFeeder three(BarPage, PageSettings(), 7, 3, 0);
  PageFeeder late(BarPage, PageSettings(), 7, 2, 4);
  for (int i = 0; i < 6; ++i) {
    auto a = one.Next(), b = three.Next();
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_TRUE(a->pixels == b->pixels && a->text == b->text);
    if (i < 4) continue;
    auto c = late.Next();
    ASSERT_TRUE(c.ok());
    EXPECT_TRUE(a->pixels == c->pixels && a->threshold == c->threshold);
  }
  EXPECT_EQ(late.position(), 6u);
}

TEST(PageFeederTest, Maps_FollowThePixelsThroughEveryTurn) {
  PageFeedSettings settings = PageSettings();
  settings.crop.turn = 45;
  settings.crop.invert = 0;
  PageFeeder feeder(BarPage, settings, 1, 1, 0);
  size_t text = 0, dark = 0;
  for (int i = 0; i < 10; ++i) {
    auto batch = feeder.Next();
    ASSERT_TRUE(batch.ok());
    for (size_t p = 0; p < batch->text.size(); ++p) {
      if (batch->text[p] == 0) continue;
      ++text;
      // Ink stays darker than mid-gray in most draws of the levels.
      dark += batch->pixels[3 * p] < 0;
    }
  }
  ASSERT_GT(text, 1000u);
  // The text is well inside of the ink, so all of it is dark.
  EXPECT_EQ(dark, text);
}

// The same page as a negative: what is ink is light, what is paper dark.
TEST(PageFeederTest, Pages_AreInvertedWhereTheSettingsSaySo) {
  PageFeedSettings settings = PageSettings();
  settings.crop.contrast = settings.crop.brightness = 0;
  settings.crop.gamma = settings.crop.tint = settings.crop.gray = 0;
  for (const bool invert : {false, true}) {
    SCOPED_TRACE(invert);
    settings.crop.invert = invert ? 1.0f : 0.0f;
    PageFeeder feeder(BarPage, settings, 1, 1, 0);
    size_t text = 0, light = 0;
    for (int i = 0; i < 10; ++i) {
      auto batch = feeder.Next();
      ASSERT_TRUE(batch.ok());
      for (size_t p = 0; p < batch->text.size(); ++p) {
        if (batch->text[p] == 0) continue;
        ++text;
        light += batch->pixels[3 * p] > 0;
      }
    }
    ASSERT_GT(text, 1000u);
    EXPECT_EQ(light, invert ? text : 0);
  }
}

TEST(PageFeederTest, FailuresOfTheMaker_AreHandedOn) {
  const auto broken = [](uint64_t index) -> Result<PageSample> {
    if (index >= 4) return Internal("no paper");
    return BarPage(index);
  };
  PageFeeder feeder(broken, PageSettings(), 1, 2, 0);
  EXPECT_TRUE(feeder.Next().ok());
  EXPECT_TRUE(feeder.Next().ok());
  EXPECT_EQ(feeder.Next().status().message(), "page 4: no paper");
}

}  // namespace
}  // namespace munja::train
