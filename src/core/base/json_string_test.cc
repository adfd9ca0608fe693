#include "base/json_string.h"

#include <gtest/gtest.h>

#include <string>

namespace munja {
namespace {

TEST(JsonString, PlainText_IsQuoted) {
  EXPECT_EQ(JsonString(""), "\"\"");
  // The last character that there is.
  EXPECT_EQ(JsonString("\xF4\x8F\xBF\xBF"), "\"\xF4\x8F\xBF\xBF\"");
  EXPECT_EQ(JsonString("node 3: 한글 \x7f 𝄞"), "\"node 3: 한글 \x7f 𝄞\"");
}

TEST(JsonString, QuotesAndControlCharacters_AreEscaped) {
  EXPECT_EQ(JsonString("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(JsonString("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(JsonString(std::string("\0\x0b\x1f", 3)),
            R"("\u0000\u000b\u001f")");
}

TEST(JsonString, InvalidUtf8_IsReplaced) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(JsonString("a\xFF"), "\"a" + replacement + "\"");
  // One for each part that could have been the beginning of a character.
  EXPECT_EQ(JsonString("\xE2\x82"), "\"" + replacement + "\"");
  EXPECT_EQ(JsonString("\xE2\x82x"), "\"" + replacement + "x\"");
  EXPECT_EQ(JsonString("\xE2\xE2\x82\xAC"), "\"" + replacement + "€\"");
  // Longer than need be, a surrogate, beyond U+10FFFF.
  for (const char* text : {"\xC0\x80", "\xE0\x80", "\xED\xA0", "\xF4\x90"})
    EXPECT_EQ(JsonString(text), "\"" + replacement + replacement + "\"");
}

}  // namespace
}  // namespace munja
