#include "synth/page_builder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "image/homography.h"
#include "synth/recipe.h"
#include "synth/source_text.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

const std::string kRecipe = MUNJA_SOURCE_DIR "/training/recipes/tiny.json";

// Digits and capitals in three fonts.
struct Fixture {
  Alphabet alphabet;
  FontSet fonts;
  TextSource source;
  std::unique_ptr<SourceText> text;
  std::unique_ptr<Typesetter> typesetter;
  PageRecipe recipe;
  Random random{1};

  static std::unique_ptr<Fixture> Open() {
    auto w = std::make_unique<Fixture>();
    const auto json = ReadRecipe(kRecipe);
    if (!json.ok()) return nullptr;
    auto alphabet = Alphabet::Read(BesideRecipe(kRecipe, "tiny-alphabet.txt"));
    if (!alphabet.ok()) return nullptr;
    w->alphabet = std::move(alphabet).value();
    auto fonts = FontSet::Open(FindSection(*json, "fonts"), w->alphabet);
    if (!fonts.ok()) return nullptr;
    w->fonts = std::move(fonts).value();
    auto source =
        TextSource::Open(FindSection(*json, "text"), kRecipe, w->alphabet);
    if (!source.ok()) return nullptr;
    w->source = std::move(source).value();
    w->text = std::make_unique<SourceText>(w->alphabet, w->fonts, w->source);
    auto typesetter = Typesetter::Create(w->fonts);
    if (!typesetter.ok()) return nullptr;
    w->typesetter = std::move(typesetter).value();
    return w;
  }
};

class PageBuilderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fixture_ = Fixture::Open();
    if (fixture_ == nullptr) GTEST_SKIP() << "no fonts on this machine";
    canvas_ =
        std::make_unique<Canvas>(std::move(Canvas::Create(300, 200)).value());
    canvas_->Clear({255, 255, 255});
    page_ = std::make_unique<PageBuilder>(*canvas_, fixture_->random,
                                          fixture_->recipe, *fixture_->text,
                                          *fixture_->typesetter);
    look_.font = page_->PickFont(U"HELLO 123", Scenery::kDocument);
    look_.type.size = 24;
  }

  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<Canvas> canvas_;
  std::unique_ptr<PageBuilder> page_;
  TextLook look_;
};

TEST_F(PageBuilderTest, Outlines_FollowThePerspectiveExactly) {
  const std::array<std::array<float, 2>, 4> corners = {
      {{20, 30}, {280, 10}, {250, 180}, {40, 150}}};
  page_->map =
      PageMap(200, 100,
              {Point{20, 30}, Point{280, 10}, Point{250, 180}, Point{40, 150}});
  const auto line = page_->Set(U"HELLO 123", look_);
  ASSERT_TRUE(line.has_value());
  page_->Draw(*line, U"HELLO 123", look_, {.origin = {30, 60}});
  ASSERT_EQ(page_->lines().size(), 1u);
  const geometry::Polygon& outline = page_->lines()[0].outline;
  ASSERT_EQ(outline.size(), 4u);
  const auto homography = image::QuadToRectangle(corners, 200, 100);
  ASSERT_TRUE(homography.ok());
  const std::array<double, 9>& m = homography->m;
  const float pad = 0.08f * line->ink.height();
  const Box ink = line->ink.Inset(-pad);
  const Point flat[] = {{ink.left, ink.top},
                        {ink.right, ink.top},
                        {ink.right, ink.bottom},
                        {ink.left, ink.bottom}};
  for (size_t i = 0; i < 4; ++i) {
    const double x = flat[i].x + 30, y = flat[i].y + 60,
                 w = m[6] * x + m[7] * y + m[8];
    // Single against double precision.
    EXPECT_NEAR(outline[i].x, (m[0] * x + m[1] * y + m[2]) / w, 0.01);
    EXPECT_NEAR(outline[i].y, (m[3] * x + m[4] * y + m[5]) / w, 0.01);
  }
  EXPECT_EQ(page_->lines()[0].text, "HELLO 123");
  EXPECT_FALSE(page_->lines()[0].ignore);
}

