#include "reading/correct/language_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/testing.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using text::AppendUtf8;
using text::CtcChoice;
using text::CtcStep;
using text::DecodeCtc;
using text::DecodeUtf8;
using text::Dictionary;
using text::EncodeUtf8;
using text::Language;
using text::LanguageModel;
using text::ModelOf;
using text::WordList;

// One class for each character of the tests; the last is the space.
const Dictionary& SearchLetters() {
  static const Dictionary dictionary = [] {
    std::string lines;
    for (const char32_t c : DecodeUtf8(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             ".,:'-@/()가각나다라票号ж")) {
      AppendUtf8(c, lines);
      lines += '\n';
    }
    return std::move(Dictionary::Parse(lines, true)).value();
  }();
  return dictionary;
}

int SearchClass(std::string_view symbol) {
  if (symbol == "_") return 0;  // The blank.
  for (int cls = 1; cls < SearchLetters().classes(); ++cls)
    if (SearchLetters().symbol(cls) == symbol) return cls;
  ADD_FAILURE() << "no class for " << symbol;
  return 0;
}

const text::CharacterClasses& SearchClasses() {
  static const text::CharacterClasses classes(SearchLetters());
  return classes;
}

// Searches in `steps`; returns whether the search changed them.
bool Search(const Language& language, const LanguageWeights& weights,
            std::vector<CtcStep>& steps) {
  LineHypothesis line(SearchClasses(), steps);
  const bool is_changed =
      LanguageSearch(SearchClasses(), language, weights).Improve(line);
  steps = line.steps;
  return is_changed;
}

std::shared_ptr<const WordList> ListOf(std::string_view words) {
  return WordList::Parse(words).value();
}

const Language& English() {
  static const Language language = {
      {ModelOf(U"abcdefghijklmnopqrstuvwxyz",
               {U"invoice", U"total", U"the", U"voice", U"modern", U"price",
                U"receipt", U"table"}),
       ModelOf(U"가각나다라", {U"가나다", U"나라"})},
      nullptr};
  return language;
}

// A character, or "other|probability of the first|other": "o0.6c" is an o that
// may be a c. A blank before each character, which takes two steps.
struct Read {
  std::string symbol;
  float probability = 0.98f;
  std::string other = "_";
  float other_probability = 0;
};
std::vector<CtcStep> StepsFor(const std::vector<Read>& line) {
  std::vector<CtcStep> steps;
  for (const Read& read : line) {
    steps.push_back({0, 0.99f, {}});
    for (int i = 0; i < 2; ++i)
      steps.push_back(
          {SearchClass(read.symbol),
           read.probability,
           {{{SearchClass(read.other), read.other_probability}, {0, 0.0f}}}});
  }
  return steps;
}

// "in[v|y]oice": the v is doubted (0.55) and may be a y (0.4).
std::vector<CtcStep> StepsFor(std::string_view text) {
  std::vector<Read> line;
  const std::u32string letters = DecodeUtf8(text);
  const auto symbol = [](char32_t c) { return EncodeUtf8({&c, 1}); };
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == U'[') {
      line.push_back(
          {symbol(letters[i + 1]), 0.55f, symbol(letters[i + 3]), 0.4f});
      i += 4;
    } else {
      line.push_back({symbol(letters[i])});
    }
  }
  return StepsFor(line);
}

constexpr LanguageWeights kWeights = {0.5f, 2.0f, 0.0f, 16};

std::string Improved(std::string_view text,
                     const Language& language = English(),
                     const LanguageWeights& weights = kWeights) {
  std::vector<CtcStep> steps = StepsFor(text);
  const std::string before = DecodeCtc(steps, SearchLetters()).text;
  const bool is_changed = Search(language, weights, steps);
  const std::string after = DecodeCtc(steps, SearchLetters()).text;
  if (!is_changed) {
    EXPECT_EQ(after, before);
  }
  return after;
}

