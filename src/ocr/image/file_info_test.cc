#include "image/file_info.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace munja::image {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

FileInfo Read(std::string_view bytes) {
  return ReadFileInfo(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

std::string Segment(char marker, std::string_view body) {
  std::string segment = "\xFF";
  segment += marker;
  segment += static_cast<char>((body.size() + 2) >> 8);
  segment += static_cast<char>((body.size() + 2) & 0xFF);
  return segment + std::string(body);
}

std::string Jfif(char unit, char density) {
  return Segment('\xE0', "JFIF\0\1\2"s.append(1, unit).append(
                             {0, density, 0, density, 0, 0}));
}

const std::string kStart = "\xFF\xD8";
const std::string kEnd = "\xFF\xDA\0\2"s;

TEST(FileInfo, Jpeg_HasSizeAndResolution) {
  const std::string frame = Segment('\xC0', "\x08\x00\x20\x01\x00\x03"sv);
  FileInfo info = Read(kStart + Jfif(1, 96) + frame + kEnd);
  EXPECT_TRUE(info.is_jpeg);
  EXPECT_EQ(info.width, 256);
  EXPECT_EQ(info.height, 32);
  EXPECT_EQ(info.components, 3);
  EXPECT_EQ(info.orientation, 1);
  EXPECT_DOUBLE_EQ(info.dpi, 96);
  EXPECT_FALSE(info.is_inverted);
  EXPECT_DOUBLE_EQ(Read(kStart + Jfif(2, 100) + frame).dpi, 254);
  EXPECT_EQ(Read(kStart + Jfif(0, 1) + frame).dpi, 0);
}

TEST(FileInfo, TurnedAndCmykJpeg_AreDescribed) {
  const std::string exif = Segment(
      '\xE1',
      "Exif\0\0MM\0\x2A\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"sv);
  const std::string frame = Segment('\xC2', "\x08\x00\x20\x01\x00\x04"sv);
  const FileInfo info =
      Read(kStart + exif + Segment('\xEE', "Adobe"sv) + frame + kEnd);
  EXPECT_EQ(info.orientation, 6);
  EXPECT_EQ(info.components, 4);
  EXPECT_TRUE(info.is_jpeg);
  EXPECT_TRUE(info.is_inverted);
}

TEST(FileInfo, UncommonJpeg_IsNotReported) {
  // Lossless, 12 bits, two components, no height.
  for (const std::string& frame :
       {Segment('\xC3', "\x08\x00\x20\x01\x00\x03"sv),
        Segment('\xC1', "\x0C\x00\x20\x01\x00\x03"sv),
        Segment('\xC0', "\x08\x00\x20\x01\x00\x02"sv),
        Segment('\xC0', "\x08\x00\x00\x01\x00\x03"sv)})
    EXPECT_FALSE(Read(kStart + frame + kEnd).is_jpeg);
}

TEST(FileInfo, Png_HasAResolution) {
  const std::string head = "\x89PNG\r\n\x1A\n";
  const std::string density =
      "\0\0\0\x09pHYs\0\0\x2E\x23\0\0\x2E\x23\1\0\0\0\0"s;
  EXPECT_NEAR(Read(head + density).dpi, 300, 0.01);
  EXPECT_EQ(Read(head + density.substr(0, 15)).dpi, 0);
}

TEST(FileInfo, UnequalResolutions_GiveAnAspect) {
  // Twice as many pixels to the inch across as down.
  const std::string jfif = Segment('\xE0', "JFIF\0\1\2\1\0\xCC\0\x66\0\0"s);
  EXPECT_DOUBLE_EQ(Read(kStart + jfif).aspect, 2);
  EXPECT_DOUBLE_EQ(Read(kStart + jfif).dpi, 204);
  const std::string density =
      "\x89PNG\r\n\x1A\n\0\0\0\x09pHYs\0\0\0\1\0\0\0\2\0\0\0\0\0"s;
  EXPECT_DOUBLE_EQ(Read(density).aspect, 0.5);
  EXPECT_EQ(Read(density).dpi, 0);
  EXPECT_DOUBLE_EQ(Read(kStart + Jfif(1, 96)).aspect, 1);
  // None, or one side of it, says nothing.
  for (const auto& sides : {"\0\0\0\x48"s, "\0\x48\0\0"s, "\0\0\0\0"s}) {
    const FileInfo info =
        Read(kStart + Segment('\xE0', "JFIF\0\1\2\1"s + sides + "\0\0"s));
    EXPECT_DOUBLE_EQ(info.aspect, 1);
  }
}

// Whatever is cut off or no image at all.
TEST(FileInfo, OtherFile_HasNoInfo) {
  const std::string jpeg =
      kStart + Jfif(1, 96) + Segment('\xC0', "\x08\x00\x20\x01\x00\x03"sv);
  for (size_t size = 0; size < jpeg.size(); ++size)
    EXPECT_FALSE(Read(jpeg.substr(0, size)).is_jpeg) << size;
  EXPECT_FALSE(Read(kStart + "\xFF\xE0\0\1 too short"s).is_jpeg);
  EXPECT_FALSE(Read("GIF89a").is_jpeg);
}

}  // namespace
}  // namespace munja::image
