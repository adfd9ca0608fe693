#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "document/writers/writer.h"

namespace munja::document {
namespace {

Document Example() {
  Document document;
  document.source = "a \"b\".png";
  document.model = "tiny";
  document.width = 640;
  document.height = 480;
  document.lines.push_back(
      {.text = "5 \u20AC\t",
       .confidence = 0.98f,
       .polygon = {{{1, 2}, {10.25f, 2}, {10.25f, 8.126f}, {1, 8}}}});
  document.timing = {1.5, 20, 30.0004, 52};
  return document;
}

TEST(JsonWriter, SchemaVersion1_IsWritten) {
  EXPECT_EQ(
      WriteJson(Example()),
      "{\"schema_version\":1,\"source\":\"a \\\"b\\\".png\",\"width\":640,"
      "\"height\":480,\"model\":\"tiny\",\"lines\":[{\"text\":\"5 "
      "\u20AC\\t\",\"confidence\":0.98,\"polygon\":[[1,2],[10.25,2],[10.25,"
      "8.13],[1,8]]}],\"timing_ms\":{\"decode\":1.5,\"detect\":20,"
      "\"recognize\":30,\"total\":52}}\n");
}

// Every text of a document, with every character that JSON writes otherwise.
TEST(JsonWriter, Texts_AreEscapedEverywhere) {
  std::string text = "\"\\/\u20AC";
  for (char c = 1; c < 32; ++c) text += c;
  Document document = Example();
  document.source = document.model = document.lines[0].text = text;
  const auto json =
      nlohmann::json::parse(WriteJson(document), nullptr, /*exceptions=*/false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["source"], text);
  EXPECT_EQ(json["model"], text);
  EXPECT_EQ(json["lines"][0]["text"], text);
}

TEST(JsonWriter, UnknownScript_IsNamed) {
  Document document = Example();
  EXPECT_FALSE(nlohmann::json::parse(WriteJson(document))["lines"][0].contains(
      "unknown_writing"));
  document.lines[0].text = "";
  document.lines[0].unknown_writing = "cyrillic";
  const auto line = nlohmann::json::parse(WriteJson(document))["lines"][0];
  EXPECT_EQ(line["unknown_writing"], "cyrillic");
  EXPECT_EQ(line["text"], "");
  EXPECT_EQ(line["polygon"].size(), 4u);
}

TEST(JsonWriter, EmptyDocument_IsAnEmptyList) {
  const auto json = nlohmann::json::parse(WriteJson(Document()));
  EXPECT_TRUE(json["lines"].is_array());
  EXPECT_TRUE(json["lines"].empty());
}

TEST(JsonWriter, MalformedTextAndNaN_StillGiveJson) {
  Document document = Example();
  document.lines[0].text =
      "a\xff\xe4"
      "b\n";
  document.lines[0].confidence = std::numeric_limits<float>::quiet_NaN();
  document.lines[0].polygon[0].x = std::numeric_limits<float>::infinity();
  document.source = "\xc3";
  const std::string text = WriteJson(document);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  const std::string read = json["lines"][0]["text"];
  EXPECT_NE(read.find("\uFFFD"), std::string::npos);
  EXPECT_EQ(json["lines"][0]["confidence"], 0);
}

}  // namespace
}  // namespace munja::document
