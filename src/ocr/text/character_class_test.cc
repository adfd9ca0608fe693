#include "text/character_class.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::text {
namespace {

TEST(CharacterClass, Categories_AreThoseOfUnicode) {
  struct Case {
    const char* symbol;
    Category category;
    Block block;
  };
  for (const Case& c : {Case{"a", Category::kSmall, Block::kAscii},
                        Case{"Z", Category::kCapital, Block::kAscii},
                        Case{"7", Category::kDecimal, Block::kAscii},
                        Case{" ", Category::kSpace, Block::kAscii},
                        Case{"$", Category::kSign, Block::kAscii},
                        Case{"é", Category::kSmall, Block::kLatin},
                        Case{"½", Category::kOtherNumber, Block::kLatinSigns},
                        Case{"Ω", Category::kCapital, Block::kGreek},
                        Case{"ж", Category::kSmall, Block::kCyrillic},
                        Case{"–", Category::kSign, Block::kPunctuation},
                        Case{"字", Category::kOtherLetter, Block::kHan},
                        Case{"ア", Category::kOtherLetter, Block::kKana},
                        Case{"각", Category::kOtherLetter, Block::kHangul},
                        Case{"Ａ", Category::kCapital, Block::kFullWidth},
                        Case{"ת", Category::kOtherLetter, Block::kOther}}) {
    const CharacterClass got = Classify(std::string_view(c.symbol));
    EXPECT_EQ(got.category, c.category) << c.symbol;
    EXPECT_EQ(got.block, c.block) << c.symbol;
    EXPECT_TRUE(got.is_single) << c.symbol;
  }
}

TEST(CharacterClass, SeveralCodePoints_AreThatOfTheFirst) {
  const CharacterClass c = Classify(std::string_view("ab"));
  EXPECT_EQ(c.code_point, U'a');
  EXPECT_FALSE(c.is_single);
}

TEST(CharacterClass, Blank_IsNoCharacter) {
  const CharacterClass c = Classify(std::string_view());
  EXPECT_EQ(c.category, Category::kNone);
  EXPECT_FALSE(c.IsLetter());
  EXPECT_FALSE(c.IsOneOf(std::u32string_view(U"\0", 1)));
}

TEST(CharacterClasses, Dictionary_IsClassifiedInItsOrder) {
  const auto dictionary = Dictionary::Parse("a\n1\n", true);
  ASSERT_TRUE(dictionary.ok());
  const CharacterClasses classes(*dictionary);
  ASSERT_EQ(classes.size(), 4);
  EXPECT_EQ(classes[0].category, Category::kNone);
  EXPECT_EQ(classes[1].category, Category::kSmall);
  EXPECT_EQ(classes[2].category, Category::kDecimal);
  EXPECT_EQ(classes[3].category, Category::kSpace);
}

TEST(NarrowForm, FullWidth_BecomesAscii) {
  EXPECT_EQ(NarrowForm(U'！'), U'!');
  EXPECT_EQ(NarrowForm(U'ｚ'), U'z');
  EXPECT_EQ(NarrowForm(U'\u3000'), U' ');
  EXPECT_EQ(NarrowForm(U'。'), U'.');
  EXPECT_EQ(NarrowForm(U'、'), U',');
  EXPECT_EQ(NarrowForm(U'字'), U'\0');
}

}  // namespace
}  // namespace munja::text
