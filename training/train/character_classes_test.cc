#include "train/character_classes.h"

#include <gtest/gtest.h>

#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

TEST(CharacterClassesTest, Texts_BecomeClassesAndBack) {
  auto classes = CharacterClasses::Create({"a", "가", "7"});
  ASSERT_TRUE(classes.ok());
  EXPECT_EQ(classes->classes(), 5);  // Blank and space.
  const auto label = classes->Encode("7 가a");
  ASSERT_TRUE(label.has_value());
  EXPECT_EQ(*label, (std::vector<int32_t>{3, 4, 2, 1}));
  const int64_t best[] = {0, 3, 3, 4, 0, 2, 2, 0, 2, 1};
  EXPECT_EQ(classes->Decode(best, 10), "7 가가a");
}

TEST(CharacterClassesTest, CharactersOutsideOfTheAlphabet_HaveNoClass) {
  auto classes = CharacterClasses::Create({"a"});
  ASSERT_TRUE(classes.ok());
  EXPECT_FALSE(classes->Encode("ab").has_value());
  EXPECT_TRUE(classes->Encode("")->empty());
}

TEST(CharacterClassesTest, LettersOfMarkedScripts_HaveTheClassOfTheMark) {
  const std::string mark =
      text::EncodeUtf8(std::u32string(1, text::MarkOf(text::Script::kCjk)));
  auto classes = CharacterClasses::Create({"a", mark});
  ASSERT_TRUE(classes.ok());
  EXPECT_EQ(*classes->Encode("a大同 a"), (std::vector<int32_t>{1, 2, 3, 1}));
  EXPECT_FALSE(classes->Encode("aмир").has_value());
  EXPECT_EQ(classes->LabelOf("a大同 мир"), "a\uFFFD мир");
}

TEST(CharacterClassesTest, LabelsOfAnyCase_AreSmallLettersPairedWithCapitals) {
  // The capital of both i and dotless i is I; 7 has none.
  auto classes = CharacterClasses::Create({"I", "i", "ı", "É", "é", "7"});
  ASSERT_TRUE(classes.ok());
  const LabelFreedom any_case = {.any_case = true};
  EXPECT_EQ(*classes->Encode("Iiı Éé7", any_case),
            (std::vector<int32_t>{2, 2, 3, 7, 5, 5, 6}));
  EXPECT_EQ(classes->Partners(any_case),
            (std::vector<int32_t>{0, 2, 1, 3, 5, 4, 6, 7}));
  EXPECT_TRUE(classes->Partners({}).empty());
}

TEST(CharacterClassesTest, LabelsOfAnySpaces_HaveNoneAndCountSpacesAsBlanks) {
  auto classes = CharacterClasses::Create({"a", "A"});
  ASSERT_TRUE(classes.ok());
  const LabelFreedom any_spaces = {.any_spaces = true};
  EXPECT_EQ(*classes->Encode("a A", any_spaces), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(classes->Partners(any_spaces), (std::vector<int32_t>{3, 1, 2, 0}));
  EXPECT_EQ(classes->Partners({.any_case = true, .any_spaces = true}),
            (std::vector<int32_t>{3, 2, 1, 0}));
}

TEST(CharacterClassesTest, AmbiguousAlphabets_AreRefused) {
  EXPECT_EQ(CharacterClasses::Create({"a", "b", "a"}).status().code(),
            Code::kMalformed);
  EXPECT_EQ(CharacterClasses::Create({"a", " "}).status().code(),
            Code::kMalformed);
  EXPECT_EQ(CharacterClasses::Create({"ab"}).status().message(),
            "alphabet: entry 1 is not one character");
}

}  // namespace
}  // namespace munja::train