TEST_F(PageBuilderTest, Lines_AreCutAtTheBorder) {
  const auto line = page_->Set(U"ABCDEFGHIJ", look_);
  ASSERT_TRUE(line.has_value());
  const SetGlyph& e = line->glyphs[4];
  // A to D and a little of E are left of the picture.
  page_->Draw(*line, U"ABCDEFGHIJ", look_,
              {.origin = {-e.x - 0.05f * e.advance, 100}});
  ASSERT_EQ(page_->lines().size(), 1u);
  EXPECT_EQ(page_->lines()[0].text, "EFGHIJ");
  EXPECT_FALSE(page_->lines()[0].ignore);
  for (Point p : page_->lines()[0].outline) EXPECT_GE(p.x, 0);
  // Only the upper third is in the picture, which makes it unreadable.
  page_->Draw(*line, U"ABCDEFGHIJ", look_,
              {.origin = {20, 200 + line->ink.height() * 0.66f}});
  ASSERT_EQ(page_->lines().size(), 2u);
  EXPECT_TRUE(page_->lines()[1].ignore);
  // Far outside: no line at all.
  page_->Draw(*line, U"ABCDEFGHIJ", look_, {.origin = {20, 900}});
  EXPECT_EQ(page_->lines().size(), 2u);
}

TEST_F(PageBuilderTest, InvisibleLines_AreIgnored) {
  page_->FillBox({0, 0, 300, 80}, {.color = {10, 10, 10}});
  EXPECT_GT(page_->Write(U"BLACK 1", look_, {20, 50}), 0);   // Black on black.
  EXPECT_GT(page_->Write(U"WHITE 2", look_, {20, 150}), 0);  // Black on white.
  ASSERT_EQ(page_->lines().size(), 2u);
  EXPECT_TRUE(page_->lines()[0].ignore);
  EXPECT_FALSE(page_->lines()[1].ignore);
  canvas_->Clear({200, 200, 200});  // Fog.
  page_->IgnoreFaint();
  EXPECT_TRUE(page_->lines()[1].ignore);
}

TEST_F(PageBuilderTest, SmallLines_AreIgnored) {
  look_.type.size = 8;  // Capitals of less than 6 pixels.
  EXPECT_GT(page_->Write(U"SMALL", look_, {20, 50}), 0);
  ASSERT_EQ(page_->lines().size(), 1u);
  EXPECT_TRUE(page_->lines()[0].ignore);
}

// The outline of a single stroke is the place of its letter, as people draw it.
TEST_F(PageBuilderTest, Outlines_AreHalfAsWideAsHighAtLeast) {
  look_.type.stretch = 0.25f;  // Fonts of one width put feet below it.
  const auto stroke = page_->Set(U"1", look_);
  ASSERT_TRUE(stroke.has_value());
  ASSERT_LT(stroke->ink.width(), 0.4f * stroke->ink.height());
  const geometry::Polygon outline =
      page_->OutlineOf(*stroke, {.origin = {100, 100}});
  ASSERT_EQ(outline.size(), 4u);
  const float wide = outline[1].x - outline[0].x,
              high = outline[3].y - outline[0].y;
  EXPECT_NEAR(wide, high / 2, 1e-3);
  EXPECT_NEAR((outline[0].x + outline[1].x) / 2,
              100 + (stroke->ink.left + stroke->ink.right) / 2, 1e-3);
}

TEST_F(PageBuilderTest, MarksForOrnament_AreNoLine) {
  const auto row = page_->Set(U"1111", look_);
  ASSERT_TRUE(row.has_value());
  page_->Adorn(*row, look_, {.origin = {100, 100}});
  EXPECT_TRUE(page_->lines().empty());
  const Box ink{100 + row->ink.left, 100 + row->ink.top, 100 + row->ink.right,
                100 + row->ink.bottom};
  EXPECT_LT(page_->Below(ink).r, 240);  // Drawn all the same.
}

