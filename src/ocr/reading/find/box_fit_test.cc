#include "reading/find/box_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

struct InkRect {
  float left, top, right, bottom;
};

// A page of one gray with rectangles of another.
class InkPage {
 public:
  InkPage(int width, int height, uint8_t ground) {
    auto page = image::Image::Create(width, height);
    EXPECT_TRUE(page.ok());
    page_ = std::move(page).value();
    for (int y = 0; y < height; ++y)
      std::fill_n(page_.row(y), 3 * width, ground);
  }
  // Pixels whose centers lie in `rect`, turned around `center` by `degrees`.
  void Draw(const InkRect& rect, uint8_t ink, Point center = {},
            double degrees = 0) {
    const double angle = degrees * std::numbers::pi / 180;
    const double c = std::cos(angle), s = std::sin(angle);
    for (int y = 0; y < page_.height(); ++y) {
      for (int x = 0; x < page_.width(); ++x) {
        const double dx = x + 0.5 - center.x, dy = y + 0.5 - center.y;
        const double px = center.x + c * dx + s * dy;
        const double py = center.y + c * dy - s * dx;
        if (px >= rect.left && px < rect.right && py >= rect.top &&
            py < rect.bottom) {
          std::fill_n(page_.row(y) + static_cast<ptrdiff_t>(3) * x, 3, ink);
        }
      }
    }
  }
  image::ImageView view() const { return page_.view(); }

 private:
  image::Image page_;
};

// Ten letters of 8 x 20 pixels with 4 pixels between them, from (100, 100) on:
// ink from there to (216, 120).
constexpr InkRect kInk = {100, 100, 216, 120};
std::vector<InkRect> RowOfLetters() {
  std::vector<InkRect> letters;
  for (int i = 0; i < 10; ++i) {
    const float x = 100.0f + 12.0f * static_cast<float>(i);
    letters.push_back({x, 100, x + 8, 120});
  }
  return letters;
}

InkPage LettersOn(uint8_t ground, uint8_t ink) {
  InkPage page(320, 220, ground);
  for (const InkRect& letter : RowOfLetters()) page.Draw(letter, ink);
  return page;
}

Quad UprightQuad(float left, float top, float right, float bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

Quad TurnedQuad(Quad quad, Point center, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  for (Point& p : quad) {
    const double dx = p.x - center.x, dy = p.y - center.y;
    p = {static_cast<float>(center.x + c * dx - s * dy),
         static_cast<float>(center.y + s * dx + c * dy)};
  }
  return quad;
}

// An outline holds all ink and stands off it by no more than a fifth of its
// height (and a pixel, where the frame is not that of the pixels).
void ExpectAround(const std::optional<Quad>& outline, const InkRect& ink,
                  float rounding = 0) {
  ASSERT_TRUE(outline);
  const float most = 0.2f * (ink.bottom - ink.top) + rounding + 1e-3f;
  const Quad& q = *outline;
  const auto expect = [&](float off) {
    EXPECT_GE(off, -rounding);
    EXPECT_LE(off, most);
  };
  for (const int i : {0, 3}) expect(ink.left - q[i].x);
  for (const int i : {1, 2}) expect(q[i].x - ink.right);
  for (const int i : {0, 1}) expect(ink.top - q[i].y);
  for (const int i : {2, 3}) expect(q[i].y - ink.bottom);
}

TEST(BoxFitter, LooseBoxes_AreDrawnIn) {
  const InkPage page = LettersOn(250, 20);
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(90, 91, 226, 129)),
               kInk);
}

TEST(BoxFitter, LightLettersOnDarkGround_AreInkToo) {
  const InkPage page = LettersOn(30, 220);
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(90, 91, 226, 129)),
               kInk);
}

TEST(BoxFitter, BoxesThatCutInk_Grow) {
  // The tops of all letters, and half of the first and the last one.
  const InkPage page = LettersOn(250, 20);
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(104, 104, 212, 122)),
               kInk);
}

TEST(BoxFitter, AccentsAndCommas_AreOfTheLine) {
  InkPage page = LettersOn(250, 20);
  page.Draw({137, 95, 143, 98}, 20);
  page.Draw({219, 117, 222, 124}, 20);
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(96, 96, 224, 122)),
               {100, 95, 222, 124});
}

TEST(BoxFitter, TheNextLine_IsNot) {
  InkPage page = LettersOn(250, 20);
  for (InkRect letter : RowOfLetters()) {
    for (const float down : {-26.0f, 26.0f}) {
      letter.top = 100 + down;
      letter.bottom = 120 + down;
      page.Draw(letter, 20);
    }
  }
  BoxFitter fitter;
  // Both neighbors stand into the box.
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(90, 92, 226, 128)),
               kInk);
}

TEST(BoxFitter, RulesAndFrames_AreNotInk) {
  InkPage page = LettersOn(250, 20);
  page.Draw({60, 124, 300, 126}, 20);  // Below, wider than is looked at.
  page.Draw({90, 60, 92, 160}, 20);    // A cell's side.
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(92, 93, 224, 128)),
               kInk);
}

