#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifdef MUNJA_HAS_JPEG2000
#include <openjpeg.h>
#endif

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "image/codecs/codec.h"
#include "image/codecs/testing.h"
#include "image/decode.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

using testing::HasSubstr;

std::vector<uint8_t> Jpeg2000Start() {
  const char text[] = "\xFF\x4F\xFF\x51";
  return {text, text + 4};
}

#ifdef MUNJA_HAS_JPEG2000
// Channels of an image and how they are stored.
struct StoredJpeg2000 {
  int width = 0, height = 0;
  OPJ_COLOR_SPACE space = OPJ_CLRSPC_SRGB;
  OPJ_CODEC_FORMAT format = OPJ_CODEC_JP2;
  uint32_t bits = 8;
  std::vector<std::vector<int>> channels;
  bool has_alpha = false;  // The last one.
  uint32_t step = 1;  // Distance of samples in the channels behind the first.
};

OPJ_SIZE_T WriteJpeg2000(void* bytes, OPJ_SIZE_T size, void* user) {
  auto& out = *static_cast<std::vector<uint8_t>*>(user);
  const auto* const from = static_cast<const uint8_t*>(bytes);
  out.insert(out.end(), from, from + size);
  return size;
}

std::vector<uint8_t> EncodeJpeg2000(const StoredJpeg2000& stored) {
  std::vector<opj_image_cmptparm_t> parameters(stored.channels.size());
  for (size_t c = 0; c < parameters.size(); ++c) {
    opj_image_cmptparm_t& p = parameters[c];
    std::memset(&p, 0, sizeof p);
    p.dx = p.dy = c == 0 ? 1 : stored.step;
    p.w = (static_cast<uint32_t>(stored.width) + p.dx - 1) / p.dx;
    p.h = (static_cast<uint32_t>(stored.height) + p.dy - 1) / p.dy;
    p.prec = stored.bits;
  }
  opj_image_t* const image =
      opj_image_create(static_cast<uint32_t>(parameters.size()),
                       parameters.data(), stored.space);
  image->x1 = static_cast<uint32_t>(stored.width);
  image->y1 = static_cast<uint32_t>(stored.height);
  for (size_t c = 0; c < parameters.size(); ++c)
    for (size_t i = 0; i < stored.channels[c].size(); ++i)
      image->comps[c].data[i] = stored.channels[c][i];
  if (stored.has_alpha) image->comps[parameters.size() - 1].alpha = 1;
  opj_cparameters_t options;
  opj_set_default_encoder_parameters(&options);
  constexpr int kSmall = 4;  // Each resolution has half the pixels.
  options.numresolution =
      std::min(stored.width, stored.height) < kSmall ? 1 : 3;
  options.tcp_numlayers = 1;
  options.cp_disto_alloc = 1;  // Lossless.
  opj_codec_t* const codec = opj_create_compress(stored.format);
  EXPECT_TRUE(opj_setup_encoder(codec, &options, image));
  std::vector<uint8_t> file;
  opj_stream_t* const stream = opj_stream_create(1 << 20, OPJ_FALSE);
  opj_stream_set_user_data(stream, &file, nullptr);
  opj_stream_set_write_function(stream, WriteJpeg2000);
  // The sizes of boxes are written at the end.
  opj_stream_set_seek_function(stream,
                               [](OPJ_OFF_T, void*) { return OPJ_TRUE; });
  EXPECT_TRUE(opj_start_compress(codec, image, stream) &&
              opj_encode(codec, stream) && opj_end_compress(codec, stream));
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  return file;
}

StoredJpeg2000 Jpeg2000Of(const Image& pattern) {
  StoredJpeg2000 stored;
  stored.width = pattern.width();
  stored.height = pattern.height();
  stored.format = OPJ_CODEC_J2K;  // Written without going back.
  stored.channels.resize(3);
  for (int y = 0; y < pattern.height(); ++y)
    for (int x = 0; x < 3 * pattern.width(); ++x)
      stored.channels[static_cast<size_t>(x % 3)].push_back(pattern.row(y)[x]);
  return stored;
}

