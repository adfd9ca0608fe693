#include "text/normalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "text/utf8.h"

namespace munja::text {
namespace {

using ::testing::ElementsAre;

TEST(Normalize, CompatibleForms_BecomeOne) {
  EXPECT_EQ(Nfkc("\uFF21\uFF11\u3000\u2460"), U"A1 1");  // Full width, circled.
  EXPECT_EQ(Nfkc("\uFB01"), U"fi");
  EXPECT_EQ(Nfkc("e\u0301"), U"\u00E9");
  EXPECT_EQ(Nfkc("\u1112\u1161\u11AB"), U"\uD55C");
  // Marks below come before marks above, whatever their order was.
  EXPECT_EQ(Nfkc("q\u0307\u0323"), Nfkc("q\u0323\u0307"));
  EXPECT_EQ(Nfkc(""), U"");
  EXPECT_EQ(Nfkc("a\xff"
                 "b"),
            U"a\uFFFDb");
}

TEST(Normalize, Folding_IsFull) {
  EXPECT_EQ(FoldCase(U"Stra\u00DFe"), U"strasse");
  EXPECT_EQ(FoldCase(U"\u03A3\u03C2"), U"\u03C3\u03C3");
  EXPECT_EQ(FoldCase(U"\u0130"), U"i\u0307");
}

TEST(Normalize, SqueezedText_HasSingleSpacesInside) {
  EXPECT_EQ(Squeeze("  a \t\n b\u00A0\u3000c\u2003"), U"a b c");
  EXPECT_EQ(Squeeze(" \u200B "), U"\u200B");  // No white space by category.
  EXPECT_EQ(Squeeze("\u3000"), U"");
}

TEST(Normalize, LettersAndDigits_Only) {
  EXPECT_EQ(LettersAndDigits("A-b \u00BD, (C)!"), U"ab12c");
  EXPECT_EQ(LettersAndDigits("\u4E2D\u3002\u6587"), U"\u4E2D\u6587");
}

TEST(Normalize, Words_LoseWhatIsAroundThem) {
  EXPECT_THAT(Words("\"Hello,\" he said: don't!"),
              ElementsAre(U"hello", U"he", U"said", U"don't"));
  EXPECT_THAT(Words("-- $5.00 ... (+)"), ElementsAre(U"$5.00", U"+"));
  EXPECT_THAT(Words("  "), ElementsAre());
}

// Python's unicodedata defines the figures of a score. Code points that its
// version of Unicode does not assign are left out: this library may be newer.
TEST(Normalize, EveryCodePoint_IsAsInPython) {
  const char* script =
      "import sys, unicodedata as u\n"
      "w = sys.stdout.write\n"
      "for i in range(0x110000):\n"
      "  c = chr(i)\n"
      "  k = u.category(c)\n"
      "  if k in ('Cn', 'Cs', 'Co'): continue\n"
      "  n = u.normalize('NFKC', c)\n"
      "  h = lambda s: '.'.join('%x' % ord(x) for x in s)\n"
      "  w('%x %s %d %s %s\\n' % (i, k, c.isspace(), h(n), h(c.casefold())))\n";
  const std::string path = ::testing::TempDir() + "munja_code_points.py";
  FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(script, file);
  std::fclose(file);
  FILE* python = popen(("python3 " + path + " 2>/dev/null").c_str(), "r");
  ASSERT_NE(python, nullptr);
  const auto hex = [](std::u32string_view text) {
    std::string out;
    char number[16];
    for (const char32_t c : text) {
      std::snprintf(number, sizeof number, "%x", static_cast<unsigned>(c));
      out += (out.empty() ? "" : ".") + std::string(number);
    }
    return out;
  };
  unsigned c = 0;
  char category[4], normal[256], folded[64];
  int space = 0, count = 0, wrong = 0;
  while (std::fscanf(python, "%x %3s %d %255s %63s", &c, category, &space,
                     normal, folded) == 5) {
    ++count;
    const std::u32string one(1, static_cast<char32_t>(c));
    const bool is_letter_or_digit = category[0] == 'L' || category[0] == 'N';
    const bool same = IsWhiteSpace(c) == (space != 0) &&
                      IsLetterOrDigit(c) == is_letter_or_digit &&
                      IsSymbol(c) == (category[0] == 'S') &&
                      hex(Nfkc(EncodeUtf8(one))) == normal &&
                      hex(FoldCase(one)) == folded;
    if (!same && ++wrong < 10) {
      ADD_FAILURE() << std::hex << "U+" << c << " " << category << " space "
                    << space << ", NFKC " << normal << " not "
                    << hex(Nfkc(EncodeUtf8(one))) << ", folded " << folded
                    << " not " << hex(FoldCase(one));
    }
  }
  pclose(python);
  std::remove(path.c_str());
  if (count == 0) GTEST_SKIP() << "no python3";
  EXPECT_GT(count, 100'000);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace munja::text
