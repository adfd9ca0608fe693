#include "reading/correct/separators.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "reading/correct/testing.h"

namespace munja::ocr {
namespace {

struct Reading {
  std::string_view text;
  float share = 0;  // Probability of the other sign at each comma and point.
};

// The lines of a page after the rule.
std::vector<std::string> Separated(const std::vector<Reading>& readings) {
  const text::Dictionary dictionary =
      text::Dictionary::Parse("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n,\n.\nx\n", true)
          .value();
  std::vector<text::CtcLine> lines;
  for (const Reading& reading : readings) {
    text::CtcLine& line = lines.emplace_back();
    for (const char c : reading.text) {
      text::CtcMark& mark = line.marks.emplace_back();
      mark.cls = ClassOf(dictionary, std::string(1, c));
      mark.probability = 0.99f;
      if (c == ',' || c == '.') {
        mark.probability = 1 - reading.share;
        mark.others[0] = {ClassOf(dictionary, c == ',' ? "." : ","),
                          reading.share};
      }
      line.text += c;
      mark.text_end = line.text.size();
    }
  }
  CorrectSeparators(dictionary, PageOf(lines));
  std::vector<std::string> texts;
  for (const text::CtcLine& line : lines) texts.push_back(line.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Separators, InDoubt_AreThoseOfTheOtherNumbers) {
  EXPECT_EQ(
      Separated(
          {{"42,545"}, {"1,234,567"}, {"81.234", 0.2f}, {"x7.912", 0.4f}}),
      (Texts{"42,545", "1,234,567", "81,234", "x7,912"}));
  EXPECT_EQ(Separated({{"42.545"}, {"70.339"}, {"81,234", 0.25f}}),
            (Texts{"42.545", "70.339", "81.234"}));
}

TEST(Separators, TheMoreNumbersTell_TheLessDoubtIsNeeded) {
  const Texts few = {"42,545", "70,339", "81.234"};
  EXPECT_EQ(Separated({{few[0]}, {few[1]}, {few[2], 0.1f}}), few);
  std::vector<Reading> many(12, Reading{"42,545"});
  many.push_back({"81.234", 0.1f});
  EXPECT_EQ(Separated(many).back(), "81,234");
  many.back().share = 0.02f;
  EXPECT_EQ(Separated(many).back(), "81.234");
}

TEST(Separators, DecimalsFractionsAndDates_Stay) {
  const Texts page = {"42,545",   "70,339",    "3.14",   "0.125",
                      "2026.123", "10.31.234", "1.2345", "31.10.2026"};
  std::vector<Reading> readings;
  for (const std::string& text : page) readings.push_back({text, 0.3f});
  readings[0].share = readings[1].share = 0;
  EXPECT_EQ(Separated(readings), page);
  // The decimals of an amount are no group of it.
  EXPECT_EQ(Separated({{"42,545"}, {"70,339"}, {"1.234.50", 0.3f}}),
            (Texts{"42,545", "70,339", "1,234.50"}));
}

TEST(Separators, PageThatDoesNotTell_IsLeftUnchanged) {
  const Texts one = {"42,545", "81.234"};
  EXPECT_EQ(Separated({{one[0]}, {one[1], 0.3f}}), one);
  const Texts both = {"42,545", "70,339", "10.250", "81.234"};
  EXPECT_EQ(Separated({{both[0]}, {both[1]}, {both[2]}, {both[3], 0.3f}}),
            both);
  // One slip among many is none.
  EXPECT_EQ(Separated({{"42,545"},
                       {"70,339"},
                       {"1,000,000"},
                       {"10.250"},
                       {"81.234", 0.3f}}),
            (Texts{"42,545", "70,339", "1,000,000", "10.250", "81,234"}));
}

}  // namespace
}  // namespace munja::ocr
