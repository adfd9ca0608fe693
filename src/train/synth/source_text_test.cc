#include "train/synth/source_text.h"

#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "train/synth/recipe.h"

namespace munja::train {
namespace {

class SourceTextTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SourceTextTest, KeepsItsPromises) {
  const std::string path =
      std::string(MUNJA_SOURCE_DIR "/models/recipes/") + GetParam() + ".json";
  if (kSanitized && GetParam() == std::string("latin"))
    GTEST_SKIP() << "the lists of 'default'";
  const auto recipe = ReadRecipe(path);
  ASSERT_TRUE(recipe.ok()) << recipe.status().message();
  const auto alphabet = Alphabet::Read(
      BesideRecipe(path, FindSection(*recipe, "alphabet")->get<std::string>()));
  ASSERT_TRUE(alphabet.ok());
  const auto source =
      TextSource::Open(FindSection(*recipe, "text"), path, *alphabet);
  ASSERT_TRUE(source.ok()) << source.status().message();
  const FontSet fonts;
  const SourceText text(*alphabet, fonts, *source);
  Random random(5);
  const auto check = [&](const std::u32string& made) {
    ASSERT_FALSE(made.empty());
    EXPECT_TRUE(alphabet->Spells(made));
    EXPECT_NE(made.front(), U' ');
    EXPECT_NE(made.back(), U' ');
    EXPECT_EQ(made.find(U"  "), std::u32string::npos);
  };
  for (int i = 0; i < FewerIfSanitized(300); ++i) {
    const int language = text.PickLanguage(random);
    const std::u32string running = text.Running(random, language, 200);
    check(running);
    EXPECT_GE(running.size(), 150u);  // Cut at a word.
    EXPECT_LE(running.size(), 240u);
    const std::u32string phrase = text.Phrase(random, language, 4, 12);
    check(phrase);
    EXPECT_LE(phrase.size(), 12u);
    check(text.Amount(random, language));
    const std::u32string entry =
        text.Entry(random, language, 16,
                   i % 2 == 0 ? Scenery::kReceipt : Scenery::kDocument);
    check(entry);
    EXPECT_LE(entry.size(), 16u);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, SourceTextTest,
                         ::testing::Values("tiny", "latin", "default"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

}  // namespace
}  // namespace munja::train
