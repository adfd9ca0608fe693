#include "text/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace munja::text {
namespace {

using ::testing::HasSubstr;

std::string Message(std::string_view bytes) {
  const auto dictionary = Dictionary::Parse(bytes, false);
  EXPECT_FALSE(dictionary.ok());
  if (dictionary.ok()) return "";
  EXPECT_EQ(dictionary.status().code(), Code::kMalformed);
  return std::string(dictionary.status().message());
}

TEST(Dictionary, Blank_ComesFirstAndSpaceLast) {
  const auto d = Dictionary::Parse("a\n\u4E2D\nc\n", true);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->classes(), 5);
  EXPECT_EQ(d->symbol(0), "");
  EXPECT_EQ(d->symbol(1), "a");
  EXPECT_EQ(d->symbol(2), "\u4E2D");
  EXPECT_EQ(d->symbol(4), " ");
}

TEST(Dictionary, Space_IsOnlyAppendedWhenAsked) {
  const auto d = Dictionary::Parse("a\nb", false);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->classes(), 3);
  EXPECT_EQ(d->symbol(2), "b");
}

TEST(Dictionary, LineEndsAndByteOrderMark_AreNotSymbols) {
  const auto d = Dictionary::Parse(
      "\xef\xbb\xbf"
      "a\r\nb\r\n",
      false);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->classes(), 3);
  EXPECT_EQ(d->symbol(1), "a");
  EXPECT_EQ(d->symbol(2), "b");
}

TEST(Dictionary, Spaces_AreSymbolsAndEmptyLinesKeepTheirNumber) {
  const auto d = Dictionary::Parse("a\n\n \n\u3000\nb\n", false);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->classes(), 6);
  EXPECT_EQ(d->symbol(2), "");
  EXPECT_EQ(d->symbol(3), " ");
  EXPECT_EQ(d->symbol(4), "\u3000");
  EXPECT_EQ(d->symbol(5), "b");
}

TEST(Dictionary, ClassesOutside_HaveNoText) {
  const auto d = Dictionary::Parse("a\n", false);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->symbol(-1), "");
  EXPECT_EQ(d->symbol(2), "");
}

TEST(Dictionary, WrongLine_IsNamed) {
  EXPECT_THAT(Message("a\nb\n\xff\n"), HasSubstr("line 3"));
  EXPECT_THAT(Message("a\n\xe4\xb8"), HasSubstr("line 2"));
  EXPECT_THAT(Message("\xed\xa0\x80\n"), HasSubstr("line 1"));  // A surrogate.
  EXPECT_THAT(Message("\xc0\xaf\n"), HasSubstr("UTF-8"));       // Overlong.
  EXPECT_THAT(Message(std::string("a\n\0\n", 4)), HasSubstr("NUL"));
  EXPECT_THAT(Message("a\n" + std::string(65, 'x')), HasSubstr("65 bytes"));
  EXPECT_THAT(Message(""), HasSubstr("empty"));
  EXPECT_THAT(Message(std::string(1'000'001, '\n')), HasSubstr("more lines"));
}

TEST(Dictionary, OtherNumberOfClasses_NamesBoth) {
  const auto d = Dictionary::Parse("a\nb\n", true);
  ASSERT_TRUE(d.ok());
  EXPECT_TRUE(d->CheckClasses(4).ok());
  const Status status = d->CheckClasses(18385);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::AllOf(HasSubstr("18385"), HasSubstr("4")));
}

TEST(Dictionary, Classes_AreFoundByTheirSymbols) {
  const auto dictionary = Dictionary::Parse("a\n\n–\na\n", true);
  ASSERT_TRUE(dictionary.ok());
  EXPECT_EQ(dictionary->ClassOf("a"), 1);
  EXPECT_EQ(dictionary->ClassOf("–"), 3);
  EXPECT_EQ(dictionary->ClassOf(" "), 5);
  EXPECT_EQ(dictionary->ClassOf("b"), 0);
  EXPECT_EQ(dictionary->ClassOf(""), 0);
}

}  // namespace
}  // namespace munja::text