TEST(LanguageSearch, LettersInDoubt_AreThoseOfTheWord) {
  EXPECT_EQ(Improved("in[y|v]oice"), "invoice");
  EXPECT_EQ(Improved("tota[i|l]"), "total");
  EXPECT_EQ(Improved("the [p|m]odern ta[h|b]le"), "the modern table");
  EXPECT_EQ(Improved("INVO[L|I]CE"), "INVOICE");
  EXPECT_EQ(Improved("[l|I]nvoice,"), "Invoice,");
  EXPECT_EQ(Improved("가[각|나]다"), "가나다");
  // Correct text stays.
  EXPECT_EQ(Improved("in[v|y]oice"), "invoice");
}

TEST(LanguageSearch, Letters_AreMissingOrTooMany) {
  // A blank that may be the letter that the word lacks.
  EXPECT_EQ(Improved("invo[_|i]ce"), "invoice");
  EXPECT_EQ(Improved("invo[i|_]ce"), "invoice");
  EXPECT_EQ(Improved("invoi[i|_]ce").size(), Improved("invoice").size());
}

TEST(LanguageSearch, AWord_KeepsWhatItBeginsAndEndsWith) {
  constexpr LanguageWeights strong = {5, 0, 0, 16};
  EXPECT_EQ(Improved("[x|_]the", English(), strong), "xthe");
  EXPECT_EQ(Improved("the[x|_]", English(), strong), "thex");
  // Another letter may stand there.
  EXPECT_EQ(Improved("[f|t]he", English(), strong), "the");
  EXPECT_EQ(Improved("th[c|e]", English(), strong), "the");
  // As the letter beside it, it would become one with that.
  std::vector<CtcStep> steps = StepsFor("[x|t]the");
  steps.erase(steps.begin() + 3);  // The blank between.
  Search(English(), strong, steps);
  EXPECT_EQ(DecodeCtc(steps, SearchLetters()).text, "xthe");
}

TEST(LanguageSearch, ReliableLetters_Stay) {
  for (const float sure : {0.95f, 0.97f, 0.999f}) {
    std::vector<CtcStep> steps = StepsFor(
        {{"i"}, {"n"}, {"y", sure, "v", 1 - sure}, {"o"}, {"i"}, {"c"}, {"e"}});
    EXPECT_FALSE(Search(English(), {5, 2, 0, 16}, steps));
    EXPECT_EQ(DecodeCtc(steps, SearchLetters()).text, "inyoice");
  }
  // Also where one step of the character alone is sure.
  std::vector<CtcStep> steps = StepsFor("in[y|v]oice");
  steps[7].probability = 0.97f;
  EXPECT_FALSE(Search(English(), {5, 2, 0, 16}, steps));
}

// They may be of a language that no model knows.
TEST(LanguageSearch, ClearWords_BecomeNoOtherUnknownOnes) {
  EXPECT_EQ(Improved("wkzgrubxq[k|e]dziw"), "wkzgrubxqkdziw");
  // Only the part that changes has to be known.
  EXPECT_EQ(Improved("invoi[k|c]e(wkzgrubxqq)"), "invoice(wkzgrubxqq)");
}

TEST(LanguageSearch, CodesAmountsAndAddresses_AreLeftUnchanged) {
  for (const std::string text :
       {"in[y|v]oice7", "B2[y|v]oice", "in[y|v]oice.com", "a@in[y|v]oice",
        "in[y|v]oice/total", "1[i|l]", "[l|i]n", "invo[1|i]ce"}) {
    std::string as_read;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') {
        as_read += text[i + 1];
        i += 4;
      } else {
        as_read += text[i];
      }
    }
    EXPECT_EQ(Improved(text, English(), {5, 2, 0, 16}), as_read);
  }
  // Codes stay even where a model knows digits.
  const Language with_digits = {
      {ModelOf(U"abcdefghijklmnopqrstuvwxyz0123456789", {U"b2voice"})},
      nullptr};
  EXPECT_EQ(Improved("b2[y|v]oice", with_digits, {5, 2, 0, 16}), "b2yoice");
  // Letters of two models, and of none: such a line is of another language.
  EXPECT_EQ(Improved("票号 in[y|v]oice", English(), {5, 2, 0, 16}),
            "票号 inyoice");
  EXPECT_EQ(Improved("in[y|v]oice ж", English(), {5, 2, 0, 16}), "inyoice ж");
  EXPECT_EQ(Improved("가나다 in[y|v]oice", English(), {5, 2, 0, 16}),
            "가나다 invoice");
  EXPECT_EQ(Improved("tota[i|l]가", English(), {5, 2, 0, 16}), "totai가");
  // Such a line is searched for the user's words only.
  const Language both = {English().models, ListOf("Zyxo")};
  EXPECT_EQ(Improved("in[y|v]oice [2|Z]yxo ж", both, {5, 2, 9, 16}),
            "inyoice Zyxo ж");
}

