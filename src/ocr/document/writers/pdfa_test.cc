// The file of an archive; tests of what all PDF files have: pdf_test.cc.
#include <gtest/gtest.h>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(PdfaWriter, File_DeclaresPdfA) {
  const std::string file = Written("pdfa", {TwoBlocks()});
  for (const char* part :
       {"/Metadata 10 0 R /OutputIntents [11 0 R]", "<pdfaid:part>2</",
        "<pdfaid:conformance>B</", "/S /GTS_PDFA1", "/DestOutputProfile 12 0 R",
        "/N 3 ", "/ID [("})
    EXPECT_NE(file.find(part), std::string::npos) << part;
  // Readers of metadata look for it without unpacking.
  EXPECT_NE(file.find("/Subtype /XML /Length "), std::string::npos);
  EXPECT_EQ(file.find("/OutputIntents"), file.rfind("/OutputIntents"));
}

// Inks without a profile are no colors that an archive may hold: the pixels are
// there in their place.
TEST(PdfaWriter, CmykJpegFiles_BecomePixels) {
  Document document;
  document.width = document.height = 1;
  const uint8_t rgb[] = {10, 20, 30};
  WriterPage page{document};
  page.picture.rgb = rgb;
  page.picture.stride = 3;
  page.picture.jpeg = "\xFF\xD8 no picture";
  page.picture.jpeg_width = page.picture.jpeg_height = 1;
  for (const int components : {1, 3, 4}) {
    page.picture.jpeg_components = components;
    const auto file = WritePages(*FindWriter("pdfa"), {&page, 1});
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->find("/DCTDecode") != std::string::npos, components != 4);
    EXPECT_EQ(file->find("/DeviceCMYK"), std::string::npos);
    EXPECT_NE(WritePages(*FindWriter("pdf"), {&page, 1})->find("/DCTDecode"),
              std::string::npos);
  }
}

TEST(PdfaWriter, EmptyFile_IsValid) {
  EXPECT_NE(Written("pdfa", {}).find("/Count 0"), std::string::npos);
}

}  // namespace
}  // namespace munja::document
