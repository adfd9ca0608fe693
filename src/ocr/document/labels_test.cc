#include "document/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace munja::document {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Labels, ImagesAndCrops_AreRead) {
  const auto labels = ParseLabels(
      "{\"image\": \"a.png\", \"lines\": [{\"poly\": [[1, 2.5], [3, 2], [3, "
      "4]], \"text\": \"\\u4e2d\"}, {\"poly\": null, \"text\": \"x\", "
      "\"ignore\": true, \"language\": \"en\"}]}\r\n\n"
      "{\"image\": \"b.png\", \"text\": \"word\"}");
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  ASSERT_EQ(labels->size(), 2u);
  const LabeledImage& picture = (*labels)[0];
  EXPECT_EQ(picture.image, "a.png");
  EXPECT_FALSE(picture.is_crop);
  ASSERT_EQ(picture.lines.size(), 2u);
  EXPECT_EQ(picture.lines[0].text, "\u4e2d");
  EXPECT_EQ(picture.lines[0].polygon,
            (std::vector<geometry::PointD>{{1, 2.5}, {3, 2}, {3, 4}}));
  EXPECT_FALSE(picture.lines[0].is_ignored);
  EXPECT_TRUE(picture.lines[1].polygon.empty());
  EXPECT_TRUE(picture.lines[1].is_ignored);
  EXPECT_TRUE((*labels)[1].is_crop);
  EXPECT_EQ((*labels)[1].text, "word");
}

TEST(Labels, EmptyText_IsAnEmptySet) {
  const auto labels = ParseLabels("\n \n");
  ASSERT_TRUE(labels.ok());
  EXPECT_TRUE(labels->empty());
}

TEST(Labels, Error_NamesItsLine) {
  const auto message = [](std::string_view bytes) {
    const auto labels = ParseLabels(bytes);
    EXPECT_FALSE(labels.ok()) << bytes;
    if (labels.ok()) return std::string();
    EXPECT_EQ(labels.status().code(), Code::kMalformed);
    return std::string(labels.status().message());
  };
  EXPECT_THAT(message("\n{"), AllOf(HasSubstr("line 2"), HasSubstr("JSON")));
  EXPECT_THAT(message("[]"), HasSubstr("object"));
  EXPECT_THAT(message("{\"text\": \"a\"}"), HasSubstr("\"image\""));
  EXPECT_THAT(message("{\"image\": \"a\"}"), HasSubstr("\"text\""));
  EXPECT_THAT(message("{\"image\": 1, \"text\": \"a\"}"),
              HasSubstr("not a string"));
  EXPECT_THAT(message("{\"image\": \"a\", \"lines\": 1}"),
              HasSubstr("not an array"));
  EXPECT_THAT(message("{\"image\": \"a\", \"lines\": [{\"text\": \"a\"}, "
                      "{\"text\": \"a\", \"poly\": [[1]]}]}"),
              AllOf(HasSubstr("\"lines\"[1]"), HasSubstr("two numbers")));
  EXPECT_THAT(message("{\"image\": \"a\", \"lines\": [{\"text\": \"a\", "
                      "\"poly\": [[1e300, 0]]}]}"),
              HasSubstr("range"));
  EXPECT_THAT(message("{\"image\": \"a\", \"lines\": [{\"text\": \"a\", "
                      "\"ignore\": 1}]}"),
              HasSubstr("ignore"));
  EXPECT_THAT(message(std::string(100'000, '[')), HasSubstr("deep"));
  EXPECT_THAT(message("{\"image\": \"\xff\", \"text\": \"\"}"),
              HasSubstr("JSON"));
}

TEST(Labels, IgnoredText_IsTakenOut) {
  auto labels = ParseLabels(
      "{\"image\": \"a.png\", \"lines\": [{\"text\": \"###\"}, {\"text\": "
      "\"####\"}, {\"text\": \" ###\"}, {\"text\": \"*\", \"ignore\": true}]}\n"
      "{\"image\": \"b.png\", \"text\": \"###\"}\n"
      "{\"image\": \"c.png\", \"text\": \"word\"}\n"
      "{\"image\": \"d.png\", \"lines\": []}");
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  IgnoreText("###", &*labels);
  ASSERT_EQ(labels->size(), 3u);
  std::vector<bool> ignored;
  for (const LabeledLine& line : (*labels)[0].lines)
    ignored.push_back(line.is_ignored);
  EXPECT_EQ(ignored, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ((*labels)[1].image, "c.png");
  // The text of an image with lines is empty, which does not make it a crop.
  IgnoreText("", &*labels);
  EXPECT_EQ(labels->size(), 3u);
}

TEST(Labels, MissingFile_IsNotFound) {
  const auto labels = ReadLabels("/nonexistent/labels.jsonl");
  ASSERT_FALSE(labels.ok());
  EXPECT_EQ(labels.status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace munja::document
