#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(Json2Writer, Document_IsWritten) {
  Document document = TwoBlocks();
  document.lines[0].characters.resize(2);
  document.timing = {1.5, 20, 30.0004, 52};
  EXPECT_EQ(
      Written("json2", {document}),
      R"({"schema_version":2,"source":"a \"b\" & c.png","width":200,"height":100,"model":"tiny","blocks":[)"
      R"({"lines":[{"text":"ab <&>","confidence":0.9,"polygon":[[10,10],[90,10],[90,30],[10,30]],"baseline":[[10,28],[90,28]],"direction":"left-to-right","words":[)"
      R"({"text":"ab","confidence":0.75,"polygon":[[10,12],[30,12],[30,28],[10,28]],"characters":[)"
      R"({"text":"a","confidence":1,"polygon":[[10,14],[20,14],[20,28],[10,28]],"alternatives":[{"text":"o","confidence":0.125}]},)"
      R"({"text":"b","confidence":0.5,"polygon":[[20,12],[30,12],[30,28],[20,28]]}]}]}]},)"
      R"({"lines":[{"text":"cd","confidence":0.25,"polygon":[[10,50],[50,50],[50,70],[10,70]],"baseline":[[10,66],[50,66]],"direction":"left-to-right","words":[)"
      R"({"text":"cd","confidence":0.25,"polygon":[[10,50],[50,50],[50,70],[10,70]],"characters":[]}]}]}],)"
      R"("timing_ms":{"decode":1.5,"detect":20,"recognize":30,"total":52}})"
      "\n");
}

TEST(Json2Writer, LinesOfARow_HaveItsNumber) {
  Document document = TwoBlocks();
  document.lines[0].row = 7;
  const auto json = nlohmann::json::parse(Written("json2", {document}));
  EXPECT_EQ(json["blocks"][0]["lines"][0]["row"], 7);
  EXPECT_FALSE(json["blocks"][1]["lines"][0].contains("row"));
}

TEST(Json2Writer, EmptyDocument_IsAnEmptyList) {
  const auto json = nlohmann::json::parse(Written("json2", {Document()}));
  EXPECT_TRUE(json["blocks"].is_array());
  EXPECT_TRUE(json["blocks"].empty());
}

TEST(Json2Writer, MalformedTextAndUnknownScripts_AreWritten) {
  Document document = TwoBlocks();
  document.lines[0].characters[0].text = "\xff\"\n";
  document.lines[1].text = "";
  document.lines[1].unknown_writing = "cjk";
  const std::string text = Written("json2", {document, document});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  const auto json = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(json["blocks"][0]["lines"][0]["words"][0]["text"], "\uFFFD\"\nb");
  EXPECT_EQ(json["blocks"][1]["lines"][0]["unknown_writing"], "cjk");
  EXPECT_TRUE(json["blocks"][1]["lines"][0]["words"].empty());
}

}  // namespace
}  // namespace munja::document
