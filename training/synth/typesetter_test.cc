#include "synth/typesetter.h"

#include <gtest/gtest.h>

#include <thread>

#include "synth/testing.h"

namespace munja::train {
namespace {

class TypesetterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    alphabet_ = test_files::MakeAlphabet("ABbHxgilf가");
    const Json section = Json::parse(
        R"({"groups": [{"files": ["dejavu/DejaVuSansMono.ttf"]}]})");
    auto fonts = FontSet::Open(&section, alphabet_);
    ASSERT_TRUE(fonts.ok()) << fonts.status().message();
    fonts_ = std::move(fonts).value();
  }

  SetLine Set(std::u32string_view text, const TypeStyle& style) {
    auto typesetter = Typesetter::Create(fonts_);
    EXPECT_TRUE(typesetter.ok());
    auto line = (*typesetter)->Set(0, text, style);
    EXPECT_TRUE(line.ok()) << line.status().message();
    return std::move(line).value();
  }

  Alphabet alphabet_;
  FontSet fonts_;
};

// DejaVu Sans Mono: em 2048, every advance 1233, capitals 1493 high (its tables
// hmtx and OS/2).
TEST_F(TypesetterTest, Measures_AreThoseOfTheFont) {
  TypeStyle style;
  style.size = 100;
  const SetLine line = Set(U"HxH", style);
  ASSERT_EQ(line.glyphs.size(), 3u);
  EXPECT_NEAR(line.advance, 3 * 100 * 1233.0f / 2048, 0.01f);
  EXPECT_NEAR(line.glyphs[2].x, 2 * 100 * 1233.0f / 2048, 0.01f);
  EXPECT_NEAR(line.ink.top, -100 * 1493.0f / 2048, 0.1f);
  EXPECT_NEAR(line.ink.bottom, 0, 0.1f);
  EXPECT_EQ(line.glyphs[1].begin, 1u);
}

TEST_F(TypesetterTest, Style_ChangesWhatItSays) {
  TypeStyle plain, wide, spaced, bold, slanted;
  wide.stretch = 1.5f;
  spaced.spacing = 0.25f;
  bold.weight = 3;
  slanted.slant = 0.5f;
  const SetLine line = Set(U"Hb", plain);
  EXPECT_NEAR(Set(U"Hb", wide).advance, 1.5f * line.advance, 0.01f);
  EXPECT_NEAR(Set(U"Hb", spaced).advance, line.advance + 2 * 0.25f * plain.size,
              0.01f);
  // 4.5 % of the em on both sides together.
  EXPECT_NEAR(Set(U"Hb", bold).ink.height(),
              line.ink.height() + 0.045f * plain.size, 0.1f);
  // The top right of the last letter leans by half of its height.
  EXPECT_GT(Set(U"HH", slanted).ink.right,
            Set(U"HH", plain).ink.right + 0.3f * plain.size);
}

TEST_F(TypesetterTest, MissingCharacter_IsRefused) {
  auto typesetter = Typesetter::Create(fonts_);
  ASSERT_TRUE(typesetter.ok());
  EXPECT_EQ((*typesetter)->Set(0, U"A가", {}).status().code(),
            Code::kUnsupported);
  EXPECT_EQ(
      (*typesetter)->Set(0, std::u32string(2000, U'A'), {}).status().code(),
      Code::kInvalidArgument);
  EXPECT_TRUE((*typesetter)->Set(0, U"A B", {}).ok());
}

TEST_F(TypesetterTest, Pool_ServesThreadsWithTheSameResult) {
  TypesetterPool pool(fonts_);
  const SetLine wanted = Set(U"ABbHxg", {});
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (size_t t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto lease = pool.Take();
        if (!lease.ok()) return;
        const auto line = (*lease)->Set(0, U"ABbHxg", {});
        if (line.ok() && line->advance == wanted.advance &&
            line->ink.top == wanted.ink.top)
          ++equal[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int n : equal) EXPECT_EQ(n, 50);
}

}  // namespace
}  // namespace munja::train
