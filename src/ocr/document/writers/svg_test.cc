#include <gtest/gtest.h>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(SvgWriter, Document_IsWritten) {
  Document document = TwoBlocks();
  document.lines.erase(document.lines.begin());
  EXPECT_EQ(
      Written("svg", {document}),
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100" viewBox="0 0 200 100">
  <title>a &quot;b&quot; &amp; c.png</title>
  <image width="200" height="100" xlink:href="a &quot;b&quot; &amp; c.png"/>
  <g fill="none" stroke-width="2" font-family="sans-serif" style="pointer-events:all">
   <polygon points="10,50 50,50 50,70 10,70" stroke="hsl(30,90%,40%)"/>
   <text transform="matrix(1 0 0 1 10 70)" font-size="20" textLength="40" lengthAdjust="spacingAndGlyphs">cd</text>
  </g>
</svg>
)svg");
}

TEST(SvgWriter, WordWithoutALength_IsUpright) {
  Document document = TwoBlocks();
  document.lines[1].polygon = Rectangle(10, 50, 10, 70);
  const std::string file = Written("svg", {document});
  EXPECT_NE(file.find("matrix(1 0 0 1 10 70)"), std::string::npos) << file;
}

TEST(SvgWriter, Jpeg_IsEmbeddedUpright) {
  Document document;
  document.width = 20;
  document.height = 10;
  WriterPage page{document};
  page.picture.jpeg = "jpeg";
  page.picture.jpeg_width = 10;
  page.picture.jpeg_height = 20;
  page.picture.orientation = 6;
  const auto file = WritePages(*FindWriter("svg"), {&page, 1});
  ASSERT_TRUE(file.ok());
  EXPECT_NE(file->find("<image width=\"10\" height=\"20\" "
                       "transform=\"matrix(0 1 -1 0 20 0)\" "
                       "xlink:href=\"data:image/jpeg;base64,anBlZw==\"/>"),
            std::string::npos)
      << *file;
}

}  // namespace
}  // namespace munja::document