TEST(LanguageSearch, Letters_StayInTheirCase) {
  // "inVoice" is no better than "inyoice".
  EXPECT_EQ(Improved("in[y|V]oice"), "inyoice");
  EXPECT_EQ(Improved("INV[0|O]ICE"), "INV0ICE");  // A digit: a code.
  EXPECT_EQ(Improved("INV[Q|o]ICE"), "INVQICE");
}

TEST(LanguageSearch, WithoutWeight_NothingChanges) {
  EXPECT_EQ(Improved("in[y|v]oice", English(), {0, 2, 5, 16}), "inyoice");
  EXPECT_EQ(Improved("in[y|v]oice", {}, kWeights), "inyoice");
}

TEST(LanguageSearch, AUsersWords_AreRaised) {
  const Language words = {{}, ListOf("Zyxo\nAB-12/X\nQ7\nC++\n")};
  constexpr LanguageWeights weights = {0, 2, 3, 16};
  EXPECT_EQ(Improved("[2|Z]yxo", words, weights), "Zyxo");
  EXPECT_EQ(Improved("(zy[v|x]o)", words, weights), "(zyxo)");
  EXPECT_EQ(Improved("号 [2|Z]yxo", words, weights), "号 Zyxo");
  // Codes, too: the user knows them.
  EXPECT_EQ(Improved("AB-[l|1]2/X", words, weights), "AB-12/X");
  EXPECT_EQ(Improved("[O|Q]7", words, weights), "Q7");
  // Parts of words and longer words are others.
  EXPECT_EQ(Improved("[2|Z]yxoo", words, weights), "2yxoo");
  EXPECT_EQ(Improved("[2|Z]yx", words, weights), "2yx");
  // Surely read is surely read.
  EXPECT_EQ(Improved("2yxo", words, weights), "2yxo");
  // Beside a language they outweigh it.
  const Language both = {English().models, ListOf("inyoice")};
  EXPECT_EQ(Improved("in[v|y]oice", both, {0.5f, 2, 30, 16}), "inyoice");
  EXPECT_EQ(Improved("in[v|y]oice", both, {0.5f, 2, 0, 16}), "invoice");
}

TEST(LanguageSearch, Spaces_Stay) {
  const std::vector<Read> line = {{"t"}, {"h"}, {"e"}, {" ", 0.5f, "n", 0.45f},
                                  {"t"}, {"h"}, {"e"}};
  std::vector<CtcStep> steps = StepsFor(line);
  Search(English(), {5, 2, 0, 16}, steps);
  EXPECT_EQ(DecodeCtc(steps, SearchLetters()).text, "the the");
}

// The text of a choice of classes for all steps and what it scores, by the
// definition.
struct Scored {
  std::string text;
  double score;
};
Scored ScoreOf(const std::vector<CtcStep>& steps, const std::vector<int>& path,
               const std::vector<double>& logs, const LanguageModel& model,
               const std::vector<std::string>& words,
               const LanguageWeights& weights) {
  Scored scored = {"", 0};
  for (const double log : logs) scored.score += log;
  int last = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (path[i] != 0 && path[i] != last)
      scored.text += SearchLetters().symbol(path[i]);
    last = path[i];
  }
  std::vector<LanguageModel::Symbol> context = {LanguageModel::kEdge};
  for (const char32_t c : DecodeUtf8(scored.text)) {
    const LanguageModel::Symbol symbol = model.SymbolOf(c);
    scored.score += static_cast<double>(weights.model) *
                    static_cast<double>(model.LogProbability(context, symbol) +
                                        weights.letter);
    context.push_back(symbol);
  }
  if (!scored.text.empty())
    scored.score += static_cast<double>(weights.model) *
                    static_cast<double>(
                        model.LogProbability(context, LanguageModel::kEdge));
  if (std::find(words.begin(), words.end(), scored.text) != words.end())
    scored.score += static_cast<double>(weights.word);
  return scored;
}

