#include "reading/correct/quotes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "reading/correct/testing.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

constexpr std::string_view kAllQuotes = "'\n\"\n‘\n’\n“\n”\n";

text::Dictionary WithQuotes(std::string_view quotes) {
  std::string symbols;
  for (char c = 'a'; c <= 'z'; ++c) symbols += std::string(1, c) + "\n";
  for (char c = '0'; c <= '9'; ++c) symbols += std::string(1, c) + "\n";
  symbols += ".\n,\n(\n)\nS\n";
  auto parsed = text::Dictionary::Parse(symbols + std::string(quotes), true);
  EXPECT_TRUE(parsed.ok());
  return std::move(parsed).value();
}

// A line as a network reads it that takes each quote for what stands here, and
// for the other kind with a probability of `other`.
text::CtcLine LineOf(const text::Dictionary& dictionary, std::string_view text,
                     float other) {
  text::CtcLine line;
  for (const char32_t c : text::DecodeUtf8(text)) {
    const std::string symbol = text::EncodeUtf8(std::u32string(1, c));
    text::CtcMark& mark = line.marks.emplace_back();
    mark.cls = ClassOf(dictionary, symbol);
    mark.probability = 0.99f - other;
    std::string_view variant;
    if (symbol == "'" || symbol == "\"") variant = "”";
    if (symbol == "‘" || symbol == "’") variant = "'";
    if (symbol == "“" || symbol == "”") variant = "\"";
    if (!variant.empty() && other > 0)
      mark.others[0] = {ClassOf(dictionary, variant), other};
    line.text += symbol;
    mark.text_end = line.text.size();
  }
  return line;
}

std::vector<std::string> Settled(const text::Dictionary& dictionary,
                                 std::vector<text::CtcLine> page) {
  CorrectQuotes(dictionary, PageOf(page));
  std::vector<std::string> lines;
  for (const text::CtcLine& line : page) {
    lines.push_back(line.text);
    // The marks still make up the text.
    std::string marked;
    for (const text::CtcMark& mark : line.marks) {
      marked += dictionary.symbol(mark.cls);
      EXPECT_EQ(mark.text_end, marked.size());
    }
    EXPECT_EQ(marked, line.text);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Quotes, Kind_IsThatOfClearOpeningQuotes) {
  const text::Dictionary dictionary = WithQuotes(kAllQuotes);
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, "“so” he said", 0.1f),
                                 LineOf(dictionary, "(“no", 0.1f),
                                 LineOf(dictionary, "yes\"", 0.01f),
                                 LineOf(dictionary, "the owner's", 0.001f),
                                 LineOf(dictionary, "'tis the owners'", .01f),
                                 LineOf(dictionary, "summer '99", 0.01f)}),
            (Lines{"“so” he said", "(“no", "yes”", "the owner’s",
                   "‘tis the owners’", "summer ’99"}));
}

TEST(Quotes, LowConfidenceOpeningOnes_CountByTheirShare) {
  const text::Dictionary dictionary = WithQuotes(kAllQuotes);
  const auto page = [&](float share) {
    return Settled(dictionary, {LineOf(dictionary, "\"so", share),
                                LineOf(dictionary, "a \"no", share),
                                LineOf(dictionary, "it's", 0.01f)});
  };
  EXPECT_EQ(page(0.3f), (Lines{"“so", "a “no", "it’s"}));
  EXPECT_EQ(page(0.05f), (Lines{"\"so", "a \"no", "it's"}));
}

TEST(Quotes, PageThatDoesNotShowTheirKind_IsLeftUnchanged) {
  const text::Dictionary dictionary = WithQuotes(kAllQuotes);
  // One quote that opens may be a slip; apostrophes and closing quotes say
  // little.
  const Lines once = {"“so", "it's"};
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, once[0], 0.1f),
                                 LineOf(dictionary, once[1], 0.1f)}),
            once);
  const Lines closing = {"so”", "no”", "it's"};
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, closing[0], 0.1f),
                                 LineOf(dictionary, closing[1], 0.1f),
                                 LineOf(dictionary, closing[2], 0.1f)}),
            closing);
}

TEST(Quotes, ReliableCharacters_Stay) {
  const text::Dictionary dictionary = WithQuotes(kAllQuotes);
  const Lines lines = {"“so", "a “no", "it's"};
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, lines[0], 0.1f),
                                 LineOf(dictionary, lines[1], 0.1f),
                                 LineOf(dictionary, lines[2], 0)}),
            lines);
}

TEST(Quotes, FeetAndInches_Stay) {
  const text::Dictionary dictionary = WithQuotes(kAllQuotes);
  const Lines lines = {"“so", "a “no", "5'10\" by 6'", "the 1990’s"};
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, lines[0], 0.1f),
                                 LineOf(dictionary, lines[1], 0.1f),
                                 LineOf(dictionary, lines[2], 0.1f),
                                 LineOf(dictionary, "the 1990's", 0.1f)}),
            lines);
}

TEST(Quotes, ADictionaryWithoutSomeOfThem_ChangesNothing) {
  const text::Dictionary dictionary = WithQuotes("'\n\"\n“\n”\n");
  const Lines lines = {"“so", "a “no", "it's"};
  EXPECT_EQ(Settled(dictionary, {LineOf(dictionary, lines[0], 0.1f),
                                 LineOf(dictionary, lines[1], 0.1f),
                                 LineOf(dictionary, lines[2], 0.1f)}),
            lines);
}

}  // namespace
}  // namespace munja::ocr
