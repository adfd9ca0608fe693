#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(HocrWriter, Document_IsWritten) {
  EXPECT_EQ(Written("hocr", {TwoBlocks()}),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
 <head>
  <title></title>
  <meta http-equiv="Content-Type" content="text/html; charset=utf-8"/>
  <meta name="ocr-system" content="munja tiny"/>
  <meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocrx_word ocrp_wconf"/>
 </head>
 <body>
  <div class="ocr_page" id="page_1" title="image &quot;a &#39;b&#39; &amp; c.png&quot;; bbox 0 0 200 100; ppageno 0">
   <div class="ocr_carea" id="block_1_1" title="bbox 10 10 90 30">
    <p class="ocr_par" id="par_1_1" title="bbox 10 10 90 30">
     <span class="ocr_line" id="line_1_1" title="bbox 10 10 90 30; baseline 0 -2; x_size 20"><span class="ocrx_word" id="word_1_1" title="bbox 10 12 30 28; x_wconf 75">ab</span> <span class="ocrx_word" id="word_1_2" title="bbox 60 12 90 28; x_wconf 50">&lt;&amp;&gt;</span></span>
    </p>
   </div>
   <div class="ocr_carea" id="block_1_2" title="bbox 10 50 50 70">
    <p class="ocr_par" id="par_1_2" title="bbox 10 50 50 70">
     <span class="ocr_line" id="line_1_2" title="bbox 10 50 50 70; baseline 0 -4; x_size 20"><span class="ocrx_word" id="word_1_3" title="bbox 10 50 50 70; x_wconf 25">cd</span></span>
    </p>
   </div>
  </div>
 </body>
</html>
)");
}

TEST(HocrWriter, CellsOfARow_AreOneLine) {
  const std::string file = Written("hocr", {OneRow()});
  EXPECT_NE(
      file.find(
          R"(<span class="ocr_line" id="line_1_1" title="bbox 10 10 190 32; baseline 0.011 -6; x_size 20"><span class="ocrx_word" id="word_1_1" title="bbox 10 10 60 30; x_wconf 75">Bread</span> <span class="ocrx_word" id="word_1_2" title="bbox 150 12 190 32; x_wconf 50">7.80</span></span>
     <span class="ocr_line" id="line_1_2" title="bbox 10 40 60 60;)"),
      std::string::npos)
      << file;
}

TEST(HocrWriter, FileWithoutPages_IsWhole) {
  const std::string file = Written("hocr", {});
  EXPECT_TRUE(file.starts_with("<?xml"));
  EXPECT_TRUE(file.ends_with("</html>\n"));
}

// Readers lose the text of boxes with decimals and negative numbers.
TEST(HocrWriter, Boxes_AreWholeAndInsideOfThePage) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.characters.clear();
  line.polygon = {{{-3.5f, -2}, {210.2f, 8.75f}, {209, 30}, {-4, 20}}};
  EXPECT_NE(Written("hocr", {document}).find("bbox 0 0 200 30; baseline 0.048"),
            std::string::npos)
      << Written("hocr", {document});
  line.polygon[1].x = std::numeric_limits<float>::quiet_NaN();
  line.polygon[2].y = std::numeric_limits<float>::infinity();
  const std::string file = Written("hocr", {document});
  EXPECT_EQ(file.find("nan"), std::string::npos) << file;
  EXPECT_EQ(file.find("inf"), std::string::npos) << file;
}

TEST(HocrWriter, LinesOnEnd_HaveATextAngle) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].characters.clear();
  document.lines[0].polygon = {{{30, 10}, {30, 90}, {10, 90}, {10, 10}}};
  EXPECT_NE(Written("hocr", {document}).find("; textangle 270;"),
            std::string::npos);
  document.lines[0].polygon = {{{10, 90}, {10, 10}, {30, 10}, {30, 90}}};
  EXPECT_NE(Written("hocr", {document}).find("; textangle 90;"),
            std::string::npos);
}

TEST(HocrWriter, RightToLeftAndControlCharacters_AreHandled) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].characters.clear();
  document.lines[0].text = "\u05E9\u05DC\u05D5\u05DD\x01";
  const std::string file = Written("hocr", {document});
  EXPECT_NE(file.find("dir=\"rtl\""), std::string::npos);
  EXPECT_NE(file.find("\u05DD\uFFFD</span>"), std::string::npos);
}

TEST(HocrWriter, HeightOfALine_IsRounded) {
  Document document = TwoBlocks();
  document.lines[0].polygon = Rectangle(10, 10, 90, 30.6f);
  document.lines[1].polygon = Rectangle(10, 50, 50, 70.4f);
  const std::string file = Written("hocr", {document});
  EXPECT_NE(file.find("x_size 21\""), std::string::npos) << file;
  EXPECT_NE(file.find("x_size 20\""), std::string::npos) << file;
}

}  // namespace
}  // namespace munja::document
