#include "text/utf8.h"

#include <gtest/gtest.h>

namespace munja::text {
namespace {

TEST(Utf8, EveryCodePoint_ComesBack) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string bytes;
    AppendUtf8(c, bytes);
    std::string_view rest = bytes;
    bool ok = true;
    ASSERT_EQ(NextCodePoint(rest, &ok), c);
    ASSERT_TRUE(ok && rest.empty()) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(Utf8, ExamplesOfTheStandard_AreDecoded) {
  // The Unicode Standard, table 3-5.
  EXPECT_EQ(EncodeUtf8(U"M\u0430\u4E8C\U00010302"),
            "\x4d\xd0\xb0\xe4\xba\x8c\xf0\x90\x8c\x82");
}

TEST(Utf8, OtherBytes_AreRefused) {
  for (const char* bytes :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf",
        "\xe4\xb8", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(IsValidUtf8(bytes)) << testing::PrintToString(bytes);
  }
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));
}

TEST(Utf8, EachMalformedByte_IsReplaced) {
  EXPECT_EQ(DecodeUtf8("a\xff\xe4\xb8z"), U"a\uFFFD\uFFFD\uFFFDz");
  std::string out;
  AppendUtf8(0xd800, out);
  AppendUtf8(0x110000, out);
  EXPECT_EQ(out, "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace munja::text