TEST(Jpeg2000Decode, Lossless_IsExact) {
  for (const auto& [width, height] : {std::pair{83, 61}, {16, 9}, {300, 7}}) {
    const Image pattern = Pattern(width, height);
    const std::vector<uint8_t> file = EncodeJpeg2000(Jpeg2000Of(pattern));
    EXPECT_STREQ(SniffFormat(file), "jpeg2000");
    EXPECT_EQ(LargestDifference(MustDecode(file), pattern), 0);
  }
}

TEST(Jpeg2000Decode, GrayOfTwelveBits_BecomesEight) {
  StoredJpeg2000 stored;
  stored.width = stored.height = 16;
  stored.bits = 12;
  stored.space = OPJ_CLRSPC_GRAY;
  stored.format = OPJ_CODEC_J2K;
  stored.channels = {std::vector<int>(16 * 16, 4095)};
  stored.channels[0][0] = 0;
  stored.channels[0][1] = 2048;
  const Image image = MustDecode(EncodeJpeg2000(stored));
  EXPECT_EQ(image.row(0)[0], 0);
  EXPECT_EQ(image.row(0)[4], 128);
  EXPECT_EQ(image.row(0)[8], 255);
}

// Channels of half the resolution are those of color differences.
TEST(Jpeg2000Decode, SubsampledColors_AreConverted) {
  StoredJpeg2000 stored;
  stored.width = stored.height = 4;
  stored.format = OPJ_CODEC_J2K;
  stored.space = OPJ_CLRSPC_UNSPECIFIED;
  stored.step = 2;
  stored.channels = {std::vector<int>(16, 76), std::vector<int>(4, 85),
                     std::vector<int>(4, 255)};
  const Image image = MustDecode(EncodeJpeg2000(stored));
  for (int x = 0; x < 4; ++x) {
    EXPECT_NEAR(image.row(3)[3 * x], 254, 2);
    EXPECT_NEAR(image.row(3)[3 * x + 1], 0, 2);
    EXPECT_NEAR(image.row(3)[3 * x + 2], 0, 2);
  }
}

TEST(Jpeg2000Decode, TruncatedFile_IsAnErrorOrUnchanged) {
  const Image pattern = Pattern(40, 30);
  const std::vector<uint8_t> file = EncodeJpeg2000(Jpeg2000Of(pattern));
  for (size_t size = 0; size < file.size(); size += 5) {
    const Result<Image> image = Decode(std::span(file).first(size));
    if (!image.ok()) continue;
    EXPECT_EQ(LargestDifference(*image, pattern), 0) << size;
  }
}

TEST(Jpeg2000Decode, Limits_Apply) {
  DecodeLimits limits;
  limits.max_pixels = 40 * 30 - 1;
  EXPECT_EQ(Decode(EncodeJpeg2000(Jpeg2000Of(Pattern(40, 30))), limits)
                .status()
                .code(),
            Code::kOutOfMemory);
}

TEST(Jpeg2000Decode, DamagedHeader_SaysWhy) {
  std::vector<uint8_t> file = EncodeJpeg2000(Jpeg2000Of(Pattern(40, 30)));
  std::fill(file.begin() + 8, file.begin() + 24, uint8_t{0xFF});
  const Result<Image> image = Decode(file);
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(std::string(image.status().message()), HasSubstr("jpeg2000: "));
}
#else
TEST(Jpeg2000Decode, MissingLibrary_NamesThePackage) {
  const Result<Image> image = Decode(Jpeg2000Start());
  EXPECT_THAT(std::string(image.status().message()),
              HasSubstr("libopenjp2-7-dev"));
}
#endif

TEST(Jpeg2000Sniff, FileAndCodestream_AreRecognized) {
  EXPECT_TRUE(codecs::jpeg2000::Sniff(Jpeg2000Start()));
  const std::string file("\0\0\0\x0CjP  \r\n\x87\n", 12);
  EXPECT_TRUE(codecs::jpeg2000::Sniff(
      {reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
  EXPECT_FALSE(codecs::jpeg2000::Sniff({}));
}

}  // namespace
}  // namespace munja::image::test_pictures
