#include <gtest/gtest.h>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(TsvWriter, EachPart_HasARow) {
  const Document document = TwoBlocks();
  EXPECT_EQ(
      Written("tsv", {document}),
      "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\t"
      "width\theight\tconf\ttext\n"
      "1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t\n"
      "2\t1\t1\t0\t0\t0\t10\t10\t80\t20\t-1\t\n"
      "3\t1\t1\t1\t0\t0\t10\t10\t80\t20\t-1\t\n"
      "4\t1\t1\t1\t1\t0\t10\t10\t80\t20\t-1\t\n"
      "5\t1\t1\t1\t1\t1\t10\t12\t20\t16\t75\tab\n"
      "5\t1\t1\t1\t1\t2\t60\t12\t30\t16\t50\t<&>\n"
      "2\t1\t2\t0\t0\t0\t10\t50\t40\t20\t-1\t\n"
      "3\t1\t2\t1\t0\t0\t10\t50\t40\t20\t-1\t\n"
      "4\t1\t2\t1\t1\t0\t10\t50\t40\t20\t-1\t\n"
      "5\t1\t2\t1\t1\t1\t10\t50\t40\t20\t25\tcd\n");
}

// As Tesseract has it: who groups words by line gets rows.
TEST(TsvWriter, CellsOfARow_AreOneLine) {
  EXPECT_NE(Written("tsv", {OneRow()})
                .find("4\t1\t1\t1\t1\t0\t10\t10\t180\t22\t-1\t\n"
                      "5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t75\tBread\n"
                      "5\t1\t1\t1\t1\t2\t150\t12\t40\t20\t50\t7.80\n"
                      "4\t1\t1\t1\t2\t0\t10\t40\t50\t20\t-1\t\n"
                      "5\t1\t1\t1\t2\t1\t10\t40\t50\t20\t25\tTotal\n"),
            std::string::npos)
      << Written("tsv", {OneRow()});
}

TEST(TsvWriter, PageWithoutASize_HasOnePixel) {
  EXPECT_TRUE(Written("tsv", {Document()})
                  .ends_with("\n1\t1\t0\t0\t0\t0\t0\t0\t1\t1\t-1\t\n"));
}

TEST(TsvWriter, Pages_AreCountedUnderOneHeader) {
  Document document;
  document.width = 5;
  document.height = 6;
  const std::string file = Written("tsv", {document, document});
  EXPECT_TRUE(
      file.ends_with("\n1\t1\t0\t0\t0\t0\t0\t0\t5\t6\t-1\t\n"
                     "1\t2\t0\t0\t0\t0\t0\t0\t5\t6\t-1\t\n"))
      << file;
  EXPECT_EQ(file.find("level"), file.rfind("level"));
}

TEST(TsvWriter, FileWithoutPages_HasItsHeader) {
  const std::string file = Written("tsv", {});
  EXPECT_TRUE(file.starts_with("level\t"));
  EXPECT_EQ(file.find('\n'), file.size() - 1);
}

TEST(TsvWriter, TabsAndLineBreaks_AreReplaced) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].characters.resize(1);
  document.lines[0].characters[0].text = "a\tb\nc\xff";
  EXPECT_NE(Written("tsv", {document}).find("\ta b c\uFFFD\n"),
            std::string::npos);
}

}  // namespace
}  // namespace munja::document
