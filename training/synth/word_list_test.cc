#include "synth/word_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synth/testing.h"

namespace munja::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WordList, WordsThatTheAlphabetCannotSpell_AreOmitted) {
  std::vector<std::string> missing;
  const std::string path = test_files::Write(
      "w.txt", "cab\nxyz\nab\r\n\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
  EXPECT_THAT(
      ReadWords({path, "/none/such"}, test_files::MakeAlphabet("abc"), missing),
      ElementsAre(U"cab", U"ab"));
  EXPECT_THAT(missing, ElementsAre("/none/such"));
}

TEST(WordList, HunspellDictionaries_AreRead) {
  std::vector<std::string> missing;
  // Conjoining letters, as the Korean dictionary has them: U+1112 U+1161 U+11AB
  // is U+D55C.
  const std::string path =
      test_files::Write("k.dic", "3\n\u1112\u1161\u11AB/10\n가/25\n나/3\n");
  const Alphabet alphabet = test_files::MakeAlphabet("한가나");
  EXPECT_THAT(ReadWords({path}, alphabet, missing),
              ElementsAre(U"한", U"가", U"나"));
  EXPECT_THAT(ReadWords({path + "#10,3"}, alphabet, missing),
              ElementsAre(U"한", U"나"));
  EXPECT_TRUE(missing.empty());
}

TEST(Prose, WordThatCannotBeSpelled_SplitsTheText) {
  std::vector<std::string> missing;
  const Alphabet ascii = test_files::Ascii();
  const std::string text =
      test_files::Write("t.txt", "Is it so?  Yes\n%\nNo, не it\n");
  EXPECT_THAT(
      ReadProse({text}, ascii, missing),
      ElementsAre(U"Is", U"it", U"so?", U"Yes", U"", U"No,", U"", U"it", U""));
  const std::string page =
      test_files::Write("t.html", "<p class='x'>One <b>two</b></p>three");
  EXPECT_THAT(ReadProse({page}, ascii, missing),
              ElementsAre(U"One", U"two", U"three", U""));
}

TEST(Lines, Text_IsKeptAsItIs) {
  const Alphabet ascii = test_files::Ascii();
  const auto lines =
      ReadLines({test_files::Write("l.txt", "LOT  12 \n\nA-1\n")}, ascii);
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(*lines, ElementsAre(U"LOT 12", U"A-1"));
  const auto wrong = ReadLines({test_files::Write("m.txt", "ok\nnö\n")}, ascii);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("line 2"));
  EXPECT_EQ(ReadLines({"/none/such"}, ascii).status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace munja::train
