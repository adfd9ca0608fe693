#include "text/allow_list.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::text {
namespace {

TEST(AllowList, Classes_AreThoseOfTheCharacters) {
  const auto dictionary = Dictionary::Parse("a\n1\nll\n\xC3\xA9\n", true);
  ASSERT_TRUE(dictionary.ok());
  const auto allowed = AllowedClasses(*dictionary, "1l\xC3\xA9");
  ASSERT_TRUE(allowed.ok());
  std::string symbols;
  for (int cls = 1; cls < dictionary->classes(); ++cls)
    if ((*allowed)[static_cast<size_t>(cls)] != 0)
      symbols += std::string(dictionary->symbol(cls)) + "|";
  EXPECT_EQ(symbols, "1|ll|\xC3\xA9|");
  EXPECT_NE((*allowed)[0], 0);  // The blank.
}

TEST(AllowList, DeniedCharacters_AreExcludedFromTheOthers) {
  const auto dictionary = Dictionary::Parse("a\nb\nab\n1\n", true);
  ASSERT_TRUE(dictionary.ok());
  const auto symbols = [&](std::string_view allowed, std::string_view denied) {
    const auto classes = AllowedClasses(*dictionary, allowed, denied);
    EXPECT_TRUE(classes.ok());
    std::string all;
    for (int cls = 1; classes.ok() && cls < dictionary->classes(); ++cls)
      if ((*classes)[static_cast<size_t>(cls)] != 0)
        all += std::string(dictionary->symbol(cls)) + "|";
    return all;
  };
  EXPECT_EQ(symbols("", "b"), "a|1| |");
  EXPECT_EQ(symbols("ab1", "1"), "a|b|ab|");
  EXPECT_EQ(symbols("", ""), "a|b|ab|1| |");
}

TEST(AllowList, NothingToRead_IsRefused) {
  const auto dictionary = Dictionary::Parse("a\nb\n", true);
  ASSERT_TRUE(dictionary.ok());
  EXPECT_EQ(AllowedClasses(*dictionary, "", "ab ").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AllowedClasses(*dictionary, "a", "a").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AllowedClasses(*dictionary, "", "\xFF").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AllowedClasses(*dictionary, "xyz").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AllowedClasses(*dictionary, "a\xFF").status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::text