TEST_F(PageBuilderTest, CurvedText_HasAnOutlineOfManyPoints) {
  const auto line = page_->Set(U"AROUND THE EDGE", look_);
  ASSERT_TRUE(line.has_value());
  page_->Draw(*line, U"AROUND THE EDGE", look_,
              Placement::Rotated({40, 120}, -0.9f, 0.008f));
  ASSERT_EQ(page_->lines().size(), 1u);
  const size_t n = page_->lines()[0].outline.size();
  EXPECT_GE(n, 8u);
  EXPECT_EQ(n % 2, 0u);
}

TEST_F(PageBuilderTest, Paragraphs_FillTheirColumn) {
  std::u32string text;
  for (int i = 0; i < 30; ++i) text += U"WORD ";
  text.pop_back();
  look_.type.size = 16;
  const float end = page_->WriteParagraph(text, look_,
                                          {.left = 20,
                                           .right = 220,
                                           .top = 10,
                                           .bottom = 190,
                                           .line_height = 20,
                                           .justify = true});
  ASSERT_GT(page_->lines().size(), 4u);
  EXPECT_NEAR(end, 10 + 20 * static_cast<float>(page_->lines().size()), 0.1f);
  std::string joined;
  for (const PageLine& line : page_->lines()) {
    joined += (joined.empty() ? "" : " ") + line.text;
    for (Point p : line.outline) {
      EXPECT_GE(p.x, 20 - 3);  // Padding.
      EXPECT_LE(p.x, 220 + 3);
    }
  }
  const std::string all = text::EncodeUtf8(text);
  EXPECT_EQ(joined, all.substr(0, joined.size()));
  // Justified lines end where the column does; the last may be shorter.
  EXPECT_NEAR(page_->lines()[0].outline[1].x, 220, 4);
}

TEST_F(PageBuilderTest, ReservedPlaces_StayEmpty) {
  page_->KeepOut({100, 50, 200, 150});
  page_->Write(U"LEFT", look_, {10, 100});
  page_->Write(U"RIGHT AND THROUGH", look_, {20, 140});
  ASSERT_EQ(page_->lines().size(), 1u);
  EXPECT_EQ(page_->lines()[0].text, "LEFT");
  page_->KeepOut({});
  page_->Write(U"INSIDE", look_, {110, 110});
  EXPECT_EQ(page_->lines().size(), 2u);
  EXPECT_TRUE(page_->Taken(page_->lines()[1].outline, 0));
  EXPECT_FALSE(page_->Taken({{10, 10}, {50, 10}, {50, 30}, {10, 30}}, 3));
}

TEST_F(PageBuilderTest, Views_FillTheImage) {
  for (int i = 0; i < 200; ++i) {
    const PageMap view = page_->RandomView(400, 300, 0.9f);
    Box bounds{1e9f, 1e9f, -1e9f, -1e9f};
    for (Point corner :
         {Point{0, 0}, Point{400, 0}, Point{400, 300}, Point{0, 300}}) {
      const Point p = view(corner);
      bounds = {std::min(bounds.left, p.x), std::min(bounds.top, p.y),
                std::max(bounds.right, p.x), std::max(bounds.bottom, p.y)};
    }
    // The tighter direction takes the part asked for; all of the page is in the
    // picture.
    EXPECT_NEAR(std::max(bounds.width() / 300, bounds.height() / 200), 0.9f,
                1e-3);
    EXPECT_GE(bounds.left, -0.01f);
    EXPECT_GE(bounds.top, -0.01f);
    EXPECT_LE(bounds.right, 300.01f);
    EXPECT_LE(bounds.bottom, 200.01f);
  }
}

}  // namespace
}  // namespace munja::train
