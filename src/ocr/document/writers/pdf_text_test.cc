#include <gtest/gtest.h>

#include "document/pdf/font.h"
#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(PdfTextWriter, File_HasNoImage) {
  Document document = TwoBlocks();
  const std::vector<uint8_t> rgb(size_t{200} * 100 * 3, 9);
  WriterPage page{document};
  page.picture.rgb = rgb.data();
  page.picture.stride = 600;
  const auto text = WritePages(*FindWriter("pdf_text"), {&page, 1});
  const auto all = WritePages(*FindWriter("pdf"), {&page, 1});
  ASSERT_TRUE(text.ok());
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(text->find("/XObject"), std::string::npos);
  EXPECT_NE(all->find("/XObject"), std::string::npos);
  EXPECT_NE(text->find("/F1 "), std::string::npos);
}

// Whichever came first, so that pages of several files share one font.
TEST(PdfTextWriter, Codes_AreUtf16) {
  PdfFont font(PdfFont::Codes::kUtf16);
  size_t codes = 0;
  EXPECT_EQ(font.Encode(U"b\uAC00\U00020BB7", &codes), "<0062AC00D842DFB7>");
  EXPECT_EQ(codes, 4u);
  EXPECT_EQ(font.GlyphMap().size(), 2u * 0x10000);
  EXPECT_NE(font.ToUnicode().find("<0000> <FFFF> <0000>"), std::string::npos);
}

}  // namespace
}  // namespace munja::document
