#include "text/language_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "text/language_model.h"

namespace munja::text {
namespace {

using testing::HasSubstr;
using Symbol = LanguageModel::Symbol;

constexpr size_t kPlenty = 1 << 20;

struct CountedWord {
  std::u32string word;
  double times;
};

const std::vector<CountedWord>& FewWords() {
  static const std::vector<CountedWord> words = {
      {U"abba", 1},   {U"abbe", 2}, {U"abe", 1},  {U"bad", 3}, {U"bade", 1},
      {U"babbel", 1}, {U"bead", 1}, {U"ebbe", 2}, {U"da", 5},  {U"dab", 1}};
  return words;
}

std::shared_ptr<const LanguageModel> LoadModel(std::vector<uint8_t> file) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(file);
  auto model = LanguageModel::Parse(*owner, owner);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? *model : nullptr;
}

std::vector<uint8_t> BuildWords(const std::vector<CountedWord>& words,
                                int order, size_t bytes = kPlenty) {
  auto builder = LanguageBuilder::Create(U"abdel", order);
  EXPECT_TRUE(builder.ok());
  for (const CountedWord& w : words) EXPECT_TRUE(builder->Add(w.word, w.times));
  auto file = builder->Build(bytes);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? *file : std::vector<uint8_t>();
}

// The definition, word by word: '#' is the edge.
class CountOracle {
 public:
  explicit CountOracle(const std::vector<CountedWord>& words) {
    for (const CountedWord& w : words) {
      std::string text = "#";
      for (const char32_t c : w.word) text += static_cast<char>(c);
      text += '#';
      for (size_t end = 2; end <= text.size(); ++end)
        for (size_t begin = 0; begin < end; ++begin)
          counts_[text.substr(begin, end - begin)] += w.times;
    }
  }
  double Probability(const std::string& context, char c) const {
    double sum = 0, own = 0, discounts = 0;
    for (const char other : std::string("#abdel")) {
      const auto at = counts_.find(context + other);
      if (at == counts_.end()) continue;
      sum += at->second;
      discounts += std::min(at->second, 0.75);
      if (other == c) own = std::max(at->second - 0.75, 0.0);
    }
    const double shorter =
        context.empty() ? 1.0 / 6 : Probability(context.substr(1), c);
    return sum == 0 ? shorter : own / sum + discounts / sum * shorter;
  }

