// Spaces by the ink of lines: InkColumns and the rule together.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reading/correct/spaces.h"
#include "reading/read/drawn_line.h"
#include "reading/read/ink_columns.h"
#include "text/testing.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Corrects the spaces of the line.
void CorrectSpaces(const text::Dictionary& dictionary,
                   const text::Language& language, DrawnLine& line) {
  const text::CharacterClasses classes(dictionary);
  LineHypothesis hypothesis(classes, line.steps);
  hypothesis.columns_per_step = kStepWidth;
  InkColumns().FindEmpty(line.picture.view(), &hypothesis.is_empty_column);
  SpaceCorrector(classes, language).Correct(hypothesis);
  line.steps = hypothesis.steps;
}

std::string Parted(std::string_view text, const DrawnLook& look = {},
                   bool use_space = true, const text::Language& language = {}) {
  const text::Dictionary dictionary = DrawnSymbols(use_space);
  DrawnLine line = DrawLine(dictionary, text, look);
  CorrectSpaces(dictionary, language, line);
  return text::DecodeCtc(line.steps, dictionary).text;
}

TEST(SpaceCorrector, WordsThatStandApart_AreSplit) {
  EXPECT_EQ(Parted("tax_invoice"), "tax invoice");
  EXPECT_EQ(Parted("SR_100_g_TOTAL:_7"), "SR 100 g TOTAL: 7");
  EXPECT_EQ(Parted("ПП_ПΩ_ΩΩ"), "ПП ПΩ ΩΩ");
}

TEST(SpaceCorrector, WordsWithoutAGap_StayTogether) {
  EXPECT_EQ(Parted("taxinvoice"), "taxinvoice");
  EXPECT_EQ(Parted("A"), "A");
  EXPECT_EQ(Parted(""), "");
  // Letters that are spaced out have no wide gap among them.
  EXPECT_EQ(Parted("S_A_L_E"), "SALE");
}

TEST(SpaceCorrector, PrintedSpaces_AreNotDoubled) {
  EXPECT_EQ(Parted("tax invoice_number one"), "tax invoice number one");
}

TEST(SpaceCorrector, Quotes_AreSplit) {
  EXPECT_EQ(Parted("work.\"_MiTek"), "work.\" MiTek");
  EXPECT_EQ(Parted("its_\"allegedly"), "its \"allegedly");
  EXPECT_EQ(Parted("it,\"_and_\"that"), "it,\" and \"that");
}

TEST(SpaceCorrector, Ink_MayBeLightOrFaint) {
  EXPECT_EQ(Parted("tax_invoice", {.paper = 20, .ink = 240}), "tax invoice");
  EXPECT_EQ(Parted("tax_invoice", {.paper = 150, .ink = 110}), "tax invoice");
}

TEST(SpaceCorrector, APageWithoutInk_TellsNothing) {
  EXPECT_EQ(Parted("tax_invoice", {.paper = 128, .ink = 128}), "taxinvoice");
}

TEST(SpaceCorrector, Numbers_StayWhole) {
  EXPECT_EQ(Parted("$23._32"), "$23.32");
  EXPECT_EQ(Parted("at_9:_30"), "at 9:30");
  EXPECT_EQ(Parted("1_,234"), "1,234");
  EXPECT_EQ(Parted("1._50"), "1.50");
  // A point behind a word is no part of a number.
  EXPECT_EQ(Parted("NO._53"), "NO. 53");
}

// In print of one pitch there is much paper beside a 1.
TEST(SpaceCorrector, AOne_IsNarrowerThanItsPlace) {
  const DrawnLook look = {.character = 32, .wide = 40, .one = 8};
  EXPECT_EQ(Parted("17-06-2018", look), "17-06-2018");
  EXPECT_EQ(Parted("20385_17", look), "20385 17");
}

// Enough around brackets, too little between two digits and two letters.
TEST(SpaceCorrector, CharactersBesideAGap_SayHowWideItMustBe) {
  const DrawnLook look = {.wide = 17};
  EXPECT_EQ(Parted("a)_12", look), "a) 12");
  EXPECT_EQ(Parted("12_(a", look), "12 (a");
  EXPECT_EQ(Parted("12_34", look), "1234");
  EXPECT_EQ(Parted("ab_cd", look), "abcd");
}

// Twice as wide letters stand twice as far apart.
TEST(SpaceCorrector, Gaps_AreMeasuredByTheCharactersOfTheLine) {
  EXPECT_EQ(Parted("tax_invoice"), "tax invoice");
  EXPECT_EQ(Parted("tax_invoice", {.character = 80}), "taxinvoice");
  EXPECT_EQ(Parted("tax_invoice", {.character = 80, .wide = 100}),
            "tax invoice");
}

// A gap that says little by itself is one where the network is in two minds,
// and a wide one is not where it is sure that nothing stands there.
TEST(SpaceCorrector, TheImageAndTheNetwork_DecideTogether) {
  EXPECT_EQ(Parted("ab_cd", {.wide = 17, .share = 0.4f}), "ab cd");
  EXPECT_EQ(Parted("ab_cd", {.wide = 17, .share = 0}), "abcd");
  EXPECT_EQ(Parted("ab_cd", {.wide = 20, .share = 0}), "abcd");
  EXPECT_EQ(Parted("ab_cd", {.wide = 40, .share = 0}), "ab cd");
  // No gap at all is none, whatever the network thinks.
  EXPECT_EQ(Parted("ab_(cd", {.wide = 6, .share = 0.45f}), "ab(cd");
}

