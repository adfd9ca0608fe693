#include "synth/alphabet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iconv.h>

#include <set>

#include "base/file.h"
#include "synth/testing.h"
#include "text/dictionary.h"
#include "text/normalize.h"
#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

std::string AlphabetFailure(std::string_view content) {
  const auto alphabet = Alphabet::Read(test_files::Write("a.txt", content));
  return alphabet.ok() ? "" : std::string(alphabet.status().message());
}

Alphabet OfRecipe(const std::string& name) {
  auto alphabet = Alphabet::Read(test_files::Recipe(name));
  EXPECT_TRUE(alphabet.ok()) << alphabet.status().message();
  return std::move(alphabet).value();
}

TEST(Alphabet, Lines_KeepTheirOrder) {
  const auto alphabet = Alphabet::Read(test_files::Write("a.txt", "b\n가\na"));
  ASSERT_TRUE(alphabet.ok());
  EXPECT_EQ(alphabet->characters(), U"b가a");
  EXPECT_EQ(alphabet->Find(U'가'), 1);
  EXPECT_EQ(alphabet->Find(U' '), -1);
  EXPECT_TRUE(alphabet->Spells(U"a 가"));
  EXPECT_FALSE(alphabet->Spells(U"a나"));
}

TEST(Alphabet, WrongLine_IsNamed) {
  EXPECT_THAT(AlphabetFailure("a\n\nb\n"), HasSubstr("line 2"));
  EXPECT_THAT(AlphabetFailure("a\nb\na\n"), HasSubstr("line 3"));
  EXPECT_THAT(AlphabetFailure("ab\n"), HasSubstr("line 1"));
  EXPECT_THAT(AlphabetFailure("a\n \n"), HasSubstr("white space"));
  EXPECT_THAT(AlphabetFailure("a\n\xff\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(AlphabetFailure(""), HasSubstr("no characters"));
}

TEST(Alphabet, ForeignCharacters_AreDrawnButNoClasses) {
  const std::string recipe = test_files::Write("r.json", "");
  test_files::Write("a.txt",
                    "a\nb\n" + text::EncodeUtf8(std::u32string(
                                   1, text::MarkOf(text::Script::kCyrillic))));
  const auto alphabet = Alphabet::OfRecipe(
      {{"alphabet", "a.txt"}, {"foreign", {"а-в", "я"}}}, recipe);
  ASSERT_TRUE(alphabet.ok()) << alphabet.status().message();
  EXPECT_EQ(alphabet->symbols().size(), 3u);
  EXPECT_EQ(alphabet->foreign(), U"абвя");
  EXPECT_TRUE(alphabet->Spells(U"abя"));
  EXPECT_EQ(alphabet->LabelOf(U"abя"), "ab\uFFFD");
  EXPECT_EQ(alphabet->drawn()[static_cast<size_t>(alphabet->Find(U'я'))], U'я');
}

TEST(Alphabet, ForeignCharactersWithoutAMark_AreRefused) {
  const std::string recipe = test_files::Write("r.json", "");
  test_files::Write("a.txt", "a\n");
  const auto failure = [&](const Json& foreign) {
    const auto alphabet = Alphabet::OfRecipe(
        {{"alphabet", "a.txt"}, {"foreign", foreign}}, recipe);
    return alphabet.ok() ? "" : std::string(alphabet.status().message());
  };
  EXPECT_THAT(failure({"я"}), HasSubstr("no mark for 'я'"));
  EXPECT_THAT(failure({"!"}), HasSubstr("no mark for '!'"));
  EXPECT_THAT(failure("я"), HasSubstr("characters and ranges"));
  EXPECT_THAT(failure({"ab"}), HasSubstr("characters and ranges"));
}

class RecipeAlphabet : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, RecipeAlphabet,
                         ::testing::Values("latin-alphabet.txt",
                                           "default-alphabet.txt",
                                           "korean-alphabet.txt",
                                           "tiny-alphabet.txt"));

TEST_P(RecipeAlphabet, Recipe_HasTheDictionaryOfABundle) {
  const Alphabet alphabet = OfRecipe(GetParam());
  const auto bytes = ReadFile(test_files::Recipe(GetParam()));
  ASSERT_TRUE(bytes.ok());
  const auto dictionary = text::Dictionary::Parse(
      {reinterpret_cast<const char*>(bytes->data()), bytes->size()}, true);
  ASSERT_TRUE(dictionary.ok());
  // The blank before, the space after.
  ASSERT_EQ(dictionary->classes(),
            static_cast<int>(alphabet.symbols().size()) + 2);
  for (size_t i = 0; i < alphabet.symbols().size(); ++i)
    EXPECT_EQ(dictionary->symbol(static_cast<int>(i) + 1),
              alphabet.symbols()[i]);
}

TEST(LatinAlphabet, Characters_AreAsciiAndTheLettersOfEuropeanLanguages) {
  const Alphabet alphabet = OfRecipe("latin-alphabet.txt");
  for (char32_t c = U'!'; c <= U'~'; ++c)
    EXPECT_TRUE(alphabet.Has(c)) << static_cast<uint32_t>(c);
  for (char32_t c = 0xC0; c <= 0xFF; ++c)
    EXPECT_TRUE(alphabet.Has(c)) << static_cast<uint32_t>(c);
  // The letters that the alphabets of the official languages add.
  EXPECT_TRUE(
      alphabet.Spells(U"ąćęłńóśźż ĄĆĘŁŃÓŚŹŻ čďěňřšťůž ăâîșț ğışİ őű "
                      U"āčēģīķļņšūž ėęįųū œæß ħċġż"))
      << "a letter of Polish, Czech, Romanian, Turkish, Hungarian, Latvian, "
         "Lithuanian, French, German or Maltese";
  EXPECT_TRUE(alphabet.Spells(U"$€£¥₩₹ ‘’“”–—…•°™©®§"));
}

TEST(DefaultAlphabet, Characters_AreTheLatinOnesWithKorean) {
  const Alphabet latin = OfRecipe("latin-alphabet.txt"),
                 all = OfRecipe("default-alphabet.txt");
  EXPECT_TRUE(all.Spells(latin.characters()));
  // Hangul compatibility jamo.
  for (char32_t c = 0x3131; c <= 0x3163; ++c)
    EXPECT_TRUE(all.Has(c)) << static_cast<uint32_t>(c);
  for (char32_t c = U'가'; c <= U'힣'; ++c)
    EXPECT_TRUE(all.Has(c)) << static_cast<uint32_t>(c);
  // Signs of Korean documents.
  EXPECT_TRUE(all.Spells(U"㎡㎢㎥㎍㎖℃ℓΩⅠⅫ◎▷☑㉠㉮ⓐ※『』「」【】"));
}

TEST(KoreanAlphabet, Syllables_AreThoseOfTheStandard) {
  const Alphabet all = OfRecipe("korean-alphabet.txt");
  // The C library knows which syllables KS X 1001 has: rows 16 to 40 of EUC-KR.
  iconv_t convert = iconv_open("UTF-8", "EUC-KR");
  ASSERT_NE(convert, reinterpret_cast<iconv_t>(-1));
  std::set<char32_t> wanted, found;
  for (int row = 0xB0; row <= 0xC8; ++row) {
    for (int cell = 0xA1; cell <= 0xFE; ++cell) {
      char in[2] = {static_cast<char>(row), static_cast<char>(cell)}, out[8];
      char *from = in, *to = out;
      size_t from_left = 2, to_left = sizeof(out);
      ASSERT_EQ(iconv(convert, &from, &from_left, &to, &to_left), 0u);
      wanted.insert(text::DecodeUtf8({out, sizeof(out) - to_left})[0]);
    }
  }
  iconv_close(convert);
  EXPECT_EQ(wanted.size(), 2350u);
  for (const char32_t c : all.characters()) {
    if (c >= 0xAC00 && c <= 0xD7A3) found.insert(c);
  }
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace munja::train
