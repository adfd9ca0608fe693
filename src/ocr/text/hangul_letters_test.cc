#include "text/hangul_letters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace munja::text {
namespace {

using ::testing::HasSubstr;

std::string Syllables(char32_t first, char32_t last) {
  std::string lines;
  for (char32_t c = first; c <= last; ++c)
    lines += EncodeUtf8(std::u32string(1, c)) + "\n";
  return lines;
}

// "a", all syllables, "%" and a space.
Dictionary WithSyllables() {
  return Dictionary::Parse("a\n" + Syllables(U'가', U'힣') + "%\n", true)
      .value();
}

// A row without anything.
std::vector<float> Row(const HangulLetters& letters) {
  return std::vector<float>(static_cast<size_t>(letters.columns()), 0.0f);
}

TEST(HangulLetters, Columns_AreOfWholeClassesAndLetters) {
  const Dictionary dictionary = WithSyllables();
  const auto letters = HangulLetters::Create(dictionary);
  ASSERT_TRUE(letters.ok()) << letters.status().message();
  // Blank, a, any syllable, %, space; 19, 21 and 28 letters.
  EXPECT_EQ(letters->whole_columns(), 5);
  EXPECT_EQ(letters->columns(), 5 + 68);
  EXPECT_EQ(letters->ColumnOf(dictionary.ClassOf("a")), 1);
  EXPECT_EQ(letters->ColumnOf(dictionary.ClassOf("각")), 2);
  EXPECT_EQ(letters->ColumnOf(dictionary.ClassOf("%")), 3);
  EXPECT_EQ(letters->ColumnOf(dictionary.ClassOf(" ")), 4);
  for (const int column : {0, 1, 3, 4})
    EXPECT_EQ(letters->ColumnOf(letters->ClassOf(column)), column);
}

// The oracle is Unicode's decomposition: 닭 is ㄷ, ㅏ, ㄺ, which are numbers 3,
// 0 and 9 of U+1103, U+1161 and U+11B0 in their tables.
TEST(HangulLetters, Syllables_AreComposedAsUnicodeDoes) {
  const Dictionary dictionary = WithSyllables();
  const auto letters = HangulLetters::Create(dictionary);
  ASSERT_TRUE(letters.ok()) << letters.status().message();
  const int chicken =
      letters->Compose(0x1103 - 0x1100, 0x1161 - 0x1161, 0x11B0 - 0x11A7);
  EXPECT_EQ(dictionary.symbol(chicken), "닭");
  EXPECT_THAT(letters->LettersOf(chicken),
              ::testing::ElementsAre(5 + 3, 5 + 19 + 0, 5 + 19 + 21 + 9));
  EXPECT_EQ(dictionary.symbol(letters->Compose(18, 20, 27)), "힣");
}

TEST(HangulLetters, BestClasses_AreProductsOfTheirLetters) {
  const Dictionary dictionary = WithSyllables();
  const auto letters = HangulLetters::Create(dictionary);
  ASSERT_TRUE(letters.ok()) << letters.status().message();
  std::vector<float> row = Row(*letters);
  row[1] = 0.1f;  // a
  row[2] = 0.8f;  // Any syllable.
  row[4] = 0.05f;
  float* of = row.data() + letters->whole_columns();
  of[9] = 1;           // ㅅ
  of[19 + 8] = 1;      // ㅗ
  of[40 + 4] = .75f;   // ㄴ
  of[40 + 21] = .25f;  // ㅇ
  std::array<CtcChoice, 4> best;
  letters->TakeBest(row.data(), best);
  const std::vector<std::pair<std::string, float>> expected = {
      {"손", 0.6f}, {"송", 0.2f}, {"a", 0.1f}, {" ", 0.05f}};
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(dictionary.symbol(best[i].cls), expected[i].first) << i;
    EXPECT_FLOAT_EQ(best[i].probability, expected[i].second) << i;
    EXPECT_FLOAT_EQ(letters->Probability(row.data(), best[i].cls),
                    best[i].probability);
  }
}

