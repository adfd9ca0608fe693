#include "reading/correct/amounts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "reading/correct/testing.h"

namespace munja::ocr {
namespace {

const text::Dictionary& AmountSymbols() {
  static const text::Dictionary dictionary = [] {
    auto parsed = text::Dictionary::Parse(
        "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n.\n,\n-\nR\nM\nv\n", true);
    EXPECT_TRUE(parsed.ok());
    return std::move(parsed).value();
  }();
  return dictionary;
}

// A line of ASCII; each of its points and commas may be the other with the
// probability `other`.
text::CtcLine AmountsOf(std::string_view text, float other) {
  text::CtcLine line;
  line.text = text;
  for (size_t i = 0; i < text.size(); ++i) {
    text::CtcMark& mark = line.marks.emplace_back();
    mark.text_end = i + 1;
    mark.cls = ClassOf(AmountSymbols(), text.substr(i, 1));
    mark.probability = 0.99f;
    if (text[i] != '.' && text[i] != ',') continue;
    mark.probability -= other;
    mark.others[0] = {ClassOf(AmountSymbols(), text[i] == '.' ? "," : "."),
                      other};
  }
  return line;
}

// What becomes of a line on a page that has these amounts surely.
std::string OnPage(std::string_view amounts, std::string_view line,
                   float other = 0.3f) {
  std::vector<text::CtcLine> page = {AmountsOf(amounts, 0.001f),
                                     AmountsOf(line, other)};
  CorrectAmounts(AmountSymbols(), PageOf(page));
  EXPECT_EQ(page[0].text, amounts);
  return page[1].text;
}

TEST(Amounts, LowConfidenceSigns_BecomeThoseOfThePage) {
  EXPECT_EQ(OnPage("1.00 2.50 RM19.95", "9,00"), "9.00");
  EXPECT_EQ(OnPage("1.00 2.50 RM19.95", "RM1,239,00 0,05"), "RM1,239.00 0.05");
  EXPECT_EQ(OnPage("1,00 2,50 19,95", "-9.00"), "-9,00");
}

TEST(Amounts, SureSigns_Stay) {
  EXPECT_EQ(OnPage("1.00 2.50 19.95", "9,00", 0.05f), "9,00");
  // In doubt, but not about the other sign.
  std::vector<text::CtcLine> page = {AmountsOf("1.00 2.50 19.95", 0.001f),
                                     AmountsOf("9,00", 0)};
  page[1].marks[1].probability = 0.5f;
  CorrectAmounts(AmountSymbols(), PageOf(page));
  EXPECT_EQ(page[1].text, "9,00");
}

TEST(Amounts, APage_MustShowItsSign) {
  EXPECT_EQ(OnPage("1.00 2.50", "9,00"), "9,00");
  EXPECT_EQ(OnPage("1.00 2.50 3.50 4,50", "9,00"), "9,00");
  EXPECT_EQ(OnPage("1.0 25 3.505", "9,00"), "9,00");
}

TEST(Amounts, OtherNumbers_Stay) {
  for (const char* line : {"1,234", "1,5", "01,10,26", "v2,10,1", "1,23,456"})
    EXPECT_EQ(OnPage("1.00 2.50 19.95", line), line);
}

TEST(Amounts, ADictionaryWithoutOneOfThem_ChangesNothing) {
  auto points = text::Dictionary::Parse("0\n1\n.\n", true);
  ASSERT_TRUE(points.ok());
  std::vector<text::CtcLine> page(1);
  page[0].text = "0.11";
  for (size_t i = 0; i < 4; ++i) {
    text::CtcMark& mark = page[0].marks.emplace_back();
    mark.text_end = i + 1;
    mark.cls = ClassOf(*points, page[0].text.substr(i, 1));
    mark.probability = 0.5f;
  }
  CorrectAmounts(*points, PageOf(page));
  EXPECT_EQ(page[0].text, "0.11");
}

}  // namespace
}  // namespace munja::ocr
