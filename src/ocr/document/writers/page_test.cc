#include <gtest/gtest.h>

#include <regex>

#include "document/writers/testing.h"

namespace munja::document {
namespace {

TEST(PageWriter, Document_IsWritten) {
  Document document = TwoBlocks();
  document.lines[0].characters.resize(2);
  const std::string file = std::regex_replace(
      Written("page", {document}),
      std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
      "NOW");
  EXPECT_EQ(file,
            R"(<?xml version="1.0" encoding="UTF-8"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15 http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15/pagecontent.xsd">
 <Metadata>
  <Creator>munja tiny</Creator>
  <Created>NOW</Created>
  <LastChange>NOW</LastChange>
 </Metadata>
 <Page imageFilename="a &quot;b&quot; &amp; c.png" imageWidth="200" imageHeight="100">
  <ReadingOrder><OrderedGroup id="order"><RegionRefIndexed index="0" regionRef="r1"/><RegionRefIndexed index="1" regionRef="r2"/></OrderedGroup></ReadingOrder>
  <TextRegion id="r1" type="paragraph"><Coords points="10,10 90,10 90,30 10,30"/>
   <TextLine id="r1l1" readingDirection="left-to-right"><Coords points="10,10 90,10 90,30 10,30"/><Baseline points="10,28 90,28"/>
    <Word id="r1l1w1"><Coords points="10,12 30,12 30,28 10,28"/>
     <Glyph id="r1l1w1g1"><Coords points="10,14 20,14 20,28 10,28"/><TextEquiv conf="1"><Unicode>a</Unicode></TextEquiv></Glyph>
     <Glyph id="r1l1w1g2"><Coords points="20,12 30,12 30,28 20,28"/><TextEquiv conf="0.5"><Unicode>b</Unicode></TextEquiv></Glyph>
     <TextEquiv conf="0.75"><Unicode>ab</Unicode></TextEquiv></Word>
    <TextEquiv conf="0.9"><Unicode>ab &lt;&amp;&gt;</Unicode></TextEquiv>
   </TextLine>
  </TextRegion>
  <TextRegion id="r2" type="paragraph"><Coords points="10,50 50,50 50,70 10,70"/>
   <TextLine id="r2l1" readingDirection="left-to-right"><Coords points="10,50 50,50 50,70 10,70"/><Baseline points="10,66 50,66"/>
    <Word id="r2l1w1"><Coords points="10,50 50,50 50,70 10,70"/><TextEquiv conf="0.25"><Unicode>cd</Unicode></TextEquiv></Word>
    <TextEquiv conf="0.25"><Unicode>cd</Unicode></TextEquiv>
   </TextLine>
  </TextRegion>
 </Page>
</PcGts>
)");
}

TEST(PageWriter, PageWithoutText_HasNoReadingOrder) {
  const std::string file = Written("page", {Document()});
  EXPECT_EQ(file.find("ReadingOrder"), std::string::npos);
  EXPECT_NE(file.find("</PcGts>"), std::string::npos);
}

TEST(PageWriter, Points_AreWholeAndNotNegative) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].polygon = {{{-3, -1.5f}, {250, 1.4f}, {90, 30}, {10, 30}}};
  EXPECT_NE(Written("page", {document})
                .find("<Coords points=\"0,0 200,1 90,30 10,30\"/>"),
            std::string::npos);
}

}  // namespace
}  // namespace munja::document
