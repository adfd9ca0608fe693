#include "text/word_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "text/utf8.h"

namespace munja::text {
namespace {

using testing::HasSubstr;

bool IsListed(const WordList& list, std::string_view word) {
  WordList::Place place = WordList::kStart;
  for (const char32_t c : DecodeUtf8(word)) place = list.Next(place, c);
  return list.IsWord(place);
}

TEST(WordList, Words_AreThereInEitherCase) {
  const auto list =
      WordList::Parse("\xEF\xBB\xBFZebra\r\n\n  zeb  État\n서울\tC-3PO\nzeb");
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ((*list)->words(), 5u);
  for (const char* word :
       {"zebra", "ZEBRA", "zeb", "état", "ÉTAT", "서울", "c-3po"})
    EXPECT_TRUE(IsListed(**list, word)) << word;
  for (const char* word : {"", "z", "zebr", "zebras", "ebra", "서", "C-3"})
    EXPECT_FALSE(IsListed(**list, word)) << word;
}

TEST(WordList, AnEmptyOne_HasNone) {
  const auto list = WordList::Parse("\n \n");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ((*list)->words(), 0u);
  EXPECT_FALSE(IsListed(**list, ""));
  EXPECT_FALSE(IsListed(**list, "a"));
}

TEST(WordList, Words_AreASet) {
  std::mt19937 random(3);
  std::set<std::string> words;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    std::string word;
    for (unsigned length = 1 + random() % 6; length > 0; --length)
      word += "abcd"[random() % 4];
    words.insert(word);
    text += word + "\n";
  }
  const auto list = WordList::Parse(text);
  EXPECT_EQ((*list)->words(), words.size());
  for (int i = 0; i < 5000; ++i) {
    std::string word;
    for (unsigned length = random() % 7; length > 0; --length)
      word += "abcd"[random() % 4];
    EXPECT_EQ(IsListed(**list, word), words.contains(word)) << word;
  }
}

TEST(WordList, OtherFiles_AreRefused) {
  const auto bad = WordList::Parse("good\nba\xFF\n");
  EXPECT_EQ(bad.status().code(), Code::kMalformed);
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("line 2"));
  const auto wide = WordList::Parse(std::string(101, 'a'));
  EXPECT_EQ(wide.status().code(), Code::kMalformed);
  EXPECT_THAT(std::string(wide.status().message()), HasSubstr("line 1"));
  EXPECT_TRUE(WordList::Parse(std::string(100, 'a')).ok());
}

}  // namespace
}  // namespace munja::text
