#include "document/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/writers/writer.h"

namespace munja::document {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Results, WrittenResults_ReadBack) {
  Document document;
  document.source = "scans/a \"b\".png";
  document.width = 640;
  document.height = 480;
  document.timing.total = 12.5;
  Line line;
  line.text = "문자 x";
  line.confidence = 0.75f;
  line.polygon = {{{1, 2}, {30.5f, 2}, {30, 12}, {1, 12}}};
  document.lines = {line, line};
  const std::string text = WriteJson(document);
  const auto results = ParseResults(text + "\n \r\n" + text);
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), 2u);
  for (const Document& read : *results) {
    EXPECT_EQ(read.source, document.source);
    EXPECT_EQ(read.timing.total, 12.5);
    ASSERT_EQ(read.lines.size(), 2u);
    EXPECT_EQ(read.lines[1].text, line.text);
    EXPECT_EQ(read.lines[1].confidence, 0.75f);
    EXPECT_EQ(read.lines[1].polygon[1].x, 30.5f);
  }
}

TEST(Results, OptionalMembers_MayBeMissing) {
  const auto results = ParseResults(
      "{\"source\": \"a.png\", \"text\": \"one line\"}\n"
      "{\"source\": \"b.png\", \"lines\": []}\n"
      "{\"source\": \"c.png\", \"engine\": {\"name\": \"x\"}, \"lines\": "
      "[{\"text\": \"y\", \"polygon\": [[0,0],[1,0],[1,1],[0,1]]}]}");
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ((*results)[0].lines[0].text, "one line");
  EXPECT_TRUE((*results)[1].lines.empty());
  EXPECT_EQ((*results)[2].lines[0].text, "y");
}

TEST(Results, LastResultOfAnImage_Counts) {
  const auto results = ParseResults(
      "{\"source\": \"/data/images/a.png\", \"text\": \"first\"}\n"
      "{\"source\": \"images/a.png\", \"text\": \"again\"}\n"
      "{\"source\": \"b.png\", \"text\": \"other\"}");
  ASSERT_TRUE(results.ok());
  ASSERT_NE(FindResult(*results, "images/a.png"), nullptr);
  EXPECT_EQ(FindResult(*results, "images/a.png")->lines[0].text, "again");
  EXPECT_EQ(FindResult(*results, "images/b.png"), nullptr);
  // Paths are matched by whole components.
  EXPECT_NE(FindResult(*results, "a.png"), nullptr);
  EXPECT_EQ(FindResult(*results, "es/a.png"), nullptr);
  EXPECT_EQ(FindResult(*results, ".png"), nullptr);
}

TEST(Results, Error_NamesItsLine) {
  const auto message = [](std::string_view bytes) {
    const auto results = ParseResults(bytes);
    EXPECT_FALSE(results.ok()) << bytes;
    if (results.ok()) return std::string();
    EXPECT_EQ(results.status().code(), Code::kMalformed);
    return std::string(results.status().message());
  };
  EXPECT_THAT(message("\n{"), AllOf(HasSubstr("line 2"), HasSubstr("JSON")));
  EXPECT_THAT(message("{\"lines\": []}"), HasSubstr("\"source\""));
  EXPECT_THAT(message("{\"source\": \"a\"}"), HasSubstr("\"text\""));
  EXPECT_THAT(message("{\"source\": \"a\", \"lines\": {}}"),
              HasSubstr("not an array"));
  EXPECT_THAT(message("{\"source\": \"a\", \"lines\": [1]}"),
              AllOf(HasSubstr("\"lines\"[0]"), HasSubstr("not an object")));
  const auto line = [&](std::string_view rest) {
    return message("{\"source\": \"a\", \"lines\": [{\"text\": \"x\"" +
                   std::string(rest) + "}]}");
  };
  EXPECT_THAT(line(""), HasSubstr("has no \"polygon\""));
  EXPECT_THAT(line(", \"polygon\": [[0,0],[1,1]]"), HasSubstr("four points"));
  EXPECT_THAT(line(", \"polygon\": [[0,0],[1,0],[1,1e300],[0,1]]"),
              HasSubstr("out of range"));
  EXPECT_THAT(line(", \"polygon\": [[0,0],[1,0],[1,1],[0,1]], "
                   "\"confidence\": \"high\""),
              HasSubstr("\"confidence\" is not a number"));
}

}  // namespace
}  // namespace munja::document
