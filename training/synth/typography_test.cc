#include "synth/typography.h"

#include <gtest/gtest.h>

#include <set>

#include "synth/testing.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

// All that becomes of a text in some tries.
std::set<std::string> Set(std::u32string_view text, const Alphabet& alphabet) {
  std::set<std::string> all;
  Random random(3);
  for (int i = 0; i < 40; ++i)
    all.insert(text::EncodeUtf8(Typeset(text, alphabet, random)));
  return all;
}

std::set<std::string> Set(std::u32string_view text) {
  static const Alphabet alphabet = test_files::MakeAlphabet(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "'\"-.,:;!?()/_=@‘’“”–—가");
  return Set(text, alphabet);
}

using Texts = std::set<std::string>;

TEST(Typography, Quotes_Curl) {
  EXPECT_EQ(Set(U"don't"), Texts{"don’t"});
  EXPECT_EQ(Set(U"the owners' share"), Texts{"the owners’ share"});
  EXPECT_EQ(Set(U"summer '99"), Texts{"summer ’99"});
  EXPECT_EQ(Set(U"\"No,\" he said"), Texts{"“No,” he said"});
  EXPECT_EQ(Set(U"(\"so\")"), Texts{"(“so”)"});
  EXPECT_EQ(Set(U"\"'Tis\" 'a'"), Texts{"“‘Tis” ‘a’"});
}

TEST(Typography, RangesAndPauses_GetDashes) {
  EXPECT_EQ(Set(U"pp. 21-23"), (Texts{"pp. 21-23", "pp. 21–23"}));
  EXPECT_EQ(Set(U"so -- then"),
            (Texts{"so -- then", "so – then", "so — then"}));
  EXPECT_EQ(Set(U"so - then"), (Texts{"so - then", "so – then", "so — then"}));
}

TEST(Typography, HyphensOfWordsAndLongNumbers_Stay) {
  for (const char32_t* text :
       {U"well-known", U"555-0123-4567", U"03-87654321", U"-5", U"AB-12"}) {
    EXPECT_EQ(Set(text), Texts{text::EncodeUtf8(text)});
  }
}

TEST(Typography, ProgramsAndRules_Stay) {
  for (const char32_t* text : {U"a = 'b';", U"it's@home.de", U"-----"})
    EXPECT_EQ(Set(text), Texts{text::EncodeUtf8(text)});
}

TEST(Typography, SignsThatTheAlphabetLacks_AreNotUsed) {
  EXPECT_EQ(Set(U"don't", test_files::Ascii()), Texts{"don't"});
}

}  // namespace
}  // namespace munja::train
