#include "reading/correct/corrector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reading/correct/testing.h"
#include "text/testing.h"

namespace munja::ocr {
namespace {

text::Dictionary AsciiSymbols() {
  std::string symbols;
  for (char c = '!'; c <= '~'; ++c) symbols += std::string(1, c) + "\n";
  return text::Dictionary::Parse(symbols + "：\n", true).value();
}

// Each character in one step, blanks between.
std::vector<text::CtcStep> StepsOf(const text::Dictionary& dictionary,
                                   const std::vector<std::string>& symbols) {
  std::vector<text::CtcStep> steps;
  for (const std::string& symbol : symbols) {
    steps.push_back({ClassOf(dictionary, symbol), 0.98f, {}});
    steps.push_back({kBlank, 0.99f, {}});
  }
  return steps;
}

TEST(LineHypothesis, Characters_AreRunsOfOneClass) {
  const text::Dictionary dictionary = AsciiSymbols();
  const text::CharacterClasses classes(dictionary);
  LineHypothesis line(classes, {{0}, {3}, {3}, {5}, {0}, {5}});
  ASSERT_EQ(line.characters().size(), 3u);
  EXPECT_EQ(line.characters()[0].begin, 1u);
  EXPECT_EQ(line.characters()[0].end, 3u);
  EXPECT_EQ(line.characters()[1].cls, 5);
  EXPECT_EQ(line.characters()[2].begin, 5u);
  line.steps[5].cls = 0;
  line.StepsChanged();
  EXPECT_EQ(line.characters().size(), 2u);
}

TEST(LineCorrector, Rules_FollowTheirSettings) {
  const text::Dictionary dictionary = AsciiSymbols();
  const std::vector<text::CtcStep> steps =
      StepsOf(dictionary, {" ", "s", "p", "：", "5", " "});
  for (const bool settles : {true, false}) {
    RecognizerConfig config;
    config.settle_signs = settles;
    LineCorrector corrector(dictionary, config, {});
    LineHypothesis line = corrector.Hypothesis();
    line.steps = steps;
    corrector.Correct(line);
    EXPECT_EQ(text::DecodeCtc(line.steps, dictionary).text,
              settles ? "sp:5" : "sp：5");
    EXPECT_FALSE(line.confidence);
  }
}

// The confidence is that of what the network read.
TEST(LineCorrector, ReadingsByLanguage_KeepTheirConfidence) {
  const text::Dictionary dictionary = AsciiSymbols();
  RecognizerConfig config;
  config.language_weight = 1;
  const text::Language language = {
      {text::ModelOf(U"abcdefghijklmnopqrstuvwxyz", {U"invoice", U"voice"})},
      nullptr};
  LineCorrector corrector(dictionary, config, language);
  LineHypothesis line = corrector.Hypothesis();
  line.steps = StepsOf(dictionary, {"i", "n", "y", "o", "i", "c", "e"});
  line.steps[4].probability = 0.55f;
  line.steps[4].others[0] = {ClassOf(dictionary, "v"), 0.4f};
  const float confidence = text::MeanProbability(line.steps);
  corrector.Correct(line);
  EXPECT_EQ(text::DecodeCtc(line.steps, dictionary).text, "invoice");
  ASSERT_TRUE(line.confidence);
  EXPECT_FLOAT_EQ(*line.confidence, confidence);
}

// "㎜" is as wide as "mm", and networks read the second letter again.
TEST(LineCorrector, LetterReadAgainBehindItsUnit_IsDropped) {
  const text::Dictionary dictionary =
      text::Dictionary::Parse("4\n2\n㎜\n㎏\n㎡\nm\ng\n/\n", true).value();
  const auto corrected = [&](const std::vector<std::string>& symbols,
                             const std::string& without) {
    RecognizerConfig config;
    if (!without.empty()) config.rules.SwitchOff(*RuleNamed(without));
    LineCorrector corrector(dictionary, config, {});
    LineHypothesis line = corrector.Hypothesis();
    line.steps = StepsOf(dictionary, symbols);
    corrector.Correct(line);
    return text::DecodeCtc(line.steps, dictionary).text;
  };
  EXPECT_EQ(corrected({"4", "2", "㎜", "m"}, ""), "42㎜");
  EXPECT_EQ(corrected({"4", "㎏", "g", "/", "㎡"}, ""), "4㎏/㎡");
  EXPECT_EQ(corrected({"4", "㎜", "m"}, "units"), "4㎜m");
  // Other letters, and words, are not its own.
  EXPECT_EQ(corrected({"4", "㎜", "g"}, ""), "4㎜g");
  EXPECT_EQ(corrected({"4", "㎏", "g", "m"}, ""), "4㎏gm");
  EXPECT_EQ(corrected({"㎜", " ", "m"}, ""), "㎜ m");
}

}  // namespace
}  // namespace munja::ocr