TEST(HangulLetters, SyllablesWithoutOthers_AreADictionary) {
  const Dictionary dictionary =
      Dictionary::Parse(Syllables(U'가', U'힣'), false).value();
  const auto letters = HangulLetters::Create(dictionary);
  ASSERT_TRUE(letters.ok()) << letters.status().message();
  EXPECT_EQ(letters->any_syllable(), 1);
  EXPECT_EQ(letters->columns(), 2 + 68);
}

// Rows of a network that knows some hundred other classes on both sides,
// against all classes sorted by the products of the definition.
TEST(HangulLetters, BestClasses_AreTheBestOfAll) {
  std::string before, behind;
  for (char32_t c = U'\u4e00'; c < U'\u4e00' + 69; ++c)
    before += EncodeUtf8(std::u32string(1, c)) + "\n";
  for (char32_t c = U'\u5e00'; c < U'\u5e00' + 91; ++c)
    behind += EncodeUtf8(std::u32string(1, c)) + "\n";
  const Dictionary dictionary =
      Dictionary::Parse(before + Syllables(U'가', U'힣') + behind, true)
          .value();
  const auto letters = HangulLetters::Create(dictionary);
  ASSERT_TRUE(letters.ok()) << letters.status().message();
  constexpr size_t kAny = 70, kWhole = 70 + 1 + 91 + 1;
  ASSERT_EQ(letters->columns(), static_cast<int>(kWhole) + 68);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(0, 1);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> row(kWhole + 68);
    for (float& p : row) p = any(random) * 0.2f;
    row[kAny] = round % 5 == 0 ? 0 : 0.4f + any(random);
    // Other letters are next to nothing, so that three of each kind suffice.
    const size_t begins[] = {kWhole, kWhole + 19, kWhole + 40, kWhole + 68};
    for (size_t kind = 0; kind < 3; ++kind) {
      for (size_t i = begins[kind]; i < begins[kind + 1]; ++i) row[i] = 0;
      for (int i = 0; i < 3; ++i)
        row[begins[kind] + random() % (begins[kind + 1] - begins[kind])] =
            any(random);
    }
    std::vector<std::pair<float, std::string>> all;
    for (size_t i = 0; i < kWhole; ++i)
      if (i != kAny)
        all.emplace_back(
            row[i],
            dictionary.symbol(static_cast<int>(i < kAny ? i : i + 11171)));
    for (char32_t c = U'가'; c <= U'힣'; ++c) {
      const size_t index = c - U'가';
      all.emplace_back(row[kAny] * row[begins[0] + index / 588] *
                           row[begins[1] + index / 28 % 21] *
                           row[begins[2] + index % 28],
                       EncodeUtf8(std::u32string(1, c)));
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first > b.first;
    });
    std::array<CtcChoice, 5> best;
    letters->TakeBest(row.data(), best);
    for (size_t i = 0; i < best.size(); ++i) {
      EXPECT_EQ(dictionary.symbol(best[i].cls), all[i].second)
          << round << ' ' << i;
      EXPECT_FLOAT_EQ(best[i].probability, all[i].first);
      EXPECT_FLOAT_EQ(letters->Probability(row.data(), best[i].cls),
                      all[i].first);
    }
  }
}

TEST(HangulLetters, DictionaryWithoutAllSyllables_IsRefused) {
  for (const std::string& lines : {std::string("a\n"), Syllables(U'가', U'힢'),
                                   Syllables(U'가', U'힢') + "a\n힣\n"}) {
    const auto letters =
        HangulLetters::Create(Dictionary::Parse(lines, true).value());
    ASSERT_FALSE(letters.ok());
    EXPECT_EQ(letters.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(letters.status().message(), HasSubstr("11,172"));
  }
}

}  // namespace
}  // namespace munja::text
