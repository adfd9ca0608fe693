#include "text/unreadable.h"

#include <gtest/gtest.h>

#include <string>

#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::text {
namespace {

std::u32string Marked(std::u32string_view text) {
  // A reader of ASCII, Hangul and two Greek signs of mathematics.
  return MarkUnreadable(text, [](char32_t c) {
    return c < 0x80 || (c >= U'가' && c <= U'힣') || c == U'α' || c == U'π';
  });
}

std::u32string Mark(Script script) { return std::u32string(1, MarkOf(script)); }

TEST(Unreadable, RunOfOneScript_IsOneMark) {
  EXPECT_EQ(Marked(U"대동법(大同法)은"),
            U"대동법(" + Mark(Script::kCjk) + U")은");
  EXPECT_EQ(Marked(U"Привет, мир 7"),
            Mark(Script::kCyrillic) + U", " + Mark(Script::kCyrillic) + U" 7");
  EXPECT_EQ(Marked(U"東京タワー"), Mark(Script::kCjk));
  EXPECT_EQ(Marked(U"שלום"), Mark(Script::kHebrew));
  EXPECT_EQ(Marked(U"ภาษาไทย"), Mark(Script::kOther));
  EXPECT_EQ(Marked(U"мирשלום"),
            Mark(Script::kCyrillic) + Mark(Script::kHebrew));
}

TEST(Unreadable, TextToBeRead_HasReplacementCharacters) {
  EXPECT_EQ(
      ReplaceUnreadable(U"법(大同) мир",
                        [](char32_t c) { return c == U'법' || c < 0x80; }),
      "법(\uFFFD) \uFFFD");
}

TEST(Unreadable, ReadableText_StaysAsItIs) {
  EXPECT_EQ(Marked(U"Total 12.50 합계"), U"Total 12.50 합계");
  EXPECT_EQ(Marked(U""), U"");
  // A sign that the reader does not know is of no script.
  EXPECT_EQ(Marked(U"a ☂ b"), U"a ☂ b");
}

TEST(Unreadable, GreekSignsOfMathematics_AreReadAndWordsAreNot) {
  EXPECT_EQ(Marked(U"2πr + α"), U"2πr + α");
  EXPECT_EQ(Marked(U"παρα"), Mark(Script::kGreek));
}

TEST(Unreadable, Mark_StandsAsReplacementCharacterInTexts) {
  std::string lines = "a\n";
  AppendUtf8(MarkOf(Script::kCyrillic), lines);
  lines += "\n";
  const Dictionary dictionary = Dictionary::Parse(lines, true).value();
  EXPECT_EQ(dictionary.TextOf(1), "a");
  EXPECT_EQ(dictionary.TextOf(2), "\uFFFD");
  EXPECT_EQ(dictionary.TextOf(0), "");
  const CtcStep steps[] = {{1, 1, {}}, {2, 1, {}}, {2, 1, {}}};
  EXPECT_EQ(DecodeCtc(steps, dictionary).text, "a\uFFFD");
  const CharacterClasses classes(dictionary);
  EXPECT_EQ(ScriptOfMark(classes[2].code_point), Script::kCyrillic);
  EXPECT_EQ(ScriptOfMark(classes[1].code_point), Script::kKnown);
}

}  // namespace
}  // namespace munja::text