TEST(LanguageSearch, Search_FindsWhatTryingEveryPathFinds) {
  std::mt19937 random(7);
  const auto unit = [&] {
    return static_cast<float>(random() % 10000) / 10000.0f;
  };
  const std::vector<std::string> words = {"abc", "cab", "aabb"};
  const Language language = {
      {ModelOf(U"abc", {U"abc", U"cab", U"abba", U"cabac", U"baa"})},
      ListOf("abc\ncab\naabb")};
  int changed = 0;
  for (int round = 0; round < 80; ++round) {
    const LanguageWeights weights = {0.2f + unit(), 2 * unit(), 2 * unit(),
                                     1000};
    // Letters that are sure at both ends and in the middle, so that it is a
    // word of three letters and more whatever the others are.
    std::vector<CtcStep> steps;
    const auto sure = [&] {
      steps.push_back(
          {SearchClass(std::string_view("abc").substr(random() % 3, 1)),
           0.95f,
           {}});
      steps.push_back({0, 0.99f, {}});
    };
    sure();
    for (int part = 0; part < 2; ++part) {
      for (unsigned i = 0; i < 2 + random() % 2; ++i) {
        std::vector<int> classes = {0, SearchClass("a"), SearchClass("b"),
                                    SearchClass("c")};
        std::shuffle(classes.begin(), classes.end(), random);
        const float p = 0.4f + 0.4f * unit(), q = (1 - p) * 0.7f;
        steps.push_back(
            {classes[0], p, {{{classes[1], q}, {classes[2], 1 - p - q}}}});
      }
      steps.push_back({0, 0.99f, {}});
      sure();
    }
    // Every path.
    std::vector<int> path;
    std::vector<double> logs;
    Scored best = {"", -1e9};
    const std::function<void()> go_on = [&] {
      const size_t i = path.size();
      if (i == steps.size()) {
        const Scored scored =
            ScoreOf(steps, path, logs, *language.models[0], words, weights);
        if (scored.score > best.score) best = scored;
        return;
      }
      const auto choose = [&](int cls, double log) {
        path.push_back(cls);
        logs.push_back(log);
        go_on();
        path.pop_back();
        logs.pop_back();
      };
      // Steps of a character that is sure somewhere are.
      const bool is_sure = steps[i].probability >= 0.9f;
      const auto log_of = [&](float p) {
        return is_sure ? 0.0 : std::log(static_cast<double>(p));
      };
      choose(steps[i].cls, log_of(steps[i].probability));
      if (is_sure) return;
      for (const CtcChoice& other : steps[i].others)
        choose(other.cls, log_of(other.probability));
    };
    go_on();
    const std::string before = DecodeCtc(steps, SearchLetters()).text;
    std::vector<CtcStep> found = steps;
    Search(language, weights, found);
    // The same path or one that is as good, and not another text by chance.
    std::vector<int> classes;
    std::vector<double> found_logs;
    for (size_t i = 0; i < found.size(); ++i) {
      classes.push_back(found[i].cls);
      if (steps[i].probability < 0.9f)
        found_logs.push_back(
            std::log(static_cast<double>(found[i].probability)));
    }
    const Scored scored = ScoreOf(found, classes, found_logs,
                                  *language.models[0], words, weights);
    EXPECT_NEAR(scored.score, best.score, 1e-4)
        << round << ": " << scored.text << " " << best.text;
    if (scored.text != before) ++changed;
  }
  EXPECT_GT(changed, 10);
}

// A narrow beam may miss the best reading, but gives one of the lattice's.
TEST(LanguageSearch, ANarrowBeam_ReadsToo) {
  EXPECT_EQ(Improved("in[y|v]oice", English(), {0.5f, 2, 0, 4}), "invoice");
  EXPECT_EQ(Improved("[y|i]n[y|v]o[l|i][e|c]e", English(), {0.5f, 2, 0, 16}),
            "invoice");
}

}  // namespace
}  // namespace munja::ocr
