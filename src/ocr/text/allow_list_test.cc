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

TEST(AllowList, NothingToRead_IsRefused) {
  const auto dictionary = Dictionary::Parse("a\nb\n", true);
  ASSERT_TRUE(dictionary.ok());
  EXPECT_EQ(AllowedClasses(*dictionary, "xyz").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AllowedClasses(*dictionary, "a\xFF").status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::text
