#include "text/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/testing.h"

namespace munja::text {
namespace {

using testing::HasSubstr;

void Put32(uint32_t value, std::vector<uint8_t>& out) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<uint8_t>(value >> shift));
}

// By hand, of the letters a and b: "ab" and "ba" are the pairs that are listed,
// and the edge behind a.
constexpr size_t kVersionAt = 4, kOrderAt = 8, kLettersAt = 12, kSinglesAt = 16,
                 kPairsAt = 20, kAlphabetAt = 24, kChildrenAt = 38,
                 kPairSymbolsAt = 50;
std::vector<uint8_t> TwoLetters() {
  std::vector<uint8_t> file = {'M', 'N', 'J', 'L'};
  for (const uint32_t n : {1u, 2u, 2u, 3u, 3u}) Put32(n, file);
  Put32('a', file);
  Put32('b', file);
  for (const int q : {16, 8, 24}) file.push_back(static_cast<uint8_t>(q));
  for (const int q : {0, 4, 32}) file.push_back(static_cast<uint8_t>(q));
  for (const int at : {0, 0, 2, 3})
    for (const int byte : {at, 0, 0})
      file.push_back(static_cast<uint8_t>(byte));
  for (const int symbol : {0, 2, 1})
    file.push_back(static_cast<uint8_t>(symbol));
  for (const int q : {3, 5, 7}) file.push_back(static_cast<uint8_t>(q));
  return file;
}

Result<std::shared_ptr<const LanguageModel>> ParseFile(
    const std::vector<uint8_t>& file) {
  return LanguageModel::Parse(file, nullptr);
}

TEST(LanguageModel, File_IsReadAsItIsWritten) {
  const std::vector<uint8_t> file = TwoLetters();
  const auto parsed = ParseFile(file);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const LanguageModel& model = **parsed;
  EXPECT_EQ(model.order(), 2);
  EXPECT_EQ(model.letters(), 2u);
  EXPECT_EQ(model.size(), 6u);
  EXPECT_EQ(model.SymbolOf(U'a'), 1);
  EXPECT_EQ(model.SymbolOf(U'B'), 2);
  EXPECT_EQ(model.SymbolOf(U'c'), LanguageModel::kEdge);
  using Context = std::vector<LanguageModel::Symbol>;
  const auto p = [&](const Context& context, LanguageModel::Symbol symbol) {
    return 16 * model.LogProbability(context, symbol);
  };
  EXPECT_FLOAT_EQ(p({}, 1), -8);
  EXPECT_FLOAT_EQ(p({1}, 0), -3);  // Listed.
  EXPECT_FLOAT_EQ(p({1}, 2), -5);
  EXPECT_FLOAT_EQ(p({2}, 1), -7);
  EXPECT_FLOAT_EQ(p({1}, 1), -4 - 8);  // Not listed: backs off.
  EXPECT_FLOAT_EQ(p({2}, 2), -32 - 24);
  EXPECT_FLOAT_EQ(p({0}, 1), -8);        // Nothing is known of the context.
  EXPECT_FLOAT_EQ(p({1, 2, 1}, 0), -3);  // One letter of it counts.
}

TEST(LanguageModel, Quantization_IsToTheNearestSixteenth) {
  for (const double log : {0.0, -0.03, -0.032, -1.0, -7.77, -15.9, -15.94}) {
    EXPECT_NEAR(static_cast<double>(LanguageLog(QuantizeLanguageLog(log))), log,
                1.0 / 32 + 1e-9);
  }
  EXPECT_EQ(QuantizeLanguageLog(-1000), 255);
  EXPECT_EQ(QuantizeLanguageLog(1e-12), 0);
}

