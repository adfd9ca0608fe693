#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/file.h"
#include "image/codecs/codec.h"
#include "image/codecs/pdf_testing.h"
#include "image/decode.h"

namespace munja::image::codecs {
namespace {

using ::testing::HasSubstr;

std::string Stream(const std::string& dictionary, const std::string& bytes) {
  return "<< " + dictionary + " /Length " + std::to_string(bytes.size()) +
         " >>\nstream\n" + bytes + "\nendstream";
}

// One page of 144 x 72 points, red on the left half, then one of 72 x 72, blue.
std::string TwoPages() {
  return PdfOf({"<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 144 72] "
                "/Contents 5 0 R /Resources << >> >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] "
                "/Contents 6 0 R /Resources << >> >>",
                Stream("", "1 0 0 rg 0 0 72 72 re f"),
                Stream("", "0 0 1 rg 0 0 72 72 re f")});
}

// 400 x 200 pixels that fill a page, at 100 to the inch.
std::string Scan(const std::string& page_entries = "",
                 const std::string& over = "") {
  std::string pixels;
  for (int i = 0; i < 400 * 200; ++i) {
    const int x = i % 400, y = i / 400;
    pixels += static_cast<char>(x % 2 == 0 ? 255 : 0);
    pixels += static_cast<char>(y);
    pixels += static_cast<char>(x / 2);
  }
  return PdfOf({"<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 144] " +
                    page_entries +
                    "/Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >> "
                    ">>",
                Stream("", "q 288 0 0 144 0 0 cm /P Do Q " + over),
                Stream("/Type /XObject /Subtype /Image /Width 400 /Height 200 "
                       "/ColorSpace /DeviceRGB /BitsPerComponent 8",
                       pixels)});
}

Bytes BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Result<Image> DecodeText(const std::string& text, DecodeLimits limits = {}) {
  return image::Decode(BytesOf(text), limits);
}

class PdfDecode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RunChild({"pdftoppm", "-v"}, {}, 4096).ok())
      GTEST_SKIP() << "poppler-utils is not installed";
    const Result<Image> page = DecodeText(TwoPages());
    if (!page.ok() &&
        page.status().message().find("this build") != std::string_view::npos)
      GTEST_SKIP() << page.status().message();
  }
};

TEST(PdfSniff, Header_MayFollowOtherBytes) {
  EXPECT_TRUE(pdf::Sniff(BytesOf("%PDF-1.7\n")));
  EXPECT_TRUE(pdf::Sniff(BytesOf("\n\n%PDF-1.7\n")));
  EXPECT_FALSE(pdf::Sniff(BytesOf("%PD")));
  EXPECT_FALSE(pdf::Sniff(BytesOf("")));
}

TEST_F(PdfDecode, Pages_AreRendered) {
  const std::string file = TwoPages();
  const Result<int> count = CountPictures(BytesOf(file));
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 2);
  DecodeLimits limits;
  limits.dpi = 100;
  const Result<Image> first = DecodeText(file, limits);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(first->width(), 200);
  EXPECT_EQ(first->height(), 100);
  const auto at = [](const Image& image, int x, int y) {
    const uint8_t* const p = image.row(y) + 3 * x;
    return std::vector<int>{p[0], p[1], p[2]};
  };
  EXPECT_EQ(at(*first, 20, 50), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(at(*first, 180, 50), (std::vector<int>{255, 255, 255}));
  limits.picture = 1;
  const Result<Image> second = DecodeText(file, limits);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->width(), 100);
  EXPECT_EQ(at(*second, 50, 50), (std::vector<int>{0, 0, 255}));
  limits.picture = 2;
  EXPECT_EQ(DecodeText(file, limits).status().code(), Code::kInvalidArgument);
}

TEST_F(PdfDecode, UnknownResolution_Is200Dpi) {
  const Result<Image> page = DecodeText(TwoPages());
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->width(), 400);
}

TEST_F(PdfDecode, OnlyImageOfAPage_IsTakenUnchanged) {
  const Result<Image> page = DecodeText(Scan());
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->width(), 400);
  ASSERT_EQ(page->height(), 200);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 400; ++x) {
      const uint8_t* const p = page->row(y) + 3 * x;
      ASSERT_EQ(p[0], x % 2 == 0 ? 255 : 0) << x << ", " << y;
      ASSERT_EQ(p[1], y);
      ASSERT_EQ(p[2], x / 2);
    }
  }
}

// 99.31 pixels to the inch, listed as 99.
TEST_F(PdfDecode, FractionalResolution_KeepsThePixels) {
  std::string file = Scan();
  const auto replace = [&](const std::string& from, const std::string& to) {
    file.replace(file.find(from), from.size(), to);
  };
  replace("[0 0 288 144]", "[0 0 290 145]");
  replace("288 0 0 144", "290 0 0 145");
  const Result<Image> page = DecodeText(file);
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->width(), 400);
  ASSERT_EQ(page->height(), 200);
  for (int x = 0; x < 400; ++x)
    ASSERT_EQ(page->row(7)[3 * x], x % 2 == 0 ? 255 : 0) << x;
}

// A stamp over a scan is part of the page.
TEST_F(PdfDecode, DrawingsOverTheImage_AreShown) {
  const Result<Image> page = DecodeText(Scan("", "0 0 0 rg 144 72 30 15 re f"));
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->width(), 400);
  EXPECT_EQ(page->row(90)[3 * 220 + 2], 0);
}