 private:
  std::map<std::string, double> counts_;
};

std::vector<Symbol> SymbolsOf(const LanguageModel& model,
                              const std::string& text) {
  std::vector<Symbol> symbols;
  for (const char c : text)
    symbols.push_back(c == '#' ? LanguageModel::kEdge
                               : model.SymbolOf(static_cast<char32_t>(c)));
  return symbols;
}

// "", "a", ..., "#", "#a", ... as they may stand in words.
std::vector<std::string> Contexts(size_t longest) {
  std::vector<std::string> contexts = {""}, last = {""};
  for (size_t length = 1; length <= longest; ++length) {
    std::vector<std::string> next;
    for (const std::string& context : last)
      for (const char c : std::string("#abdel"))
        if (c != '#' || context.empty()) next.push_back(context + c);
    contexts.insert(contexts.end(), next.begin(), next.end());
    last = next;
  }
  return contexts;
}

TEST(LanguageBuilder, Probabilities_AreThoseOfTheCounts) {
  const CountOracle oracle(FewWords());
  for (const int order : {2, 3, 5, 6}) {
    const auto model = LoadModel(BuildWords(FewWords(), order));
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(model->order(), order);
    // Half a step of a 16th for each part of which a probability is made.
    const double tolerance = order / 32.0 + 1e-4;
    for (const std::string& context :
         Contexts(static_cast<size_t>(order) - 1)) {
      for (const char c : std::string("#abdel")) {
        const float log = model->LogProbability(SymbolsOf(*model, context),
                                                SymbolsOf(*model, {c})[0]);
        EXPECT_NEAR(log, std::log(oracle.Probability(context, c)), tolerance)
            << "order " << order << ", '" << c << "' behind '" << context
            << "'";
      }
    }
  }
}

TEST(LanguageBuilder, LongerContextsThanTheOrder_AreCutToIt) {
  const auto model = LoadModel(BuildWords(FewWords(), 3));
  EXPECT_EQ(model->LogProbability(SymbolsOf(*model, "#dabab"), 1),
            model->LogProbability(SymbolsOf(*model, "ab"), 1));
}

TEST(LanguageBuilder, PrunedNgrams_KeepSumsOfOne) {
  size_t before = 0;
  for (const size_t bytes : {110u, 150u, 200u, 300u, 100000u}) {
    const auto file = BuildWords(FewWords(), 4, bytes);
    EXPECT_LE(file.size(), bytes);
    const auto model = LoadModel(file);
    EXPECT_GE(model->size(), before);
    before = model->size();
    for (const std::string& context : Contexts(3)) {
      double sum = 0;
      for (Symbol symbol = 0; symbol <= model->letters(); ++symbol)
        sum += std::exp(static_cast<double>(
            model->LogProbability(SymbolsOf(*model, context), symbol)));
      EXPECT_NEAR(std::log(sum), 0, 4 / 32.0) << bytes << " " << context;
    }
  }
}

// Pruning to single n-grams that the size limit allows drops useless ones
// first: a model of half the bytes tells the words nearly as well.
TEST(LanguageBuilder, KeptNgrams_TellMost) {
  const auto full = LoadModel(BuildWords(FewWords(), 4));
  const auto cost = [&](const LanguageModel& model) {
    double sum = 0, letters = 0;
    for (const CountedWord& w : FewWords()) {
      std::vector<Symbol> context = {LanguageModel::kEdge};
      for (const char32_t c : w.word + U"#") {
        const Symbol symbol =
            c == U'#' ? LanguageModel::kEdge : model.SymbolOf(c);
        sum -= w.times *
               static_cast<double>(model.LogProbability(context, symbol));
        letters += w.times;
        context.push_back(symbol);
      }
    }
    return sum / letters;
  };
  const size_t all = BuildWords(FewWords(), 4).size();
  const size_t least = BuildWords(FewWords(), 4, 100).size();
  const auto half = LoadModel(BuildWords(FewWords(), 4, (all + least) / 2));
  const auto none = LoadModel(BuildWords(FewWords(), 4, 100));
  EXPECT_LT(cost(*full), cost(*half) + 1e-9);
  EXPECT_LT(cost(*half), cost(*none));
  EXPECT_LT(cost(*half) - cost(*full), 0.5 * (cost(*none) - cost(*full)));
}

TEST(LanguageBuilder, TheOrderOfWords_DoesNotMatter) {
  std::vector<CountedWord> words = FewWords();
  const auto first = BuildWords(words, 5, 300);
  std::reverse(words.begin(), words.end());
  EXPECT_EQ(BuildWords(words, 5, 300), first);
  std::swap(words[1], words[6]);
  EXPECT_EQ(BuildWords(words, 5, 300), first);
}

TEST(LanguageBuilder, Words_AreRunsOfLettersInEitherCase) {
  auto a = LanguageBuilder::Create(U"ABDEL", 4);
  auto b = LanguageBuilder::Create(U"abdel", 4);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(a->Add(U"Bad-dab, (EBBE)"));
  EXPECT_TRUE(b->Add(U"bad"));
  EXPECT_TRUE(b->Add(U"dab"));
  EXPECT_TRUE(b->Add(U"ebbe"));
  EXPECT_EQ(*a->Build(kPlenty), *b->Build(kPlenty));
  // Other letters and digits make it a word that is not known here.
  EXPECT_FALSE(a->Add(U"bad3"));
  EXPECT_FALSE(a->Add(U"baß"));
  EXPECT_FALSE(a->Add(U"가da"));
  EXPECT_EQ(*a->Build(kPlenty), *b->Build(kPlenty));
  const auto model = LoadModel(*a->Build(kPlenty));
  EXPECT_EQ(model->SymbolOf(U'D'), model->SymbolOf(U'd'));
  EXPECT_NE(model->SymbolOf(U'd'), LanguageModel::kEdge);
  EXPECT_EQ(model->SymbolOf(U'c'), LanguageModel::kEdge);
  EXPECT_EQ(model->SymbolOf(U'3'), LanguageModel::kEdge);
}

// More than 255 letters: two bytes for each.
TEST(LanguageBuilder, LargeAlphabet_IsBuilt) {
  std::u32string syllables;
  for (char32_t c = U'가'; c < U'가' + 400; ++c) syllables += c;
  auto builder = LanguageBuilder::Create(syllables, 3);
  ASSERT_TRUE(builder.ok());
  const std::u32string word = {U'가', U'가' + 399, U'가' + 300};
  EXPECT_TRUE(builder->Add(word, 20));
  EXPECT_TRUE(builder->Add(U"가각", 1));
  const auto model = LoadModel(*builder->Build(kPlenty));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->letters(), 400u);
  const Symbol last = model->SymbolOf(word[2]);
  EXPECT_EQ(last, 301);
  const std::vector<Symbol> context = {model->SymbolOf(word[0]),
                                       model->SymbolOf(word[1])};
  EXPECT_GT(model->LogProbability(context, last), std::log(0.9f));
  EXPECT_LT(model->LogProbability(context, 5), std::log(0.01f));
}

TEST(LanguageBuilder, LargestAlphabet_IsTaken) {
  std::u32string letters;
  for (char32_t c = 0x20000; letters.size() < 65535; ++c) letters += c;
  EXPECT_TRUE(LanguageBuilder::Create(letters, 2).ok());
  letters += U'a';
  EXPECT_FALSE(LanguageBuilder::Create(letters, 2).ok());
  // Either case of a letter is one.
  letters.back() = U'\u0391';
  letters[0] = U'\u03B1';
  EXPECT_TRUE(LanguageBuilder::Create(letters, 2).ok());
}

TEST(LanguageBuilder, Errors_AreNamed) {
  const auto why = [](const auto& result) {
    EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
    return std::string(result.status().message());
  };
  EXPECT_THAT(why(LanguageBuilder::Create(U"abc", 1)), HasSubstr("order is 1"));
  EXPECT_THAT(why(LanguageBuilder::Create(U"abc", 7)), HasSubstr("2 to 6"));
  EXPECT_THAT(why(LanguageBuilder::Create(U"", 3)), HasSubstr("0 letters"));
  auto builder = LanguageBuilder::Create(U"abc", 3);
  EXPECT_THAT(why(builder->Build(kPlenty)), HasSubstr("no words"));
  EXPECT_TRUE(builder->Add(U"--"));
  EXPECT_THAT(why(builder->Build(kPlenty)), HasSubstr("no words"));
  builder->Add(U"abc");
  EXPECT_THAT(why(builder->Build(20)), HasSubstr("at least"));
}

}  // namespace
}  // namespace munja::text
