#include "image/encode.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "image/decode.h"
#include "image/testing.h"

namespace munja::image {
namespace {

TEST(EncodePng, Image_ReadsBackUnchanged) {
  for (const int width : {1, 2, 33}) {
    const Image image = test_pictures::Pattern(width, 17);
    const Result<std::vector<uint8_t>> png = EncodePng(image.view());
    ASSERT_TRUE(png.ok());
    EXPECT_EQ(test_pictures::LargestDifference(test_pictures::MustDecode(*png),
                                               image),
              0);
  }
  const uint8_t gray[4] = {0, 80, 160, 255};
  const Result<std::vector<uint8_t>> png = EncodeGrayPng(gray, 2, 2);
  ASSERT_TRUE(png.ok());
  const Image image = test_pictures::MustDecode(*png);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(image.row(0)[i], gray[i / 3]);
}

TEST(EncodePng, EmptyImages_AreRefused) {
  EXPECT_EQ(EncodePng({}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(EncodeGrayPng(nullptr, 1, 1).status().code(),
            Code::kInvalidArgument);
}

TEST(WritePng, File_IsWritten) {
  const std::string path = ::testing::TempDir() + "munja_encode_test.png";
  const Image image = test_pictures::Pattern(20, 10);
  ASSERT_TRUE(WritePng(path, image.view()).ok());
  const Result<Image> back = DecodeFile(path);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(test_pictures::LargestDifference(*back, image), 0);
  const uint8_t gray[1] = {9};
  ASSERT_TRUE(WriteGrayPng(path, gray, 1, 1).ok());
  EXPECT_TRUE(DecodeFile(path).ok());
  std::remove(path.c_str());
  EXPECT_FALSE(WritePng("/nonexistent/folder/a.png", image.view()).ok());
}

}  // namespace
}  // namespace munja::image