TEST_F(PdfDecode, PageRotation_IsApplied) {
  const Result<Image> page = DecodeText(Scan("/Rotate 90 "));
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->width(), 200);
  ASSERT_EQ(page->height(), 400);
  // The left edge is now the top.
  EXPECT_EQ(page->row(0)[3 * 10 + 2], 0);
  EXPECT_EQ(page->row(399)[3 * 10 + 2], 199);
}

TEST_F(PdfDecode, UnreadableFile_IsRefused) {
  const auto message = [](const std::string& file) {
    const Result<Image> page = DecodeText(file);
    EXPECT_FALSE(page.ok());
    return std::string(page.status().message());
  };
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [] /Count 0 >>"};
  EXPECT_THAT(message(PdfOf(objects)), HasSubstr("pdf: the file has no pages"));
  EXPECT_THAT(message(TwoPages().substr(0, 60)), HasSubstr("pdf: damaged"));
  std::vector<std::string> locked = objects;
  const std::string key(64, 'A');
  locked.push_back("<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + key +
                   "> /U <" + key + "> >>");
  EXPECT_THAT(message(PdfOf(locked, "/Encrypt 3 0 R /ID [<41><41>] ")),
              HasSubstr("MUNJA_PDF_PASSWORD must be its password"));
}

TEST_F(PdfDecode, Password_IsThatOfTheEnvironment) {
  const std::string plain = ::testing::TempDir() + "/password_plain.pdf";
  const std::string locked = ::testing::TempDir() + "/password_locked.pdf";
  ASSERT_TRUE(WriteFile(plain, Scan()).ok());
  const auto ran = RunChild(
      {"qpdf", "--encrypt", "user", "owner", "256", "--", plain, locked}, {},
      4096);
  if (!ran.ok() || ran->exit_code != 0) GTEST_SKIP() << "qpdf is not installed";
  const std::vector<uint8_t> bytes = *ReadFile(locked);
  const auto message = [&] {
    return std::string(image::Decode(bytes).status().message());
  };
  EXPECT_THAT(message(), HasSubstr("MUNJA_PDF_PASSWORD must be its password"));
  for (const char* password : {"user", "owner"}) {
    ASSERT_EQ(::setenv("MUNJA_PDF_PASSWORD", password, 1), 0);
    const Result<Image> page = image::Decode(bytes);
    ASSERT_TRUE(page.ok()) << page.status().message();
    // The pixels of the scan.
    EXPECT_EQ(page->width(), 400);
    EXPECT_EQ(*CountPictures(bytes), 1);
  }
  ASSERT_EQ(::setenv("MUNJA_PDF_PASSWORD", "other", 1), 0);
  EXPECT_THAT(message(), HasSubstr("not with the password"));
  ASSERT_EQ(::unsetenv("MUNJA_PDF_PASSWORD"), 0);
}

TEST_F(PdfDecode, UserUnit_IsThePapersOnly) {
  for (const auto& [entries, unit] :
       {std::pair{"/UserUnit 2.5 ", 2.5}, {"/UserUnit 0 ", 1.0}, {"", 1.0}}) {
    const Result<Image> page = DecodeText(Scan(entries));
    ASSERT_TRUE(page.ok()) << page.status().message();
    EXPECT_EQ(page->width(), 400);
    EXPECT_DOUBLE_EQ(page->paper_width(), 288 * unit);
    EXPECT_DOUBLE_EQ(page->paper_height(), 144 * unit);
  }
}

TEST_F(PdfDecode, Words_AreWhereTheyAreShown) {
  const auto page = [](const std::string& entries, const std::string& text) {
    return PdfOf({"<< /Type /Catalog /Pages 2 0 R >>",
                  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] "
                  "/CropBox [50 20 350 280] " +
                      entries +
                      "/Contents 4 0 R /Resources << /Font << /F << /Type "
                      "/Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
                  Stream("", text)});
  };
  const std::string rye = "BT /F 20 Tf 100 200 Td (Rye bread) Tj ET";
  const std::string file = page("", rye);
  const auto words = FindPdfWords(BytesOf(file), 0);
  ASSERT_TRUE(words.ok()) << words.status().message();
  ASSERT_EQ(words->size(), 2u);
  EXPECT_NEAR((*words)[0].left, 50, 0.1);
  EXPECT_LT((*words)[0].top, 80);
  EXPECT_GT((*words)[0].bottom, 80);
  const std::string turned = page("/Rotate 90 ", rye);
  const auto down = FindPdfWords(BytesOf(turned), 0);
  ASSERT_TRUE(down.ok());
  ASSERT_EQ(down->size(), 2u);
  EXPECT_NEAR((*down)[0].top, 50, 0.1);
  EXPECT_LT((*down)[0].left, 180);
  EXPECT_GT((*down)[0].right, 180);
  const std::string empty = page("", "");
  EXPECT_TRUE(FindPdfWords(BytesOf(empty), 0)->empty());
  EXPECT_FALSE(FindPdfWords(BytesOf("GIF89a"), 0).ok());
}

TEST_F(PdfDecode, Images_KnowTheirPage) {
  const std::string file = TwoPages();
  DecodeLimits limits;
  limits.picture = 1;
  EXPECT_EQ(DecodeText(file, limits)->page(), 1);
  EXPECT_EQ(DecodeText(Scan())->page(), 0);
  EXPECT_EQ(Image::Create(1, 1)->page(), -1);
}

TEST_F(PdfDecode, PagesOverTheLimit_AreNotRendered) {
  DecodeLimits limits;
  limits.dpi = 1e6;
  EXPECT_EQ(DecodeText(TwoPages(), limits).status().code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::image::codecs
