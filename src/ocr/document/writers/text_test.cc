#include <gtest/gtest.h>

#include "document/writers/writer.h"

namespace munja::document {
namespace {

TEST(TextWriter, Blocks_AreSeparatedByAnEmptyLine) {
  Document document;
  document.lines.push_back({.text = "Title", .block = 0});
  document.lines.push_back({.text = "first", .block = 1});
  document.lines.push_back({.text = "\u4E2D second", .block = 1});
  EXPECT_EQ(WriteText(document), "Title\n\nfirst\n\u4E2D second\n");
}

// An item and its amount; a row ends with its block.
TEST(TextWriter, LinesOfARow_AreOneLine) {
  Document document;
  document.lines.push_back({.text = "2 x Rye bread", .block = 0, .row = 0});
  document.lines.push_back({.text = "7.80", .block = 0, .row = 0});
  document.lines.push_back({.text = "TOTAL", .block = 0, .row = 1});
  document.lines.push_back(
      {.text = "", .block = 0, .row = 1, .unknown_writing = "cjk"});
  document.lines.push_back({.text = "7.80", .block = 0, .row = 1});
  document.lines.push_back({.text = "Thanks", .block = 1, .row = 1});
  EXPECT_EQ(WriteText(document), "2 x Rye bread 7.80\nTOTAL 7.80\n\nThanks\n");
}

TEST(TextWriter, EmptyDocument_IsAnEmptyText) {
  EXPECT_EQ(WriteText(Document()), "");
}

TEST(TextWriter, LinesInUnknownScripts_AreOmitted) {
  Document document;
  document.lines.push_back({.text = "Title", .block = 0});
  document.lines.push_back(
      {.text = "", .block = 1, .unknown_writing = "cyrillic"});
  document.lines.push_back({.text = "text", .block = 2});
  EXPECT_EQ(WriteText(document), "Title\n\ntext\n");
  document.lines[1].text = "Te6a";
  EXPECT_EQ(WriteText(document), "Title\n\nTe6a\n\ntext\n");
}

TEST(TextWriter, LineBreakInText_IsReplaced) {
  Document document;
  document.lines.push_back({.text = "a\nb\r\xff"});
  EXPECT_EQ(WriteText(document), "a b \uFFFD\n");
}

TEST(Writers, Writers_AreFoundByName) {
  ASSERT_NE(FindWriter("text"), nullptr);
  EXPECT_EQ(FindWriter("text")->extension, "txt");
  ASSERT_NE(FindWriter("json"), nullptr);
  EXPECT_EQ(FindWriter("json")->mime_type, "application/json");
  EXPECT_EQ(FindWriter("JSON"), nullptr);
  for (const Writer& writer : AllWriters()) {
    EXPECT_EQ(FindWriter(writer.name), &writer);
    Document document;
    document.lines.push_back({.text = "word"});
    const WriterPage page{document};
    const auto file = WritePages(writer, {&page, 1});
    ASSERT_TRUE(file.ok()) << writer.name;
    EXPECT_FALSE(file->empty()) << writer.name;
  }
}

}  // namespace
}  // namespace munja::document
