#include "reading/correct/script.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using text::AppendUtf8;
using text::CtcStep;
using text::DecodeUtf8;
using text::Dictionary;
using text::Script;
using text::ScriptGuess;

// Latin letters, digits and signs; `more`: other symbols, one a line.
Dictionary KnownLetters(const std::string& more = "") {
  std::string symbols;
  for (char c = '!'; c <= '~'; ++c) symbols += std::string(1, c) + "\n";
  return Dictionary::Parse(symbols + more, true).value();
}

std::string SymbolsBetween(char32_t first, char32_t last) {
  std::string lines;
  for (char32_t c = first; c <= last; ++c) {
    AppendUtf8(c, lines);
    lines += '\n';
  }
  return lines;
}

// A reading of `text` with this probability of each letter.
std::vector<CtcStep> Read(const Dictionary& dictionary, const std::string& text,
                          float probability) {
  std::vector<CtcStep> steps;
  for (const char32_t c : DecodeUtf8(text)) {
    std::string symbol;
    AppendUtf8(c, symbol);
    int cls = 0;
    for (int i = 1; i < dictionary.classes(); ++i)
      if (dictionary.symbol(i) == symbol) cls = i;
    steps.push_back({cls, probability, {}});
    if (probability < 0.9f) steps.back().others[0] = {cls - 1, 0.15f};
    steps.push_back({0, probability < 0.9f ? 0.9f : 0.999f, {}});
  }
  return steps;
}

// A reader that says where it cannot read, by one mark of each script.
TEST(ScriptJudge, MarksOfTheNetwork_TellTheScript) {
  std::string marks;
  for (const Script script : {Script::kCyrillic, Script::kCjk}) {
    AppendUtf8(text::MarkOf(script), marks);
    marks += "\n";
  }
  const Dictionary dictionary = KnownLetters(marks);
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  const auto judged = [&](std::u32string_view text) {
    return judge.Judge(Read(dictionary, text::EncodeUtf8(text), 0.99f));
  };
  constexpr char32_t kCyrillic = text::MarkOf(Script::kCyrillic),
                     kCjk = text::MarkOf(Script::kCjk);
  const std::u32string cyrillic(1, kCyrillic), cjk(1, kCjk);
  const ScriptGuess russian = judged(cyrillic + U" " + cyrillic + U", " + cjk);
  EXPECT_EQ(russian.script, Script::kCyrillic);
  EXPECT_EQ(russian.unknown, 1);
  EXPECT_EQ(judged(cjk + U".").script, Script::kCjk);
  // Letters and digits beside an unreadable word are read: below the likelihood
  // from which models leave a line out.
  EXPECT_LT(judged(U"Law (" + cjk + U")").unknown, 0.9f);
  EXPECT_LT(judged(cjk + U" 1608").unknown, 0.9f);
  EXPECT_LT(judged(U"The Great Law (" + cjk + U") of 1608").unknown, 0.5f);
}

// Output of networks for Latin letters for lines in Russian.
constexpr const char* kRussian[] = {
    "HauHaerCA BOcCTaHOBneHMe TO9KW BO BpeMeHW", "VcnpaeHu noMepaj BHM3",
    "OTkpbITb nocneDHMe qOKyMeHTbI", "yCTaHOBKa npoTpaMMbI 3aBepweHa"};

TEST(ScriptJudge, RussianReadAsLatinLetters_IsUnknown) {
  const Dictionary dictionary = KnownLetters();
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  for (const char* text : kRussian) {
    const ScriptGuess guess = judge.Judge(Read(dictionary, text, 0.8f));
    EXPECT_GT(guess.unknown, 0.95f) << text;
    EXPECT_EQ(guess.script, Script::kCyrillic) << text;
  }
}

TEST(ScriptJudge, TextCodesAndAmounts_AreKnown) {
  const Dictionary dictionary = KnownLetters();
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  for (const char* text :
       {"the quick brown fox jumps", "TOTAL 12.50", "Invoice No. A-1047/B",
        "www.example.com", "SN: 8XK2-77QT-4B9Z", "22/11/2026 10:45", "Zürich",
        "A", "iPhone", "McDonald"}) {
    EXPECT_LT(judge.Judge(Read(dictionary, text, 0.98f)).unknown, 0.5f) << text;
  }
  EXPECT_EQ(judge.Judge({}).unknown, 0.0f);
  EXPECT_EQ(judge.Judge(Read(dictionary, "   ", 0.5f)).unknown, 0.0f);
}

// The guess is never a writing whose letters the network has.
TEST(ScriptJudge, ScriptsOfTheDictionary_AreNoGuess) {
  const Dictionary dictionary = KnownLetters(SymbolsBetween(0x0400, 0x045F));
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  for (const char* text : kRussian)
    EXPECT_NE(judge.Judge(Read(dictionary, text, 0.8f)).script,
              Script::kCyrillic)
        << text;
}

// The weights know nothing of how letters look that their networks did not
// have.
TEST(ScriptJudge, LettersOfOtherScriptsInTheDictionary_AreKnown) {
  const Dictionary dictionary = KnownLetters(
      SymbolsBetween(0x0400, 0x045F) + SymbolsBetween(0x0386, 0x03CE) +
      SymbolsBetween(0x05D0, 0x05EA) + SymbolsBetween(0x0620, 0x064A) +
      SymbolsBetween(0x0E01, 0x0E30) + SymbolsBetween(0x0904, 0x0939));
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  for (const char* text : {"Новая версия 2.0", "Δεν βρέθηκε", "שלום", "كتاب",
                           "กทม", "नमक", "ЦЕНА"})
    for (const float probability : {0.98f, 0.6f})
      EXPECT_EQ(judge.Judge(Read(dictionary, text, probability)).unknown, 0.0f)
          << text;
}

TEST(ScriptJudge, NetworksWithoutTheLatinAlphabet_AreNotJudged) {
  const Dictionary dictionary =
      Dictionary::Parse("0\n1\n2\n.\na\n", true).value();
  ScriptJudge judge{text::CharacterClasses(dictionary)};
  EXPECT_EQ(judge.Judge(Read(dictionary, "a012.aa1a0", 0.5f)).unknown, 0.0f);
}

TEST(ScriptJudge, EveryScriptButTheKnownOne_HasAName) {
  EXPECT_EQ(ScriptName(Script::kKnown), "");
  for (size_t i = 1; i < kScripts; ++i)
    EXPECT_NE(ScriptName(static_cast<Script>(i)), "");
}

}  // namespace
}  // namespace munja::ocr
