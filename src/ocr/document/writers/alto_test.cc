#include <gtest/gtest.h>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(AltoWriter, Document_IsWritten) {
  EXPECT_EQ(Written("alto", {TwoBlocks()}),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.loc.gov/standards/alto/ns-v4# http://www.loc.gov/standards/alto/v4/alto-4-4.xsd">
 <Description>
  <MeasurementUnit>pixel</MeasurementUnit>
  <sourceImageInformation>
   <fileName>a &quot;b&quot; &amp; c.png</fileName>
  </sourceImageInformation>
  <Processing ID="ocr">
   <processingSoftware>
    <softwareName>munja</softwareName>
    <applicationDescription>model tiny</applicationDescription>
   </processingSoftware>
  </Processing>
 </Description>
 <Layout>
  <Page ID="page_1" PHYSICAL_IMG_NR="1" WIDTH="200" HEIGHT="100">
   <PrintSpace HPOS="0" VPOS="0" WIDTH="200" HEIGHT="100">
    <TextBlock ID="block_1_1" HPOS="10" VPOS="10" WIDTH="80" HEIGHT="20">
     <TextLine ID="line_1_1" HPOS="10" VPOS="10" WIDTH="80" HEIGHT="20" BASELINE="10,28 90,28" BASEDIRECTION="ltr">
      <Shape><Polygon POINTS="10,10 90,10 90,30 10,30"/></Shape>
      <String ID="word_1_1" HPOS="10" VPOS="12" WIDTH="20" HEIGHT="16" CONTENT="ab" WC="0.75">
       <Glyph HPOS="10" VPOS="14" WIDTH="10" HEIGHT="14" CONTENT="a" GC="1"><Variant CONTENT="o" VC="0.125"/></Glyph>
       <Glyph HPOS="20" VPOS="12" WIDTH="10" HEIGHT="16" CONTENT="b" GC="0.5"></Glyph>
      </String>
      <SP HPOS="30" VPOS="12" WIDTH="30"/>
      <String ID="word_1_2" HPOS="60" VPOS="12" WIDTH="30" HEIGHT="16" CONTENT="&lt;&amp;&gt;" WC="0.5">
       <Glyph HPOS="60" VPOS="12" WIDTH="10" HEIGHT="16" CONTENT="&lt;" GC="0.5"></Glyph>
       <Glyph HPOS="70" VPOS="12" WIDTH="10" HEIGHT="16" CONTENT="&amp;" GC="0.5"></Glyph>
       <Glyph HPOS="80" VPOS="12" WIDTH="10" HEIGHT="16" CONTENT="&gt;" GC="0.5"></Glyph>
      </String>
     </TextLine>
    </TextBlock>
    <TextBlock ID="block_1_2" HPOS="10" VPOS="50" WIDTH="40" HEIGHT="20">
     <TextLine ID="line_1_2" HPOS="10" VPOS="50" WIDTH="40" HEIGHT="20" BASELINE="10,66 50,66" BASEDIRECTION="ltr">
      <Shape><Polygon POINTS="10,50 50,50 50,70 10,70"/></Shape>
      <String ID="word_1_3" HPOS="10" VPOS="50" WIDTH="40" HEIGHT="20" CONTENT="cd" WC="0.25"></String>
     </TextLine>
    </TextBlock>
   </PrintSpace>
  </Page>
 </Layout>
</alto>
)");
}

TEST(AltoWriter, FileWithoutPages_IsWhole) {
  const std::string file = Written("alto", {});
  EXPECT_NE(file.find("<Layout>\n </Layout>\n</alto>\n"), std::string::npos);
}

// Identifiers are those of the whole file.
TEST(AltoWriter, Identifiers_AreUnique) {
  const std::string file = Written("alto", {TwoBlocks(), TwoBlocks()});
  for (const char* id : {"page_1", "page_2", "block_1_2", "block_2_2",
                         "line_2_1", "word_1_3", "word_2_3"}) {
    const std::string attribute = std::string(" ID=\"") + id + "\"";
    const size_t at = file.find(attribute);
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_EQ(file.find(attribute, at + 1), std::string::npos) << id;
  }
}

TEST(AltoWriter, Lines_HaveDirectionsAndGlyphsOneCodePoint) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].polygon = {{{30, 10}, {30, 90}, {10, 90}, {10, 10}}};
  document.lines[0].characters[0].text = "e\u0301";
  const std::string file = Written("alto", {document});
  EXPECT_NE(file.find("BASEDIRECTION=\"ttb\""), std::string::npos);
  EXPECT_NE(file.find("CONTENT=\"e\u0301b\""), std::string::npos);
  EXPECT_EQ(file.find("CONTENT=\"e\u0301\""), std::string::npos);
}

}  // namespace
}  // namespace munja::document
