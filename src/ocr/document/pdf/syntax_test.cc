#include "document/pdf/syntax.h"

#include <gtest/gtest.h>

namespace munja::document::pdf {
namespace {

TEST(PdfSyntax, Values_EndWhereTheyEnd) {
  std::string_view text =
      " 12 -0.5 % a comment ) >>\r\n(a (nested) \\) one)<4 8>/Na#20me[1 [2]<< "
      "/A 3 0 R>>] 7 0 R 7 0 obj true";
  for (const std::string_view value :
       {"12", "-0.5", "(a (nested) \\) one)", "<4 8>", "/Na#20me",
        "[1 [2]<< /A 3 0 R>>]", "7 0 R", "7", "0", "obj", "true", ""})
    EXPECT_EQ(TakeValue(&text), value);
}

TEST(PdfSyntax, ValuesWithoutEnd_AreNone) {
  for (std::string_view text : {"", "  % only", "(a", "(a\\)", "<12", "<< /A 1",
                                "[1 2", "[1 >>", "]", ">>", "}", "[(]"})
    EXPECT_EQ(TakeValue(&text), "");
  const std::string deep(100'000, '[');
  std::string_view text = deep;
  EXPECT_EQ(TakeValue(&text), "");
}

TEST(PdfSyntax, Dictionaries_KeepWhatTheyAreNotAskedFor) {
  auto dictionary =
      Dictionary::Parse("<</B#6Cue 1 0 R/C(x)%/D 1\n/E<</F[/G]>>/H null>>");
  ASSERT_TRUE(dictionary);
  EXPECT_EQ((*dictionary)["Blue"], "1 0 R");
  EXPECT_EQ((*dictionary)["E"], "<</F[/G]>>");
  EXPECT_EQ((*dictionary)["D"], "");
  dictionary->Set("C", "2");
  dictionary->Set("A b", "3");
  EXPECT_EQ(dictionary->Text(),
            "<< /Blue 1 0 R /E <</F[/G]>> /H null /C 2 /A#20b 3 >>");
  for (const std::string_view value :
       {"", "null", "[1]", "<</A>>", "<<1 2>>", "<</A 1", "<<>"})
    EXPECT_FALSE(Dictionary::Parse(value)) << value;
}

TEST(PdfSyntax, Numbers_AreWholeValues) {
  EXPECT_EQ(IntegerOf("+7"), 7);
  EXPECT_EQ(IntegerOf("7.5"), std::nullopt);
  EXPECT_EQ(NumberOf("-.5"), -0.5);
  EXPECT_EQ(NumberOf("1e5"), std::nullopt);
  EXPECT_EQ(NumberOf(""), std::nullopt);
  EXPECT_EQ(ReferenceOf("12 3 R")->number, 12u);
  EXPECT_EQ(ReferenceOf("12 3 R")->generation, 3);
  for (const std::string_view value :
       {"", "R", "12", "0 0 R", "12 R", "(R", "-1 0 R"})
    EXPECT_FALSE(ReferenceOf(value)) << value;
  EXPECT_EQ(ElementsOf("[ 1 0 R 2 ]")->size(), 2u);
  EXPECT_FALSE(ElementsOf("1"));
}

}  // namespace
}  // namespace munja::document::pdf
