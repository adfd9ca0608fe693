#include "reading/correct/look_alikes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace munja::ocr {
namespace {

using text::AppendUtf8;
using text::CtcStep;
using text::DecodeCtc;
using text::DecodeUtf8;
using text::Dictionary;

// One class for each character of the tests; the last is the space.
const Dictionary& Letters() {
  static const Dictionary dictionary = [] {
    std::string lines;
    for (const char32_t c : DecodeUtf8(
             "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
             ".,:;!?()-/"
             "$'"
             "１２Ａａ．，：；！？（）。、【】所年月日文字がア시각аоеАОЕορ")) {
      AppendUtf8(c, lines);
      lines += '\n';
    }
    return std::move(Dictionary::Parse(lines, true)).value();
  }();
  return dictionary;
}

int SignClass(std::string_view symbol) {
  for (int cls = 1; cls < Letters().classes(); ++cls)
    if (Letters().symbol(cls) == symbol) return cls;
  ADD_FAILURE() << "no class for " << symbol;
  return 0;
}

// A blank before each character, which takes two steps; all are sure.
std::vector<CtcStep> StepsOf(std::string_view text) {
  std::vector<CtcStep> steps;
  for (const char32_t c : DecodeUtf8(text)) {
    std::string symbol;
    AppendUtf8(c, symbol);
    steps.push_back({0, 0.99f, {}});
    for (int i = 0; i < 2; ++i) steps.push_back({SignClass(symbol), 0.98f, {}});
  }
  return steps;
}

// Applies a rule to these steps.
void Apply(bool (LookAlikes::*rule)(LineHypothesis&),
           std::vector<CtcStep>& steps,
           const Dictionary& dictionary = Letters()) {
  const text::CharacterClasses classes(dictionary);
  LineHypothesis line(classes, steps);
  (LookAlikes(classes).*rule)(line);
  steps = line.steps;
}

std::string Fitted(std::string_view text) {
  std::vector<CtcStep> steps = StepsOf(text);
  Apply(&LookAlikes::CorrectWidths, steps);
  return DecodeCtc(steps, Letters()).text;
}

// Character `at` of the text is read with `probability`, `other` with
// `other_probability`.
std::string Settled(std::string_view text, size_t at, float probability,
                    std::string_view other, float other_probability) {
  std::vector<CtcStep> steps = StepsOf(text);
  for (size_t i = 3 * at + 1; i < 3 * at + 3; ++i) {
    steps[i].probability = probability;
    steps[i].others[1] = {SignClass(other), other_probability};
  }
  Apply(&LookAlikes::Correct, steps);
  return DecodeCtc(steps, Letters()).text;
}

TEST(LookAlikes, FullWidthSignsOfLatinText_BecomeAscii) {
  EXPECT_EQ(Fitted("location/sp：05"), "location/sp:05");
  EXPECT_EQ(Fitted("（GST ID：12，345．00）！"), "(GST ID:12,345.00)!");
  EXPECT_EQ(Fitted("TOTAL：１２"), "TOTAL:12");
  EXPECT_EQ(Fitted("Ａbc"), "Abc");
  EXPECT_EQ(Fitted("end。 A、b"), "end. A,b");
  // Korean text has the ASCII signs, too.
  EXPECT_EQ(Fitted("시각：12"), "시각:12");
  // Nothing that tells: digits alone.
  EXPECT_EQ(Fitted("12：30"), "12:30");
}

TEST(LookAlikes, SignsOfChineseAndJapaneseText_Stay) {
  for (const char* text : {"文字，文字。", "（文字）", "文：A", "A：文",
                           "１２月", "が！", "【年】：12"})
    EXPECT_EQ(Fitted(text), text);
  // But for what is between digits.
  EXPECT_EQ(Fitted("文12：30日"), "文12:30日");
  EXPECT_EQ(Fitted("ascii: (a.b), 1-2!"), "ascii: (a.b), 1-2!");
}

TEST(LookAlikes, WidthThatIsNotInTheDictionary_Stays) {
  Dictionary dictionary =
      std::move(Dictionary::Parse("a\n：\n", false)).value();
  std::vector<CtcStep> steps = {{1, 0.9f, {}}, {2, 0.9f, {}}};
  Apply(&LookAlikes::CorrectWidths, steps, dictionary);
  EXPECT_EQ(DecodeCtc(steps, dictionary).text, "a：");
}

TEST(LookAlikes, AnUnsureCharacter_BecomesTheOneOfItsWordsKind) {
  EXPECT_EQ(Settled("J0hor", 1, 0.6f, "o", 0.3f), "Johor");
  EXPECT_EQ(Settled("1O0.00", 1, 0.8f, "0", 0.15f), "100.00");
  EXPECT_EQ(Settled("tota1", 4, 0.5f, "l", 0.4f), "total");
  EXPECT_EQ(Settled("TOTAl", 4, 0.5f, "I", 0.3f), "TOTAI");
  EXPECT_EQ(Settled("aveC", 3, 0.5f, "c", 0.3f), "avec");
  EXPECT_EQ(Settled("MR所L", 2, 0.5f, "A", 0.2f), "MRAL");
  // Latin look-alikes among Cyrillic letters and the other way round.
  EXPECT_EQ(Settled("аoе", 1, 0.6f, "о", 0.3f), "аое");
  EXPECT_EQ(Settled("hοt", 1, 0.6f, "o", 0.3f), "hot");
}

// A 0 that its first step is sure of, although its second one may be an o.
TEST(LookAlikes, CharacterThatOneStepReadsReliably_Stays) {
  for (const auto& [first, text] :
       {std::pair{0.95f, "J0hor"}, std::pair{0.85f, "Johor"}}) {
    std::vector<CtcStep> steps = StepsOf("J0hor");
    steps[4].probability = first;
    steps[5].probability = 0.5f;
    steps[5].others[1] = {SignClass("o"), 0.4f};
    Apply(&LookAlikes::Correct, steps);
    EXPECT_EQ(DecodeCtc(steps, Letters()).text, text) << first;
  }
}

// Names in programs end with digits.
TEST(LookAlikes, DigitBehindLetters_MustBeInMoreDoubt) {
  EXPECT_EQ(Settled("player9", 6, 0.65f, "g", 0.3f), "player9");
  EXPECT_EQ(Settled("player9", 6, 0.55f, "g", 0.3f), "playerg");
  EXPECT_EQ(Settled("p1ayer", 1, 0.65f, "l", 0.3f), "player");
}

TEST(LookAlikes, ReliableOrFarMoreProbableOnes_Stay) {
  EXPECT_EQ(Settled("J0hor", 1, 0.91f, "o", 0.08f), "J0hor");
  EXPECT_EQ(Settled("J0hor", 1, 0.85f, "o", 0.05f), "J0hor");
}

// Codes are numbered from 01, and amounts have their currency before them.
TEST(LookAlikes, OsBeforeDigits_AreZeros) {
  EXPECT_EQ(Settled("SHO1", 2, 0.75f, "0", 0.24f), "SH01");
  EXPECT_EQ(Settled("RO00027830", 1, 0.85f, "0", 0.12f), "R000027830");
  EXPECT_EQ(Settled("OO65", 0, 0.6f, "0", 0.35f), "0O65");
  EXPECT_EQ(Settled("TEL:O12-3456", 4, 0.6f, "0", 0.35f), "TEL:012-3456");
  EXPECT_EQ(Settled("POSo1", 3, 0.6f, "0", 0.35f), "POS01");
  // Surely a letter, or one that others follow.
  EXPECT_EQ(Settled("CO2", 1, 0.95f, "0", 0.04f), "CO2");
  EXPECT_EQ(Settled("CO2", 1, 0.85f, "0", 0.04f), "CO2");
  EXPECT_EQ(Settled("SHO", 2, 0.6f, "0", 0.3f), "SHO");
  EXPECT_EQ(Settled("BO7X", 1, 0.6f, "0", 0.3f), "BO7X");
  EXPECT_EQ(Settled("MOX7", 1, 0.6f, "0", 0.3f), "MOX7");
}

TEST(LookAlikes, AnSBeforeAnAmount_IsADollar) {
  EXPECT_EQ(Settled("S1.10", 0, 0.8f, "$", 0.15f), "$1.10");
  EXPECT_EQ(Settled("S1,234.50", 0, 0.8f, "$", 0.15f), "$1,234.50");
  EXPECT_EQ(Settled("at S0.50", 3, 0.8f, "$", 0.15f), "at $0.50");
  EXPECT_EQ(Settled("S1.10", 0, 0.95f, "$", 0.04f), "S1.10");
  EXPECT_EQ(Settled("S1.10", 0, 0.8f, "$", 0.05f), "S1.10");
  // Sections, sizes.
  for (const char* text : {"S1.1", "S10", "S1.100", "S,10", "S.10", "SA.10"})
    EXPECT_EQ(Settled(text, 0, 0.8f, "$", 0.15f), text);
}

// "F00D": the second is in doubt, and the first could be an O, too.
TEST(LookAlikes, OneShapeInOneWord_IsOneCharacter) {
  const auto settled = [](std::string_view text, size_t first,
                          float first_other, size_t second,
                          std::string_view other) {
    std::vector<CtcStep> steps = StepsOf(text);
    for (size_t s = 1; s < 3; ++s) {
      steps[3 * first + s].others[1] = {SignClass(other), first_other};
      steps[3 * second + s].probability = 0.83f;
      steps[3 * second + s].others[1] = {SignClass(other), 0.166f};
    }
    Apply(&LookAlikes::Correct, steps);
    return DecodeCtc(steps, Letters()).text;
  };
  EXPECT_EQ(settled("F00D", 1, 0.03f, 2, "O"), "FOOD");
  // The network did not think of it, or the word is one of digits.
  EXPECT_EQ(settled("F00D", 1, 0.0f, 2, "O"), "F00D");
  EXPECT_EQ(settled("F007", 1, 0.03f, 2, "O"), "F007");
  EXPECT_EQ(settled("11th", 0, 0.03f, 1, "l"), "11th");
  // Cases are apart.
  EXPECT_EQ(settled("CaveC", 0, 0.03f, 4, "c"), "Cavec");
}

TEST(LookAlikes, OtherShapes_Stay) {
  EXPECT_EQ(Settled("OU4CE", 2, 0.5f, "R", 0.4f), "OU4CE");
  EXPECT_EQ(Settled("OUrCE", 2, 0.5f, "T", 0.4f), "OUrCE");
  EXPECT_EQ(Settled("OUrCE", 2, 0.5f, "R", 0.4f), "OURCE");
}

TEST(LookAlikes, WordsOfSeveralKinds_Stay) {
  EXPECT_EQ(Settled("B0X7", 1, 0.5f, "O", 0.4f), "B0X7");
  EXPECT_EQ(Settled("A0", 1, 0.5f, "O", 0.4f), "A0");
  EXPECT_EQ(Settled("Wow", 0, 0.6f, "w", 0.3f), "Wow");
  // The first letter of a word may be a capital, and a name have more of them.
  EXPECT_EQ(Settled("Start", 0, 0.5f, "5", 0.4f), "Start");
  EXPECT_EQ(Settled("MacDo", 3, 0.5f, "O", 0.4f), "MacDo");
  // Words end at spaces: the digits are others.
  EXPECT_EQ(Settled("No 17O5", 5, 0.5f, "0", 0.4f), "No 1705");
  EXPECT_EQ(Settled("go 0 on", 3, 0.5f, "o", 0.4f), "go 0 on");
}

TEST(LookAlikes, NoCharacter_VanishesBesideItsTwin) {
  // "b0ok" whose characters stand without a blank between them.
  std::vector<CtcStep> steps = {
      {SignClass("b"), 0.9f, {}},
      {SignClass("0"), 0.5f, {{{SignClass("o"), 0.4f}}}},
      {SignClass("o"), 0.95f, {}},
      {SignClass("k"), 0.95f, {}}};
  Apply(&LookAlikes::Correct, steps);
  EXPECT_EQ(DecodeCtc(steps, Letters()).text, "b0ok");
}

TEST(LookAlikes, ALineWithoutCharacters_Stays) {
  std::vector<CtcStep> steps(3);
  Apply(&LookAlikes::CorrectWidths, steps);
  Apply(&LookAlikes::Correct, steps);
  EXPECT_EQ(DecodeCtc(steps, Letters()).text, "");
  steps.clear();
  Apply(&LookAlikes::Correct, steps);
  EXPECT_TRUE(steps.empty());
}

}  // namespace
}  // namespace munja::ocr