TEST(BoxFitter, AFrameAroundTheLine_IsNotItsInk) {
  InkPage page = LettersOn(250, 20);
  page.Draw({93, 94, 223, 95}, 20);
  page.Draw({93, 125, 223, 126}, 20);
  page.Draw({93, 94, 94, 126}, 20);
  page.Draw({222, 94, 223, 126}, 20);
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(91, 92, 225, 128)),
               kInk);
}

TEST(BoxFitter, LettersBeside_AreLeftToOtherBoxes) {
  InkPage page = LettersOn(250, 20);
  page.Draw({232, 100, 240, 120}, 20);  // A word gap away.
  BoxFitter fitter;
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(96, 96, 222, 124)),
               kInk);
}

TEST(BoxFitter, SkewedLines_AreFitAtTheirAngle) {
  for (const double degrees : {-30.0, 7.0, 45.0}) {
    const Point center = {158, 110};
    InkPage page(320, 220, 250);
    for (const InkRect& letter : RowOfLetters())
      page.Draw(letter, 20, center, degrees);
    BoxFitter fitter;
    const auto outline = fitter.FitToInk(
        page.view(),
        TurnedQuad(UprightQuad(90, 91, 226, 129), center, degrees));
    ASSERT_TRUE(outline) << degrees;
    // A pixel's center may lie half its diagonal off what it stands for.
    ExpectAround(TurnedQuad(*outline, center, -degrees), kInk, 1.0f);
  }
}

TEST(BoxFitter, Corners_StayInTheirOrder) {
  // The same line on end, its corners as they come from a tall rectangle, and
  // upside down.
  const Point center = {158, 110};
  for (const double degrees : {90.0, 180.0, 270.0}) {
    InkPage page(320, 220, 250);
    for (const InkRect& letter : RowOfLetters())
      page.Draw(letter, 20, center, degrees);
    const Quad box = TurnedQuad(UprightQuad(90, 91, 226, 129), center, degrees);
    for (int start = 0; start < 4; ++start) {
      Quad quad = box;
      std::rotate(quad.begin(), quad.begin() + start, quad.end());
      BoxFitter fitter;
      auto outline = fitter.FitToInk(page.view(), quad);
      ASSERT_TRUE(outline);
      std::rotate(outline->begin(), outline->begin() + (4 - start) % 4,
                  outline->end());
      ExpectAround(TurnedQuad(*outline, center, -degrees), kInk, 0.01f);
    }
  }
}

TEST(BoxFitter, ADash_KeepsItsHeight) {
  InkPage page(320, 220, 250);
  page.Draw({100, 108, 120, 112}, 20);
  BoxFitter fitter;
  const auto outline =
      fitter.FitToInk(page.view(), UprightQuad(96, 98, 124, 122));
  ASSERT_TRUE(outline);
  EXPECT_EQ((*outline)[0].y, 98);
  EXPECT_EQ((*outline)[2].y, 122);
}

TEST(BoxFitter, WithoutContrast_ThereIsNoInk) {
  const InkPage page = LettersOn(128, 120);
  BoxFitter fitter;
  EXPECT_FALSE(fitter.FitToInk(page.view(), UprightQuad(90, 91, 226, 129)));
}

TEST(BoxFitter, BoxesAtTheRim_StayInsideThePage) {
  InkPage page(60, 24, 250);
  page.Draw({0, 0, 10, 24}, 20);
  page.Draw({20, 0, 30, 24}, 20);
  page.Draw({50, 0, 60, 24}, 20);
  BoxFitter fitter;
  const auto outline = fitter.FitToInk(page.view(), UprightQuad(0, 0, 60, 24));
  for (const Point& p : outline.value_or(UprightQuad(0, 0, 60, 24))) {
    EXPECT_GE(p.x, 0);
    EXPECT_LE(p.x, 60);
    EXPECT_GE(p.y, 0);
    EXPECT_LE(p.y, 24);
  }
}

TEST(BoxFitter, BoxesWithoutExtent_AreLeftUnchanged) {
  const InkPage page = LettersOn(250, 20);
  BoxFitter fitter;
  EXPECT_FALSE(fitter.FitToInk(page.view(), UprightQuad(100, 100, 100, 100)));
  EXPECT_FALSE(fitter.FitToInk(page.view(), UprightQuad(100, 100, 200, 100)));
}

TEST(BoxFitter, LargePrint_IsFitToAFewHundredthsOfItsHeight) {
  InkPage page(1500, 500, 250);
  for (int i = 0; i < 4; ++i) {
    const float x = 100.0f + 300.0f * static_cast<float>(i);
    page.Draw({x, 100, x + 200, 400}, 20);
  }
  BoxFitter fitter;
  // Samples are 9 pixels apart.
  ExpectAround(fitter.FitToInk(page.view(), UprightQuad(40, 40, 1260, 460)),
               {100, 100, 1200, 400}, 9);
}

}  // namespace
}  // namespace munja::ocr