TEST(SpaceCorrector, PrintedSpaceWithoutAGap_IsRemoved) {
  EXPECT_EQ(Parted("tax~es are due"), "taxes are due");
  EXPECT_EQ(Parted("RM5.~00 a day"), "RM5.00 a day");
  // It stays in scripts that are left unchanged.
  EXPECT_EQ(Parted("漢~字 字漢"), "漢 字 字漢");
}

// Signs stand with spaces or without, as the gaps are.
TEST(SpaceCorrector, Signs_StandAsTheyArePrinted) {
  EXPECT_EQ(Parted("up 82% now"), "up 82% now");
  EXPECT_EQ(Parted("up 82_% now"), "up 82 % now");
  EXPECT_EQ(Parted("see II._2 now"), "see II. 2 now");
  EXPECT_EQ(Parted("see II.2 now"), "see II.2 now");
  EXPECT_EQ(Parted("see (_a_) now"), "see ( a ) now");
  EXPECT_EQ(Parted("see (a) now"), "see (a) now");
  EXPECT_EQ(Parted("No_: 17 - 19"), "No : 17 - 19");
  EXPECT_EQ(Parted("No: 17-19"), "No: 17-19");
}

// Gaps that say little by themselves, between letters: the words decide. Gaps
// at other characters are left unchanged.
TEST(SpaceCorrector, WordsOfALanguage_AreMoreProbable) {
  const text::Language language = {
      {text::ModelOf(U"abcdefghijklmnopqrstuvwxyz",
                     {U"sultan", U"street", U"of", U"the", U"often", U"house"},
                     /*order=*/6),
       text::ModelOf(U"가나", {U"가나", U"나가나"})},
      nullptr};
  const DrawnLook look = {.wide = 20};
  for (const auto& [drawn, without, with] :
       {std::array{"the house of_the", "the house ofthe", "the house of the"},
        std::array{"the house of_ten", "the house often", "the house often"},
        // As wide as a space, or as no gap: there is nothing to decide.
        std::array{"ofthe", "ofthe", "ofthe"},
        std::array{"sul tan", "sul tan", "sul tan"},
        std::array{"가나_나가나 가나", "가나나가나 가나", "가나 나가나 가나"},
        std::array{"가~나 나가나", "가 나 나가나", "가나 나가나"},
        std::array{"漢_字漢字 漢字", "漢字漢字 漢字", "漢字漢字 漢字"}}) {
    EXPECT_EQ(Parted(drawn, look), without);
    EXPECT_EQ(Parted(drawn, look, true, language), with);
  }
}

TEST(SpaceCorrector, OtherScripts_AreLeftUnchanged) {
  EXPECT_EQ(Parted("漢_字_漢字漢"), "漢字漢字漢");
  EXPECT_EQ(Parted("가나_가나"), "가나가나");
  EXPECT_EQ(Parted("abc_漢字"), "abc漢字");
}

TEST(SpaceCorrector, DictionaryWithoutASpace_SplitsNothing) {
  EXPECT_EQ(Parted("tax_invoice", {}, false), "taxinvoice");
}

TEST(SpaceCorrector, ASpace_IsAsSureAsItsNeighbors) {
  const text::Dictionary dictionary = DrawnSymbols();
  DrawnLine line = DrawLine(dictionary, "tax_invoice");
  const float before = text::DecodeCtc(line.steps, dictionary).confidence;
  CorrectSpaces(dictionary, {}, line);
  const text::CtcText after = text::DecodeCtc(line.steps, dictionary);
  EXPECT_EQ(after.text, "tax invoice");
  EXPECT_FLOAT_EQ(after.confidence, before);
}

TEST(SpaceCorrector, CharactersWithoutABlankBetween_AreNotSplit) {
  const text::Dictionary dictionary = DrawnSymbols();
  DrawnLine line = DrawLine(dictionary, "ab_cd");
  // As if the network read on without a break.
  text::CtcStep last;
  for (text::CtcStep& step : line.steps) {
    if (step.cls == 0 && last.cls != 0) step = last;
    last = step;
  }
  CorrectSpaces(dictionary, {}, line);
  EXPECT_EQ(text::DecodeCtc(line.steps, dictionary).text, "abcd");
}

// Titles of forms: what stands so far apart is a word of its own. Two syllables
// must stand further apart, and letters do not tell.
TEST(SpaceCorrector, SyllablesThatStandFarApart_AreWords) {
  EXPECT_EQ(Parted("가나가", {.gap = 14}), "가 나 가");
  EXPECT_EQ(Parted("가나(가)", {.gap = 16}), "가 나(가)");
  EXPECT_EQ(Parted("가나가", {.gap = 4}), "가나가");
  EXPECT_EQ(Parted("가나7", {.gap = 11}), "가나7");
  EXPECT_EQ(Parted("SALE", {.gap = 14}), "SALE");
}

// In a line of syllables only, which no language model knows, less is enough.
TEST(SpaceCorrector, UnknownSyllablesInALineOfTheirOwn_AreWordsSooner) {
  EXPECT_EQ(Parted("가나가나", {.gap = 7}), "가 나 가 나");
  EXPECT_EQ(Parted("가나가나7", {.gap = 7}), "가나가나7");
}

// No language model knows both sides.
TEST(SpaceCorrector, SyllablesBesideDigitsAndSigns_AreSplitByTheGap) {
  EXPECT_EQ(Parted("가나_3나"), "가나 3나");
  EXPECT_EQ(Parted("가나가나_(나가)_나가나가"), "가나가나 (나가) 나가나가");
  EXPECT_EQ(Parted("가나3나"), "가나3나");
}

}  // namespace
}  // namespace munja::ocr