TEST(LanguageModel, EveryCut_IsRefused) {
  const std::vector<uint8_t> file = TwoLetters();
  for (size_t size = 0; size < file.size(); ++size) {
    // Memory of just that size, so that a sanitizer sees what lies behind.
    const std::vector<uint8_t> cut(file.begin(),
                                   file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(ParseFile(cut).status().code(), Code::kMalformed) << size;
  }
}

TEST(LanguageModel, Errors_AreNamed) {
  const auto why = [](size_t at, std::vector<uint8_t> bytes) {
    std::vector<uint8_t> file = TwoLetters();
    std::memcpy(file.data() + at, bytes.data(), bytes.size());
    const auto model = ParseFile(file);
    EXPECT_FALSE(model.ok());
    return std::string(model.status().message());
  };
  EXPECT_THAT(why(0, {'X'}), HasSubstr("not a language model"));
  EXPECT_THAT(why(kVersionAt, {2}), HasSubstr("newer than this program"));
  EXPECT_THAT(why(kVersionAt, {0}), HasSubstr("version is 0"));
  EXPECT_THAT(why(kOrderAt, {1}), HasSubstr("order is 1"));
  EXPECT_THAT(why(kOrderAt, {7}), HasSubstr("wants 2 to 6"));
  EXPECT_THAT(why(kLettersAt, {0}), HasSubstr("0 letters"));
  EXPECT_THAT(why(kLettersAt, {0, 0, 1, 0}), HasSubstr("65536 letters"));
  EXPECT_THAT(why(kLettersAt, {3}), HasSubstr("for an alphabet of 3"));
  EXPECT_THAT(why(kSinglesAt, {2}), HasSubstr("2 single letters"));
  EXPECT_THAT(why(kPairsAt, {2}), HasSubstr("too many"));
  EXPECT_THAT(why(kPairsAt, {4}), HasSubstr("cut short"));
  EXPECT_THAT(why(kPairsAt, {0xFF, 0xFF, 0xFF, 0xFF}),
              HasSubstr("4294967295 n-grams"));
  EXPECT_THAT(why(kAlphabetAt, {'b'}), HasSubstr("ascending"));
  EXPECT_THAT(why(kChildrenAt, {1}), HasSubstr("not all of them"));
  EXPECT_THAT(why(kChildrenAt + 9, {2}), HasSubstr("not all of them"));
  EXPECT_THAT(why(kChildrenAt + 3, {3}), HasSubstr("out of order"));
  EXPECT_THAT(why(kChildrenAt + 6, {0xFF, 0xFF, 0xFF}),
              HasSubstr("out of order"));
  EXPECT_THAT(why(kPairSymbolsAt, {3}), HasSubstr("not in the alphabet"));
  EXPECT_THAT(why(kPairSymbolsAt, {2}), HasSubstr("out of order"));
  std::vector<uint8_t> longer = TwoLetters();
  longer.push_back(0);
  EXPECT_THAT(std::string(ParseFile(longer).status().message()),
              HasSubstr("1 bytes too many"));
}

// Against the words as wholes, shorter and longer than what the model looks
// back.
TEST(LanguageModel, TwoWords_AreComparedWithTheOneThatTheyMake) {
  using Word = std::vector<LanguageModel::Symbol>;
  const auto model = ModelOf(
      U"abcdefghijklmnopqrstuvwxyz",
      {U"of", U"the", U"often", U"sultan", U"return", U"returnable", U"able"},
      /*order=*/6);
  const auto word = [&](std::u32string_view letters) {
    Word symbols;
    for (const char32_t c : letters) symbols.push_back(model->SymbolOf(c));
    return symbols;
  };
  const auto log = [&](const Word& letters) {
    Word context = {LanguageModel::kEdge};
    double sum = 0;
    for (const auto symbol : letters) {
      sum += model->LogProbability(context, symbol);
      context.push_back(symbol);
    }
    return sum + model->LogProbability(context, LanguageModel::kEdge);
  };
  const std::u32string_view kWords[] = {U"a",        U"of",        U"the",
                                        U"sul",      U"tan",       U"return",
                                        U"turnable", U"returnable"};
  for (const auto left : kWords) {
    for (const auto right : kWords) {
      const Word a = word(left), b = word(right);
      Word both = a;
      both.insert(both.end(), b.begin(), b.end());
      // Sums of a dozen floats.
      EXPECT_NEAR(WordBreak(*model, a, b), log(a) + log(b) - log(both), 1e-4);
    }
  }
  EXPECT_GT(WordBreak(*model, word(U"of"), word(U"the")), 0);
  EXPECT_LT(WordBreak(*model, word(U"sul"), word(U"tan")), 0);
}

}  // namespace
}  // namespace munja::text
