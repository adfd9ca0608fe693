#include "image/codecs/pdf_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace munja::image::codecs::pdf {
namespace {

// As pdfinfo 22.12 writes it.
TEST(ReadPdfInfo, PagesAndSize_AreRead) {
  const auto page = ReadPdfInfo(
      "Title:           Page 9 size: none\nProducer:        Munja\n"
      "Tagged:          no\nPages:           12\nEncrypted:       no\n"
      "Page    3 size:  595.44 x 842.04 pts (A4)\nPage    3 rot:   0\n"
      "File size:       1042 bytes\n");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->pages, 12);
  EXPECT_EQ(page->width, 595.44);
  EXPECT_EQ(page->height, 842.04);
}

// Programs would ask for two thousand million pages.
TEST(ReadPdfInfo, Title_CannotImitateOtherFields) {
  const auto page = ReadPdfInfo(
      "Title:           a\nPages:           2000000000\n"
      "Page    1 size:  1 x 1 pts\nPages:           1\n"
      "Page    1 size:  72 x 144 pts\n");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->pages, 1);
  EXPECT_EQ(page->width, 72);
  EXPECT_EQ(page->height, 144);
}

TEST(ReadPdfInfo, NoPages_AreAnError) {
  for (const char* said :
       {"", "Pages:", "Pages: none\n", "Pages: 0\n", "Pages: -3\n",
        "Pages: nan\n", "\n\nPages of 3: 1\n"}) {
    EXPECT_EQ(ReadPdfInfo(said).status().code(), Code::kMalformed) << said;
  }
}

// They do not fit into an integer.
TEST(ReadPdfInfo, TooManyPages_AreAnError) {
  for (const char* said : {"Pages: 2147483648\n", "Pages: 1e300\n"})
    EXPECT_EQ(ReadPdfInfo(said).status().code(), Code::kMalformed) << said;
  EXPECT_TRUE(ReadPdfInfo("Pages: 2147483647\n").ok());
}

TEST(ReadPdfInfo, Size_IsTwoPositiveNumbers) {
  for (const char* size :
       {"", " 10", " 10 x", " 0 x 10 pts", " -1 x 10", " 10 x 1e999", " a x b",
        " inf x 10", " nan x nan"}) {
    const auto page =
        ReadPdfInfo("Pages: 1\nPage 1 size:" + std::string(size) + "\n");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->width, 0) << size;
    EXPECT_EQ(page->height, 0) << size;
  }
}

constexpr char kHead[] =
    "page   num  type   width height color comp bpc  enc interp  object ID "
    "x-ppi y-ppi size ratio\n"
    "--------------------------------------------------------------------------"
    "------------------\n";
constexpr char kScan[] =
    "   1     0 image    2480  3508  gray    1   8  jpeg   no         5  0   "
    "300   300  312K 3.7%\n";
constexpr char kMask[] =
    "   1     1 smask    2480  3508  gray    1   8  image  no         6  0   "
    "300   300  312K 3.7%\n";
const PdfPage kA4 = {.pages = 1, .width = 595.2, .height = 841.92};

TEST(ReadPdfPictures, ImageAsLargeAsThePage_IsAScan) {
  const PdfScan scan = ReadPdfPictures(std::string(kHead) + kScan, kA4);
  EXPECT_NEAR(scan.dpi, 300, 0.01);
  EXPECT_FALSE(scan.has_masks);
  EXPECT_TRUE(
      ReadPdfPictures(std::string(kHead) + kScan + kMask, kA4).has_masks);
}

TEST(ReadPdfPictures, RotatedPage_IsAScan) {
  const PdfPage turned = {.pages = 1, .width = 841.92, .height = 595.2};
  EXPECT_NEAR(ReadPdfPictures(std::string(kHead) + kScan, turned).dpi, 300,
              0.01);
}

TEST(ReadPdfPictures, OtherPages_AreNoScans) {
  const std::string head = kHead, scan = kScan;
  const PdfPage large = {.pages = 1, .width = 1000, .height = 1000};
  EXPECT_EQ(ReadPdfPictures("", kA4).dpi, 0);
  EXPECT_EQ(ReadPdfPictures(head, kA4).dpi, 0);
  EXPECT_EQ(ReadPdfPictures(head + scan + scan, kA4).dpi, 0);
  EXPECT_EQ(ReadPdfPictures(head + scan, large).dpi, 0);
  EXPECT_EQ(ReadPdfPictures(head + scan + "   1     1 image\n", kA4).dpi, 0);
  for (const char* wrong : {"3000", "nan", "inf", "-1", "x"}) {
    std::string other = scan;
    other.replace(other.find("300"), 3, wrong);
    EXPECT_EQ(ReadPdfPictures(head + other, kA4).dpi, 0) << wrong;
  }
}

TEST(PdfListing, Words_AreWhereTheySay) {
  const std::vector<WordPlace> words = ReadPdfWords(
      "<page width=\"300\" height=\"500\">\n"
      "    <word xMin=\"-1.5\" yMin=\"2\" xMax=\"30\" "
      "yMax=\"40.25\">&lt;word xMin</word>\n"
      "    <word xMin=\"1\" yMin=\"2\" xMax=\"3\">no</word>\n"
      "    <word xMin=\"nan\" yMin=\"2\" xMax=\"3\" yMax=\"4\">no</word>\n");
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].left, -1.5);
  EXPECT_EQ(words[0].top, 2);
  EXPECT_EQ(words[0].right, 30);
  EXPECT_EQ(words[0].bottom, 40.25);
  EXPECT_TRUE(ReadPdfWords("").empty());
}

}  // namespace
}  // namespace munja::image::codecs::pdf
