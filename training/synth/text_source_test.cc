#include "synth/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "synth/testing.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

Result<TextSource> Open(const char* json, const Alphabet& alphabet) {
  const Json section = Json::parse(json);
  return TextSource::Open(&section, test_files::Write("recipe.json", "{}"),
                          alphabet);
}

std::string TextSourceFailure(const char* json) {
  const Alphabet ascii = test_files::Ascii();
  const auto source = Open(json, ascii);
  return source.ok() ? "" : std::string(source.status().message());
}

TEST(TextSource, UsersOwnLines_AreUsed) {
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

TEST(TextSource, RandomCharacters_AreOfTheAlphabet) {
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

TEST(TextSource, Mistakes_AreNamed) {
  EXPECT_THAT(TextSourceFailure(R"({"sources": []})"),
              HasSubstr("text.sources"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"rule": "none"}]})"),
              HasSubstr("text.sources[0].rule"));
  EXPECT_THAT(
      TextSourceFailure(R"({"sources": [{"rule": "a", "lines": ["x"]}]})"),
      HasSubstr("text.sources[0]"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"wrods": "x"}]})"),
              HasSubstr("wrods"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"characters": ["abc"]}]})"),
              HasSubstr("characters"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"characters": ["é"]}]})"),
              HasSubstr("of the alphabet"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"prose": ["/none/such"]}]})"),
              HasSubstr("missing"));
  EXPECT_THAT(TextSourceFailure(R"({"sources": [{"lines": ["none.txt"]}]})"),
              HasSubstr("none.txt"));
  EXPECT_THAT(TextSourceFailure(
                  R"({"grammars": ["none.txt"], "sources": [{"rule": "x"}]})"),
              HasSubstr("none.txt"));
}

TEST(TextSource, MissingFiles_LeaveTheOtherSources) {
  const Alphabet ascii = test_files::Ascii();
  const auto source = Open(
      R"({"sources": [{"prose": ["/none/such"], "weight": 9}, {"characters": ["x"]}]})",
      ascii);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_THAT(source->missing(), ::testing::ElementsAre("/none/such"));
  Random random(1);
  EXPECT_EQ(source->Make(random).front(), U'x');
}

}  // namespace
}  // namespace munja::train
