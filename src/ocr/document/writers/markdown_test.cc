#include <gtest/gtest.h>

#include "document/writers/testing.h"

namespace munja::document {
namespace markdown {
namespace {

std::string Of(const std::vector<std::string>& lines) {
  Document document;
  for (const std::string& line : lines)
    document.lines.push_back({.text = line});
  return Written("markdown", {document});
}

TEST(MarkdownWriter, LinesOfARow_AreOneLine) {
  Document document;
  document.lines.push_back({.text = "2 x Rye bread", .block = 0, .row = 0});
  document.lines.push_back({.text = "7.80", .block = 0, .row = 0});
  document.lines.push_back({.text = "TOTAL", .block = 0, .row = 1});
  EXPECT_EQ(Written("markdown", {document}), "2 x Rye bread 7.80  \nTOTAL\n");
}

TEST(MarkdownWriter, Block_IsAParagraph) {
  Document document;
  document.lines.push_back({.text = "Title", .block = 0});
  document.lines.push_back({.text = "first", .block = 1});
  document.lines.push_back({.text = "second", .block = 1});
  EXPECT_EQ(Written("markdown", {document}), "Title\n\nfirst  \nsecond\n");
  EXPECT_EQ(Written("markdown", {document, document}),
            "Title\n\nfirst  \nsecond\n\n---\n\n"
            "Title\n\nfirst  \nsecond\n");
}

TEST(MarkdownWriter, Text_IsNeverTakenForMarkup) {
  EXPECT_EQ(Of({"a*b_c`d\\e[f]<g>|&~"}),
            "a\\*b\\_c\\`d\\\\e\\[f\\]\\<g\\>\\|\\&\\~\n");
  EXPECT_EQ(Of({"# 1"}), "\\# 1\n");
  EXPECT_EQ(Of({"a # 1 - 2 + 3"}), "a # 1 - 2 + 3\n");
  EXPECT_EQ(Of({"- 1"}), "\\- 1\n");
  EXPECT_EQ(Of({"+ 1"}), "\\+ 1\n");
  EXPECT_EQ(Of({"==="}), "\\===\n");
  EXPECT_EQ(Of({"12. Rye"}), "12\\. Rye\n");
  EXPECT_EQ(Of({"12) Rye"}), "12\\) Rye\n");
  EXPECT_EQ(Of({"12.50"}), "12\\.50\n");
  EXPECT_EQ(Of({"    code"}), "code\n");
  EXPECT_EQ(Of({"a\nb\xff"}), "a b\uFFFD\n");
}

TEST(MarkdownWriter, EmptyDocument_IsAnEmptyText) {
  EXPECT_EQ(Written("markdown", {Document()}), "");
}

}  // namespace
}  // namespace markdown
}  // namespace munja::document
