#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifdef MUNJA_HAS_HEIF
#include <libheif/heif.h>
#endif

#include <string>
#include <vector>

#include "image/codecs/codec.h"
#include "image/decode.h"

#ifdef MUNJA_HAS_HEIF
// The encoder that makes the files of these tests loses some of its memory.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it.
extern "C" const char* __lsan_default_suppressions() { return "leak:libx265"; }
#endif

namespace munja::image::codecs {
namespace {

using ::testing::HasSubstr;

Bytes HeifBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(HeifSniff, Brand_IsRecognized) {
  const std::string size(4, '\0');
  EXPECT_TRUE(heif::Sniff(HeifBytes(size + "ftypheic")));
  EXPECT_TRUE(heif::Sniff(HeifBytes(size + "ftypavif")));
  EXPECT_FALSE(heif::Sniff(HeifBytes(size + "ftypisom")));
  EXPECT_FALSE(heif::Sniff(HeifBytes(size + "ftypav")));
}

#ifdef MUNJA_HAS_HEIF
heif_error Append(heif_context*, const void* data, size_t size, void* user) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return {heif_error_Ok, heif_suberror_Unspecified, ""};
}

// A file of images of 64 x 32 pixels, the left half of each in a color;
// empty where the library cannot write this format.
std::string Encoded(heif_compression_format format,
                    const std::vector<std::vector<uint8_t>>& colors) {
  heif_context* const context = heif_context_alloc();
  heif_encoder* encoder = nullptr;
  std::string file;
  if (heif_context_get_encoder_for_format(context, format, &encoder).code ==
      heif_error_Ok) {
    heif_encoder_set_lossy_quality(encoder, 95);
    for (const auto& color : colors) {
      heif_image* picture = nullptr;
      heif_image_create(64, 32, heif_colorspace_RGB,
                        heif_chroma_interleaved_RGB, &picture);
      heif_image_add_plane(picture, heif_channel_interleaved, 64, 32, 8);
      int stride = 0;
      uint8_t* const pixels =
          heif_image_get_plane(picture, heif_channel_interleaved, &stride);
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 64; ++x)
          for (int c = 0; c < 3; ++c)
            pixels[y * stride + 3 * x + c] =
                x < 32 ? color[static_cast<size_t>(c)] : 255;
      heif_context_encode_image(context, picture, encoder, nullptr, nullptr);
      heif_image_release(picture);
    }
    heif_encoder_release(encoder);
    heif_writer writer = {1, Append};
    heif_context_write(context, &writer, &file);
  }
  heif_context_free(context);
  return file;
}

class HeifDecode : public ::testing::TestWithParam<heif_compression_format> {
 protected:
  void SetUp() override {
    file_ = Encoded(GetParam(), {{200, 30, 30}, {30, 30, 200}});
    if (file_.empty()) GTEST_SKIP() << "libheif writes no such files";
  }
  std::string file_;
};

TEST_P(HeifDecode, Images_AreRead) {
  const Result<int> count = CountPictures(HeifBytes(file_));
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 2);
  for (int i = 0; i < 2; ++i) {
    DecodeLimits limits;
    limits.picture = i;
    const Result<Image> image = image::Decode(HeifBytes(file_), limits);
    ASSERT_TRUE(image.ok()) << image.status().message();
    ASSERT_EQ(image->width(), 64);
    ASSERT_EQ(image->height(), 32);
    const uint8_t* const left = image->row(16) + 3 * 10;
    EXPECT_NEAR(left[0], i == 0 ? 200 : 30, 12);
    EXPECT_NEAR(left[2], i == 0 ? 30 : 200, 12);
    EXPECT_NEAR(image->row(16)[3 * 50], 255, 6);
  }
}

// Cut anywhere it is an error or the same image.
TEST_P(HeifDecode, TruncatedFile_IsAnErrorOrUnchanged) {
  const Result<Image> whole = image::Decode(HeifBytes(file_));
  ASSERT_TRUE(whole.ok());
  for (size_t size = 0; size < file_.size(); size += 7) {
    const Result<Image> image = image::Decode(HeifBytes(file_).first(size));
    if (!image.ok()) continue;
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 3 * 64; ++x)
        ASSERT_EQ(image->row(y)[x], whole->row(y)[x]) << size << " bytes";
  }
}

TEST_P(HeifDecode, Limits_Apply) {
  DecodeLimits limits;
  limits.max_pixels = 64 * 32 - 1;
  EXPECT_EQ(image::Decode(HeifBytes(file_), limits).status().code(),
            Code::kOutOfMemory);
}

INSTANTIATE_TEST_SUITE_P(Formats, HeifDecode,
                         ::testing::Values(heif_compression_HEVC,
                                           heif_compression_AV1));
#else
TEST(HeifDecode, MissingLibrary_IsNamed) {
  const Result<Image> image =
      image::Decode(HeifBytes(std::string(4, '\0') + "ftypheic"));
  EXPECT_THAT(std::string(image.status().message()), HasSubstr("HEIC"));
}
#endif

}  // namespace
}  // namespace munja::image::codecs
