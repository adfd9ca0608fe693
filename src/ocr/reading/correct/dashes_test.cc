#include "reading/correct/dashes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reading/correct/testing.h"

namespace munja::ocr {
namespace {

text::Dictionary WithDashes(std::string_view dashes) {
  std::string symbols;
  for (char c = 'a'; c <= 'z'; ++c) symbols += std::string(1, c) + "\n";
  for (char c = '0'; c <= '9'; ++c) symbols += std::string(1, c) + "\n";
  auto parsed =
      text::Dictionary::Parse(symbols + "-\n" + std::string(dashes), true);
  EXPECT_TRUE(parsed.ok());
  return std::move(parsed).value();
}

struct Print {
  float hyphen = 1;    // How wide, in heights of a small letter.
  float share = 0.1f;  // Probability of dashes where the network reads hyphens.
  bool one_pitch = false;
};

// The line as it is read whose small letters are ten pixels high.
std::string Settled(const text::Dictionary& dictionary, std::string_view text,
                    const Print& print) {
  text::CtcLine line;
  float right = 0;
  for (const char c : text) {
    const std::string symbol(1, c);
    text::CtcMark& mark = line.marks.emplace_back();
    mark.cls = ClassOf(dictionary, symbol);
    mark.probability = 1;
    const bool is_narrow = symbol == "i" || symbol == "l" || symbol == "1";
    float width = is_narrow && !print.one_pitch ? 3.0f : 9.0f;
    if (c == '-') {
      width = 10 * print.hyphen;
      mark.probability = 1 - print.share;
      mark.others[0] = {ClassOf(dictionary, "–"), print.share};
    }
    mark.left = right + 1;
    mark.right = right = mark.left + width;
    mark.top = 10;
    const bool is_tall = (c >= '0' && c <= '9') || c == 'l' || c == 'd';
    mark.bottom = is_tall ? 24 : 20;
    line.text += symbol;
    mark.text_end = line.text.size();
  }
  constexpr float kHeight = 30;
  const float width = right + 1;
  for (text::CtcMark& mark : line.marks) {
    mark.left /= width;
    mark.right /= width;
    mark.top /= kHeight;
    mark.bottom /= kHeight;
  }
  CorrectDashes(dictionary, {line, width, kHeight});
  // The marks still make up the text.
  std::string marked;
  for (const text::CtcMark& mark : line.marks) {
    marked += dictionary.symbol(mark.cls);
    EXPECT_EQ(mark.text_end, marked.size());
  }
  EXPECT_EQ(marked, line.text);
  return line.text;
}

constexpr std::string_view kBoth = "–\n—\n";

TEST(Dashes, Width_IsMoreThanThatOfHyphens) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  EXPECT_EQ(Settled(dictionary, "small inn-all", {0.5f}), "small inn-all");
  EXPECT_EQ(Settled(dictionary, "small inn - all", {0.9f}), "small inn – all");
  EXPECT_EQ(Settled(dictionary, "small inn-all", {1.8f}), "small inn—all");
}

TEST(Dashes, OfNumbers_AreEnDashes) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  EXPECT_EQ(Settled(dictionary, "small inn 1911-19", {1.2f}),
            "small inn 1911–19");
}

TEST(Dashes, ReliableCharacters_Stay) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  EXPECT_EQ(Settled(dictionary, "small inn-all", {1.8f, 0.01f}),
            "small inn-all");
}

TEST(Dashes, LinesOfOnePitch_HaveNone) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  EXPECT_EQ(Settled(dictionary, "small inn-all", {0.9f, 0.1f, true}),
            "small inn-all");
}

TEST(Dashes, DatesTelephonesAndOptions_HaveNone) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  for (const std::string_view line :
       {"mail 2020-01-02", "call 401-885-0992", "small --all inn"})
    EXPECT_EQ(Settled(dictionary, line, {1.0f}), line);
}

TEST(Dashes, TooFewLetters_TellNothing) {
  const text::Dictionary dictionary = WithDashes(kBoth);
  EXPECT_EQ(Settled(dictionary, "1-l", {1.0f}), "1-l");
}

TEST(Dashes, ADictionaryWithoutOneOfThem_DoesNotPrintIt) {
  const text::Dictionary dictionary = WithDashes("–\n");
  EXPECT_EQ(Settled(dictionary, "small inn-all", {1.8f}), "small inn-all");
  EXPECT_EQ(Settled(dictionary, "small inn - all", {0.9f}), "small inn – all");
}

}  // namespace
}  // namespace munja::ocr
