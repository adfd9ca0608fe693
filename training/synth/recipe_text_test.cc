// Tests of what the texts of the recipes promise. A source is opened once for
// all of them: that reads half a million words and more, and takes seconds.
#include <gtest/gtest.h>

#include <set>

#include "base/sanitizers.h"
#include "synth/recipe.h"
#include "synth/source_text.h"
#include "synth/testing.h"
#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

void ExpectTidy(const std::u32string& text, const Alphabet& alphabet) {
  ASSERT_FALSE(text.empty());
  EXPECT_TRUE(alphabet.Spells(text)) << text::EncodeUtf8(text);
  EXPECT_NE(text.front(), U' ');
  EXPECT_NE(text.back(), U' ');
  EXPECT_EQ(text.find(U"  "), std::u32string::npos) << text::EncodeUtf8(text);
}

void ExpectLines(const TextSource& source, const Alphabet& alphabet) {
  Random random(3);
  std::set<std::u32string> seen;
  for (int i = 0; i < FewerIfSanitized(5000); ++i) {
    const std::u32string text = source.Make(random);
    ExpectTidy(text, alphabet);
    ASSERT_FALSE(testing::Test::HasFailure());
    ASSERT_LE(text.size(), source.longest());
    seen.insert(text);
  }
  EXPECT_GT(static_cast<int>(seen.size()), FewerIfSanitized(3000));
}

// A character that never comes up is never learned.
void ExpectEveryCharacter(const TextSource& source, const Alphabet& alphabet) {
  Random random(4);
  std::set<char32_t> seen;
  // Random strings alone bring every character at least 15 times on average:
  // e^-15 is the chance that one is missed. All Korean syllables take more.
  const int lines = alphabet.characters().size() > 10000 ? 1000000 : 200000;
  for (int i = 0; i < lines; ++i) {
    const std::u32string text = source.Make(random);
    seen.insert(text.begin(), text.end());
  }
  for (const char32_t c : alphabet.characters()) {
    if (text::ScriptOfMark(c) != text::Script::kKnown) continue;
    EXPECT_TRUE(seen.contains(c)) << text::EncodeUtf8(std::u32string(1, c));
  }
}

void ExpectTextOfPages(const TextSource& source, const Alphabet& alphabet) {
  const FontSet fonts;
  const SourceText text(alphabet, fonts, source);
  Random random(5);
  for (int i = 0; i < FewerIfSanitized(300); ++i) {
    const int language = text.PickLanguage(random);
    const std::u32string running = text.Running(random, language, 200);
    ExpectTidy(running, alphabet);
    EXPECT_GE(running.size(), 150u);  // Cut at a word.
    EXPECT_LE(running.size(), 240u);
    const std::u32string phrase = text.Phrase(random, language, 4, 12);
    ExpectTidy(phrase, alphabet);
    EXPECT_LE(phrase.size(), 12u);
    ExpectTidy(text.Amount(random, language), alphabet);
    const std::u32string entry =
        text.Entry(random, language, 16,
                   i % 2 == 0 ? Scenery::kReceipt : Scenery::kDocument);
    ExpectTidy(entry, alphabet);
    EXPECT_LE(entry.size(), 16u);
  }
}

class RecipeText : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, RecipeText,
                         ::testing::Values("latin", "default", "tiny"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

// Word lists may be missing on this machine; the grammars are there.
TEST_P(RecipeText, Promises_AreKept) {
  const std::string name = GetParam(),
                    path = test_files::Recipe(name + ".json");
  if (kSanitized && name == "latin") GTEST_SKIP() << "the lists of 'default'";
  const auto recipe = ReadRecipe(path);
  ASSERT_TRUE(recipe.ok()) << recipe.status().message();
  const auto alphabet = Alphabet::OfRecipe(*recipe, path);
  ASSERT_TRUE(alphabet.ok());
  const auto source =
      TextSource::Open(FindSection(*recipe, "text"), path, *alphabet);
  ASSERT_TRUE(source.ok()) << source.status().message();
  ExpectLines(*source, *alphabet);
  ExpectTextOfPages(*source, *alphabet);
  if (!kSanitized) ExpectEveryCharacter(*source, *alphabet);
}

}  // namespace
}  // namespace munja::train
