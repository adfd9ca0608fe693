#include "train/real_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "image/encode.h"

namespace munja::train {
namespace {

class RealLinesTest : public testing::Test {
 protected:
  RealLinesTest()
      : folder_(::testing::TempDir() + "/munja_real_lines_" +
                std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ + "/lines");
    auto picture = image::Image::Create(90, 30);
    EXPECT_TRUE(picture.ok());
    for (int y = 0; y < 30; ++y)
      for (int i = 0; i < 3 * 90; ++i)
        picture->row(y)[i] = i / 3 % 12 < 6 ? 40 : 210;
    EXPECT_TRUE(
        image::WritePng(folder_ + "/lines/x.png", picture->view()).ok());
  }
  ~RealLinesTest() override { std::filesystem::remove_all(folder_); }

  // The path of a file of labels that holds this.
  std::string Labels(const std::string& text) {
    const std::string path = folder_ + "/lines/x.jsonl";
    EXPECT_TRUE(
        WriteFile(path, std::vector<uint8_t>(text.begin(), text.end())).ok());
    return path;
  }

  const std::vector<std::string> alphabet_ = {"A", "B", "a", "b"};
  const std::string folder_;
};

TEST_F(RealLinesTest, UnusableLabel_IsLeftOut) {
  const auto lines =
      RealLines::Open({Labels(R"({"image":"lines/x.png","text":"ab"}
{"image":"lines/x.png","text":"ab","dev":true}
{"image":"lines/x.png","text":"###"}
{"image":"lines/x.png","text":null}
{"image":"lines/x.png","text":"c"}
)")},
                      alphabet_, 1);
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  EXPECT_EQ(lines->size(), 1u);
  EXPECT_EQ(lines->left_out(), 4u);
}

TEST_F(RealLinesTest, Labels_SayHowFarTheyCanBeTrusted) {
  const auto lines =
      RealLines::Open({Labels(R"({"image":"lines/x.png","text":"AB","ci":true}
{"image":"lines/x.png","text":"a b","spaces":false}
)")},
                      alphabet_, 1);
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  std::set<std::string> seen;
  for (uint64_t i = 0; i < 20; ++i) {
    const auto sample = lines->Make(i);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    EXPECT_EQ(sample->any_case, sample->text == "AB");
    EXPECT_EQ(sample->any_spaces, sample->text == "a b");
    seen.insert(sample->text);
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(RealLinesTest, SameIndex_GivesTheSamePictureAndOthersAreChanged) {
  const std::string labels = Labels(R"({"image":"lines/x.png","text":"ab"})");
  const auto one = RealLines::Open({labels}, alphabet_, 1);
  const auto two = RealLines::Open({labels}, alphabet_, 1);
  ASSERT_TRUE(one.ok() && two.ok());
  std::set<std::vector<uint8_t>> pictures;
  for (uint64_t i = 0; i < 8; ++i) {
    const auto a = one->Make(i), b = two->Make(i);
    ASSERT_TRUE(a.ok() && b.ok());
    const auto png = image::EncodePng(a->picture.view());
    const auto same = image::EncodePng(b->picture.view());
    ASSERT_TRUE(png.ok() && same.ok());
    EXPECT_EQ(*png, *same);
    pictures.insert(*png);
  }
  EXPECT_EQ(pictures.size(), 8u);
}

TEST_F(RealLinesTest, UnusableFile_IsNamed) {
  const auto missing = RealLines::Open({folder_ + "/no.jsonl"}, alphabet_, 1);
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  const std::string labels = Labels(R"({"image":"lines/x.png","text":"###"})");
  const auto empty = RealLines::Open({labels}, alphabet_, 1);
  EXPECT_EQ(empty.status().code(), Code::kMalformed);
  EXPECT_NE(empty.status().message().find(labels), std::string::npos);
}

TEST(MixLinesTest, ShareOfRealLines_IsWhatWasAsked) {
  const auto named = [](const char* text) {
    return [text](uint64_t) -> Result<LineSample> {
      LineSample sample;
      sample.text = text;
      return sample;
    };
  };
  const LineFeeder::Maker mixed =
      MixLines(named("drawn"), named("real"), 0.25f, 7);
  int real = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    const auto sample = mixed(i);
    ASSERT_TRUE(sample.ok());
    real += sample->text == "real";
  }
  // Seven standard deviations.
  EXPECT_NEAR(real, 1000, 190);
}

}  // namespace
}  // namespace munja::train
