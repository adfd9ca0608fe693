#include "synth/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "text/utf8.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

Grammar Of(std::string_view rules) {
  Grammar grammar;
  EXPECT_TRUE(grammar.Add(rules, "test").ok());
  return grammar;
}

std::set<std::string> Many(const Grammar& grammar, const std::string& rule,
                           int count = 300) {
  std::set<std::string> made;
  Random random(5);
  for (int i = 0; i < count; ++i)
    made.insert(text::EncodeUtf8(grammar.Make(rule, random)));
  return made;
}

std::string GrammarFailure(std::string_view rules) {
  Grammar grammar;
  Status status = grammar.Add(rules, "g.txt");
  if (status.ok()) status = grammar.Check();
  return std::string(status.message());
}

TEST(Grammar, Rule_DescribesWhatIsMade) {
  const Grammar grammar =
      Of("// a comment\n"
         "price = {1-9},###.## {currency} | {01-31}/{01-12}\n"
         "  | lot {A-F}{A-F}{x*2-4}\n"
         "currency = EUR | USD\n"
         "x = x\n");
  ASSERT_TRUE(grammar.Check().ok());
  const std::regex form(
      R"([1-9],\d{3}\.\d\d (EUR|USD)|(0[1-9]|[12]\d|3[01])/(0[1-9]|1[0-2])|lot [A-F][A-F]x{2,4})");
  const std::set<std::string> made = Many(grammar, "price");
  for (const std::string& text : made)
    EXPECT_TRUE(std::regex_match(text, form)) << text;
  EXPECT_GT(made.size(), 200u);
}

TEST(Grammar, Alternatives_AllAppear) {
  EXPECT_THAT(
      Many(Of("a = x | y | {b?}z | {b^} | {b~}\nb = ab\n"), "a"),
      ::testing::UnorderedElementsAre("x", "y", "z", "abz", "AB", "Ab"));
}

TEST(Grammar, SpecialCharacters_CanBeWritten) {
  EXPECT_THAT(Many(Of("a = \\#\\{\\|\\\\ a|b\n"), "a"),
              ::testing::ElementsAre("#{|\\ a|b"));
}

TEST(Grammar, KoreanParticles_AgreeWithTheSyllableBefore) {
  EXPECT_THAT(Many(Of("a = 책{은/는} | 나무{은/는} | 밥{을/를} 먹다\n"), "a"),
              ::testing::UnorderedElementsAre("책은", "나무는", "밥을 먹다"));
}

TEST(Grammar, WordLists_AreRules) {
  Grammar grammar = Of("a = <{word}>\n");
  ASSERT_TRUE(grammar.AddWords("word", {U"one", U"two"}).ok());
  ASSERT_TRUE(grammar.Check().ok());
  EXPECT_THAT(Many(grammar, "a"),
              ::testing::UnorderedElementsAre("<one>", "<two>"));
  EXPECT_FALSE(grammar.AddWords("word", {U"x"}).ok());
  EXPECT_FALSE(grammar.AddWords("none", {}).ok());
}

TEST(Grammar, Mistakes_AreLocated) {
  EXPECT_THAT(GrammarFailure("a = x\nb = {c\n"), HasSubstr("g.txt: line 2"));
  EXPECT_THAT(GrammarFailure("a = x\na = y\n"), HasSubstr("line 2"));
  EXPECT_THAT(GrammarFailure("  | x\n"), HasSubstr("line 1"));
  EXPECT_THAT(GrammarFailure("hello\n"), HasSubstr("line 1"));
  EXPECT_THAT(GrammarFailure("a = {9-1}\n"), HasSubstr("{9-1}"));
  EXPECT_THAT(GrammarFailure("a = {b*x}\n"), HasSubstr("{b*x}"));
  EXPECT_THAT(GrammarFailure("a = {B}\n"), HasSubstr("{B}"));
  EXPECT_THAT(GrammarFailure("a = {b}\n"), HasSubstr("'b'"));
  EXPECT_THAT(GrammarFailure("a = \nb = x\n"),
              HasSubstr("'a' has no alternatives"));
  EXPECT_THAT(GrammarFailure("a = x{b}\nb = {a}\n"), HasSubstr("never ends"));
  EXPECT_EQ(GrammarFailure("a = x | {a}y\n"), "");
}

TEST(Grammar, Capitals_OfEuropeanLetters) {
  EXPECT_EQ(ToUpper(std::u32string_view(U"straße łódź ýÿž ő ı đ ș 가1")),
            U"STRAẞE ŁÓDŹ ÝŸŽ Ő I Đ Ș 가1");
}

}  // namespace
}  // namespace munja::train
