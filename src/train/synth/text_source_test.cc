#include "train/synth/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/sanitizers.h"
#include "text/utf8.h"
#include "train/synth/testing.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

Result<TextSource> Open(const char* json, const Alphabet& alphabet) {
  const Json section = Json::parse(json);
  return TextSource::Open(&section, test_files::Write("recipe.json", "{}"),
                          alphabet);
}

std::string Failure(const char* json) {
  const Alphabet ascii = test_files::Ascii();
  const auto source = Open(json, ascii);
  return source.ok() ? "" : std::string(source.status().message());
}

TEST(TextSource, UsersOwnLines) {
  const Alphabet ascii = test_files::Ascii();
  test_files::Write("labels.txt", "LOT 1\nEXP 2\n");
  const auto source =
      Open(R"({"sources": [{"lines": ["labels.txt"]}]})", ascii);
  ASSERT_TRUE(source.ok()) << source.status().message();
  std::set<std::u32string> seen;
  Random random(1);
  for (int i = 0; i < 50; ++i) seen.insert(source->Make(random));
  EXPECT_EQ(seen, (std::set<std::u32string>{U"LOT 1", U"EXP 2"}));
}

TEST(TextSource, CharactersOfRangesThatTheAlphabetHas) {
  const Alphabet alphabet = test_files::MakeAlphabet("abc123가");
  const auto source = Open(
      R"({"sources": [{"characters": ["b-z", "1", "가"], "count": [1, 5]}]})",
      alphabet);
  ASSERT_TRUE(source.ok()) << source.status().message();
  std::set<char32_t> seen;
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const std::u32string text = source->Make(random);
    EXPECT_LE(text.size(), 10u);
    seen.insert(text.begin(), text.end());
  }
  seen.erase(U' ');
  EXPECT_EQ(seen, (std::set<char32_t>{U'b', U'c', U'1', U'가'}));
}

TEST(TextSource, SaysWhatIsWrong) {
  EXPECT_THAT(Failure(R"({"sources": []})"), HasSubstr("text.sources"));
  EXPECT_THAT(Failure(R"({"sources": [{"rule": "none"}]})"),
              HasSubstr("text.sources[0].rule"));
  EXPECT_THAT(Failure(R"({"sources": [{"rule": "a", "lines": ["x"]}]})"),
              HasSubstr("text.sources[0]"));
  EXPECT_THAT(Failure(R"({"sources": [{"wrods": "x"}]})"), HasSubstr("wrods"));
  EXPECT_THAT(Failure(R"({"sources": [{"characters": ["abc"]}]})"),
              HasSubstr("characters"));
  EXPECT_THAT(Failure(R"({"sources": [{"characters": ["é"]}]})"),
              HasSubstr("of the alphabet"));
  EXPECT_THAT(Failure(R"({"sources": [{"prose": ["/none/such"]}]})"),
              HasSubstr("missing"));
  EXPECT_THAT(Failure(R"({"sources": [{"lines": ["none.txt"]}]})"),
              HasSubstr("none.txt"));
  EXPECT_THAT(
      Failure(R"({"grammars": ["none.txt"], "sources": [{"rule": "x"}]})"),
      HasSubstr("none.txt"));
}

TEST(TextSource, MissingFilesLeaveTheOtherSources) {
  const Alphabet ascii = test_files::Ascii();
  const auto source = Open(
      R"({"sources": [{"prose": ["/none/such"], "weight": 9}, {"characters": ["x"]}]})",
      ascii);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_THAT(source->missing(), ::testing::ElementsAre("/none/such"));
  Random random(1);
  EXPECT_EQ(source->Make(random).front(), U'x');
}

class RecipeText : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, RecipeText,
                         ::testing::Values("latin", "default", "tiny"));

// Word lists may be missing on this machine; the grammars are there.
TEST_P(RecipeText, IsSpelledByTheAlphabetAndShortEnough) {
  const std::string name = GetParam(),
                    path = test_files::Recipe(name + ".json");
  if (kSanitized && name == "latin") GTEST_SKIP() << "the lists of 'default'";
  const auto recipe = ReadRecipe(path);
  ASSERT_TRUE(recipe.ok());
  const auto alphabet =
      Alphabet::Read(test_files::Recipe(name + "-alphabet.txt"));
  ASSERT_TRUE(alphabet.ok());
  const auto source =
      TextSource::Open(FindSection(*recipe, "text"), path, *alphabet);
  ASSERT_TRUE(source.ok()) << source.status().message();
  Random random(3);
  std::set<std::u32string> seen;
  for (int i = 0; i < FewerIfSanitized(5000); ++i) {
    const std::u32string text = source->Make(random);
    ASSERT_TRUE(alphabet->Spells(text)) << text::EncodeUtf8(text);
    ASSERT_GE(text.size(), 1u);
    ASSERT_LE(text.size(), source->longest());
    ASSERT_NE(text.front(), U' ');
    ASSERT_NE(text.back(), U' ');
    ASSERT_EQ(text.find(U"  "), std::u32string::npos) << text::EncodeUtf8(text);
    seen.insert(text);
  }
  EXPECT_GT(static_cast<int>(seen.size()), FewerIfSanitized(3000));
}

// A character that never comes up is never learned.
TEST_P(RecipeText, HasEveryCharacterOfTheAlphabet) {
  if (kSanitized) GTEST_SKIP() << "takes 200000 lines";
  const std::string name = GetParam(),
                    path = test_files::Recipe(name + ".json");
  const auto recipe = ReadRecipe(path);
  ASSERT_TRUE(recipe.ok());
  const auto alphabet =
      Alphabet::Read(test_files::Recipe(name + "-alphabet.txt"));
  ASSERT_TRUE(alphabet.ok());
  const auto source =
      TextSource::Open(FindSection(*recipe, "text"), path, *alphabet);
  ASSERT_TRUE(source.ok());
  Random random(4);
  std::set<char32_t> seen;
  // Random strings alone bring every character at least 15 times on average:
  // e^-15 is the chance that one is missed.
  for (int i = 0; i < 200000; ++i) {
    const std::u32string text = source->Make(random);
    seen.insert(text.begin(), text.end());
  }
  for (const char32_t c : alphabet->characters())
    EXPECT_TRUE(seen.contains(c)) << text::EncodeUtf8(std::u32string(1, c));
}

}  // namespace
}  // namespace munja::train
