#include "image/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "image/encode.h"
#include "image/testing.h"

namespace munja::image {
namespace {

using test_pictures::Psnr;
using ::testing::HasSubstr;

std::vector<uint8_t> Text(std::string_view text) {
  return {text.begin(), text.end()};
}

// The chunk that states the resolution lies behind the header.
TEST(Decode, UnequalResolution_IsMadeEqual) {
  const Image pattern = test_pictures::Pattern(40, 20);
  std::vector<uint8_t> file = *EncodePng(pattern.view());
  constexpr ptrdiff_t kAfterHeader = 33;
  const std::vector<uint8_t> chunk = {0, 0, 0, 9, 'p', 'H', 'Y', 's', 0, 0, 0,
                                      2, 0, 0, 0, 1,   0,   0,   0,   0, 0};
  file.insert(file.begin() + kAfterHeader, chunk.begin(), chunk.end());
  const Result<Image> image = Decode(file);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image->width(), 40);
  EXPECT_EQ(image->height(), 40);
  // How large a pixel is, is not said.
  EXPECT_EQ(image->paper_width(), 0);
}

TEST(Decode, OtherBytes_AreRefused) {
  const Result<Image> none = Decode({});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kMalformed);

  const struct {
    const char* name;
    std::string bytes;
    const char* guess;
  } kCases[] = {
      {"text", "Dear reader, hello.\n", "looks like text"},
      {"ZIP", "PK\x03\x04", "ZIP"},
      {"noise", "\x01\x80\x99\xFE", "known format (JPEG, PNG, WebP, BMP"},
      {"one byte", "\xFF", "known format"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(SniffFormat(Text(c.bytes)), nullptr);
    const Result<Image> image = Decode(Text(c.bytes));
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), Code::kUnsupported);
    EXPECT_THAT(std::string(image.status().message()), HasSubstr(c.guess));
  }
}

TEST(Decode, Limits_AreCheckedBeforeDecoding) {
  Image image = std::move(Image::Create(40, 30)).value();
  std::fill_n(image.row(0), image.stride() * 30, uint8_t{7});
  const std::vector<uint8_t> png = std::move(EncodePng(image.view())).value();
  const auto code = [&](const DecodeLimits& limits) {
    const Result<Image> result = Decode(png, limits);
    return result.ok() ? Code::kOk : result.status().code();
  };
  EXPECT_EQ(code({}), Code::kOk);
  EXPECT_EQ(code({.max_pixels = 1200}), Code::kOk);
  EXPECT_EQ(code({.max_pixels = 1199}), Code::kOutOfMemory);
  EXPECT_EQ(code({.max_side = 40}), Code::kOk);
  EXPECT_EQ(code({.max_side = 39}), Code::kOutOfMemory);
  EXPECT_EQ(code({.max_file_bytes = png.size()}), Code::kOk);
  EXPECT_EQ(code({.max_file_bytes = png.size() - 1}), Code::kOutOfMemory);
}

TEST(DecodeFile, Error_NamesThePath) {
  const Result<Image> image = DecodeFile("/nonexistent/picture.png");
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(image.status().message()),
              HasSubstr("/nonexistent/picture.png"));
}

// Images that are kept outside the repository.
class SharedPictures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(kFolder))
      GTEST_SKIP() << kFolder << " is not there";
  }
  static Image Load(const std::string& name) {
    Result<Image> image = DecodeFile(kFolder + "/derived/" + name);
    EXPECT_TRUE(image.ok()) << image.status().message();
    if (!image.ok()) return std::move(Image::Create(1, 1)).value();
    return std::move(image).value();
  }
  static inline const std::string kFolder =
      MUNJA_SOURCE_DIR "/../shared/images/robust";
};

// Each variant was written by another program from promo_base.png. Lossless
// color formats must be equal; the bounds of the others lie 1 to 2 dB under
// what their compression leaves, far above any mistake in color or geometry.
TEST_F(SharedPictures, Variants_ShowTheBaseImage) {
  const Image base = Load("promo_base.png");
  const struct {
    const char* name;
    double psnr;
  } kCases[] = {
      {"promo.ppm", 99},        {"promo_24.bmp", 99},
      {"promo_lzw.tif", 99},    {"promo_lossless.webp", 99},
      {"promo_rgb16.png", 99},  {"promo_exif1.jpg", 30},
      {"promo_exif2.jpg", 30},  {"promo_exif3.jpg", 30},
      {"promo_exif4.jpg", 30},  {"promo_exif5.jpg", 30},
      {"promo_exif6.jpg", 30},  {"promo_exif7.jpg", 30},
      {"promo_exif8.jpg", 30},  {"promo_444.jpg", 30},
      {"promo_cmyk.jpg", 30},   {"promo_progressive.jpg", 30},
      {"promo_lossy.webp", 28}, {"promo_palette.png", 25},
      {"promo_8.bmp", 20},      {"promo_q15.jpg", 20},
      {"promo_anim.gif", 20},   {"promo_anim.webp", 28},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const double psnr = Psnr(Load(c.name), base);
    EXPECT_GE(psnr, c.psnr);
  }
}

TEST_F(SharedPictures, BrokenFiles_AreRefused) {
  const struct {
    const char* name;
    Code code;
    const char* message;
  } kCases[] = {
      {"bomb_header_65000x65000.png", Code::kOutOfMemory, "65000 x 65000"},
      {"garbage.png", Code::kUnsupported, "known format"},
      {"text_named.jpg", Code::kUnsupported, "looks like text"},
      {"zero_byte.jpg", Code::kMalformed, "no bytes"},
      {"promo_badcrc.png", Code::kMalformed, "of 500"},
      {"promo_truncated60.jpg", Code::kMalformed, "cut off after row"},
      {"promo_truncated60.png", Code::kMalformed, "cut off after row"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Result<Image> image = DecodeFile(kFolder + "/derived/" + c.name);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), c.code) << image.status().message();
    EXPECT_THAT(std::string(image.status().message()), HasSubstr(c.message));
    EXPECT_THAT(std::string(image.status().message()), HasSubstr(c.name));
  }
}

TEST_F(SharedPictures, OtherFiles_Decode) {
  const std::set<std::string> broken = {"bomb_header_65000x65000.png",
                                        "garbage.png",
                                        "text_named.jpg",
                                        "zero_byte.jpg",
                                        "promo_badcrc.png",
                                        "promo_truncated60.jpg",
                                        "promo_truncated60.png",
                                        "pillow_broken.png"};
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kFolder)) {
    if (!entry.is_regular_file()) continue;
    const Result<Image> image = DecodeFile(entry.path());
    EXPECT_EQ(image.ok(), !broken.contains(entry.path().filename()))
        << entry.path();
  }
}

// Its ink is opaque black on transparent black: laid over anything but white
// there would be nothing to read.
TEST_F(SharedPictures, Transparency_IsWhite) {
  const Result<Image> image =
      DecodeFile(kFolder + "/real/rapidocr_black_font_color_transparent.png");
  ASSERT_TRUE(image.ok());
  size_t white = 0, black = 0;
  const size_t count = image->stride() * static_cast<size_t>(image->height());
  for (size_t i = 0; i < count; ++i) {
    white += image->row(0)[i] == 255;
    black += image->row(0)[i] < 64;
  }
  EXPECT_GT(white, count / 2);
  EXPECT_GT(black, count / 100);
}

}  // namespace
}  // namespace munja::image
