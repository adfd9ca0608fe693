#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "document/pdf/font.h"
#include "document/writers/testing.h"

namespace munja::document {
namespace pdf {
namespace {

std::string Inflate(const std::string& bytes) {
  std::string out(size_t{1} << 20, '\0');
  uLongf size = out.size();
  EXPECT_EQ(
      uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
      Z_OK);
  out.resize(size);
  return out;
}

// A file by its table of objects, as a reader takes it.
class File {
 public:
  explicit File(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_TRUE(bytes_.starts_with("%PDF-1.7\n"));
    EXPECT_TRUE(bytes_.ends_with("%%EOF\n"));
    const size_t at = bytes_.rfind("startxref\n");
    const char* table =
        bytes_.c_str() + std::strtoul(bytes_.c_str() + at + 10, nullptr, 10);
    EXPECT_EQ(std::string(table, 7), "xref\n0 ");
    char* rows = nullptr;
    count_ = std::strtoul(table + 7, &rows, 10);
    // Rows of twenty bytes.
    for (size_t i = 1; i < count_; ++i) {
      const char* const row = rows + 1 + 20 * i;
      EXPECT_EQ(std::string(row + 10, 10), " 00000 n \n");
      offsets_.push_back(std::strtoul(row, nullptr, 10));
    }
  }
  size_t objects() const { return offsets_.size(); }
  // "N 0 obj" to "endobj".
  std::string Object(size_t number) const {
    const size_t begin = offsets_.at(number - 1);
    const std::string head = std::to_string(number) + " 0 obj\n";
    EXPECT_EQ(bytes_.compare(begin, head.size(), head), 0) << number;
    const size_t end = bytes_.find("\nendobj\n", begin);
    return bytes_.substr(begin + head.size(), end - begin - head.size());
  }
  std::string Stream(size_t number) const {
    const std::string object = Object(number);
    const size_t begin = object.find("\nstream\n") + 8;
    const std::string bytes =
        object.substr(begin, object.rfind("\nendstream") - begin);
    EXPECT_NE(object.find("/Length " + std::to_string(bytes.size()) + " "),
              std::string::npos);
    return object.find("FlateDecode") != std::string::npos ? Inflate(bytes)
                                                           : bytes;
  }

 private:
  std::string bytes_;
  size_t count_ = 0;
  std::vector<size_t> offsets_;
};

constexpr size_t kGlyphMap = 7, kToUnicode = 8, kFirstPage = 10;

// At 72 dots to the inch a pixel is a point. The line is 20 high: its letters
// stand 16 below its top, 74 above the page's end. A letter is half as wide as
// high, so that "ab" of 20 pixels is as it comes.
TEST(PdfWriter, Text_IsInvisibleAndStandsWhereItWasRead) {
  const File file(Written("pdf", {TwoBlocks()}));
  EXPECT_EQ(file.Stream(kFirstPage + 1),
            "BT 3 Tr /F1 20 Tf\n"
            "100 Tz 1 0 0 1 10 74 Tm <00010002> Tj\n"
            "40 Tz <0003> Tj\n"
            "220 Tz <0004> Tj\n"
            "40 Tz <0003> Tj\n"
            "100 Tz 1 0 0 1 60 74 Tm <000500060007> Tj\n"
            "ET\n"
            "BT 3 Tr /F1 18.6 Tf\n"
            "215.05 Tz 1 0 0 1 10 34.42 Tm <00080009> Tj\n"
            "ET\n");
  EXPECT_NE(file.Object(kFirstPage).find("/MediaBox [0 0 200 100 ]"),
            std::string::npos)
      << file.Object(kFirstPage);
  const std::string map = file.Stream(kToUnicode);
  EXPECT_NE(map.find("9 beginbfchar\n<0001> <0061>\n<0002> <0062>\n"
                     "<0003> <0020>\n<0004> <00200020>\n<0005> <003C>\n"),
            std::string::npos)
      << map;
  EXPECT_EQ(file.Stream(kGlyphMap).size(), 2u * 10);
}

// Whatever way a line runs, its words lie along the nearest side of the page:
// readers break words that do not.
TEST(PdfWriter, Words_RunAlongTheNearestSide) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.text = "ab";
  line.characters.clear();
  const auto text = [&] {
    return File(Written("pdf", {document})).Stream(kFirstPage + 1);
  };
  // It climbs by 3 in 4, is 10 high and its middle 19 below the page's top: the
  // letters stand 3 below that.
  line.polygon = {{{2, 30}, {42, 0}, {48, 8}, {8, 38}}};
  EXPECT_NE(text().find("400 Tz 1 0 0 1 5 78 Tm <00010002>"), std::string::npos)
      << text();
  // Hardly skewed, in either direction.
  line.polygon = {{{1, 31}, {101, 29}, {101, 39}, {1, 41}}};
  EXPECT_NE(text().find("1000 Tz 1 0 0 1 1 62 Tm"), std::string::npos)
      << text();
  line.polygon = {{{101, 39}, {1, 41}, {1, 31}, {101, 29}}};
  EXPECT_NE(text().find("1000 Tz -1 0 0 -1 101 68 Tm"), std::string::npos)
      << text();
  // Downwards and upwards.
  line.polygon = {{{40, 10}, {41, 90}, {31, 90}, {30, 10}}};
  EXPECT_NE(text().find("800 Tz 0 -1 1 0 32.5 90 Tm"), std::string::npos)
      << text();
  line.polygon = {{{30, 90}, {31, 10}, {41, 10}, {40, 90}}};
  EXPECT_NE(text().find("800 Tz 0 1 -1 0 38.5 10 Tm"), std::string::npos)
      << text();
}

// Readers drop letters that reach over the edge of the page.
TEST(PdfWriter, Words_StayOnThePage) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.text = "ab";
  line.characters.clear();
  line.polygon = Rectangle(-20, 10, 220, 30);
  const std::string text =
      File(Written("pdf", {document})).Stream(kFirstPage + 1);
  EXPECT_NE(text.find("995 Tz 1 0 0 1 0.5 74 Tm"), std::string::npos) << text;
}

// Cells of a row follow each other, with blanks between them; lines of a block
// are of one size.
TEST(PdfWriter, Rows_Continue) {
  Document document = TwoBlocks();
  document.lines[0].characters.clear();
  document.lines[0].text = "ab";
  document.lines[0].polygon = Rectangle(10, 10, 30, 30);
  document.lines[1].block = 0;
  document.lines[1].polygon = Rectangle(110, 9, 130, 31);
  document.lines[0].row = document.lines[1].row = 3;
  const File file(Written("pdf", {document}));
  // Between the cells 4, 72 and 4 pixels.
  EXPECT_EQ(file.Stream(kFirstPage + 1),
            "BT 3 Tr /F1 22 Tf\n"
            "90.91 Tz 1 0 0 1 10 73.4 Tm <00010002> Tj\n"
            "40 Tz <0003> Tj\n"
            "647.27 Tz <0004> Tj\n"
            "40 Tz <0003> Tj\n"
            "ET\n"
            "BT 3 Tr /F1 22 Tf\n"
            "90.91 Tz 1 0 0 1 110 73.4 Tm <00050006> Tj\n"
            "ET\n");
  EXPECT_NE(file.Stream(kToUnicode).find("<0003> <0020>\n<0004> <00200020>\n"),
            std::string::npos);
}

// A line that climbs by its height, further than readers bear in one line: its
// words do by less.
TEST(PdfWriter, WordsOfSlightlySkewedLines_AreNearlyLevel) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.text = "ab cd";
  line.characters.clear();
  line.polygon = {{{0, 60}, {100, 50}, {100, 60}, {0, 70}}};
  EXPECT_EQ(File(Written("pdf", {document})).Stream(kFirstPage + 1),
            "BT 3 Tr /F1 10 Tf\n"
            "395 Tz 1 0 0 1 0.5 35.8 Tm <00010002> Tj\n"
            "40 Tz <0003> Tj\n"
            "320 Tz <0004> Tj\n"
            "40 Tz <0003> Tj\n"
            "400 Tz 1 0 0 1 60 38.2 Tm <00050006> Tj\n"
            "ET\n");
}

// The middle of each word is level with the line's there.
TEST(PdfWriter, WordsOfSteepLines_AreLevel) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.text = "ab cd";
  line.characters.clear();
  line.polygon = {{{0, 60}, {100, 40}, {100, 50}, {0, 70}}};
  const std::string text =
      File(Written("pdf", {document})).Stream(kFirstPage + 1);
  EXPECT_NE(text.find("0.5 36 Tm <00010002>"), std::string::npos) << text;
  EXPECT_NE(text.find("60 48 Tm <00050006>"), std::string::npos) << text;
}

// Readers take a hyphen at the end of a line away.
TEST(PdfWriter, Blanks_KeepHyphensAtTheEnd) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  document.lines[0].text = "ab-";
  document.lines[0].characters.clear();
  document.lines[0].polygon = Rectangle(10, 10, 40, 30);
  EXPECT_EQ(File(Written("pdf", {document})).Stream(kFirstPage + 1),
            "BT 3 Tr /F1 20 Tf\n"
            "100 Tz 1 0 0 1 10 74 Tm <000100020003> Tj\n"
            "40 Tz <0004> Tj\n"
            "40 Tz <0005> Tj\n"
            "ET\n");
}

// A letter that was taken for an upside-down one, among others.
TEST(PdfWriter, UpsideDownLetter_LiesAlongTheOthers) {
  Document document = TwoBlocks();
  document.lines[1].text = "c";
  document.lines[1].polygon = {{{50, 70}, {10, 70}, {10, 50}, {50, 50}}};
  const std::string text =
      File(Written("pdf", {document})).Stream(kFirstPage + 1);
  EXPECT_EQ(text.find("-1 0 0 -1"), std::string::npos) << text;
  EXPECT_NE(text.find("1 0 0 1 10 34.42 Tm <0008> Tj"), std::string::npos)
      << text;
}

// A row on the left below one on the right is no column: a strip of blanks over
// the whole page parts them. Files whose codes are those of UTF-16 have no
// blanks that are seen.
TEST(PdfWriter, StripsOfBlanks_SeparateRows) {
  Document document = TwoBlocks();
  document.lines[0].characters.clear();
  document.lines[0].text = "ab";
  document.lines[0].polygon = Rectangle(110, 10, 130, 30);
  const std::string text =
      File(Written("pdf", {document})).Stream(kFirstPage + 1);
  EXPECT_NE(text.find("1 0 0 1 0.5 "), std::string::npos) << text;
  const std::string plain =
      File(Written("pdf_text", {document})).Stream(kFirstPage + 1);
  EXPECT_NE(plain.find("1 0 0 1 110 "), std::string::npos) << plain;
  EXPECT_EQ(plain.find("1 0 0 1 0.5 "), std::string::npos) << plain;
}

// Readers take words for one where the white space between them is small.
TEST(PdfWriter, Words_StandApart) {
  Document document = TwoBlocks();
  document.lines.resize(1);
  Line& line = document.lines[0];
  line.text = "a b";
  line.polygon = Rectangle(10, 10, 51, 30);
  line.characters = {{"a", 1, Rectangle(10, 10, 30, 30)},
                     {" ", 1, Rectangle(30, 10, 31, 30)},
                     {"b", 1, Rectangle(31, 10, 51, 30)}};
  EXPECT_EQ(File(Written("pdf", {document})).Stream(kFirstPage + 1),
            "BT 3 Tr /F1 20 Tf\n"
            "170 Tz 1 0 0 1 10 74 Tm <0001> Tj\n"
            "40 Tz <0002> Tj\n"
            "200 Tz 1 0 0 1 31 74 Tm <0003> Tj\n"
            "ET\n");
}

TEST(PdfWriter, Images_AreKeptPixelByPixel) {
  Document document;
  document.width = 3;
  document.height = 2;
  const uint8_t color[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0,
                           9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  uint8_t gray[20];
  for (int i = 0; i < 20; ++i) gray[i] = static_cast<uint8_t>(i < 10 ? 50 : 60);
  for (const bool is_gray : {false, true}) {
    WriterPage page{document};
    page.picture.rgb = is_gray ? gray : color;
    page.picture.stride = 10;
    const auto bytes = WritePages(*FindWriter("pdf"), {&page, 1});
    ASSERT_TRUE(bytes.ok());
    const File file(*bytes);
    // Three points, the least that a page's side may have, for two pixels.
    EXPECT_EQ(file.Stream(kFirstPage + 1), "q 4.5 0 0 3 0 0 cm /Im Do Q\n");
    const std::string object = file.Object(kFirstPage + 2);
    EXPECT_NE(object.find("/Width 3 /Height 2 /BitsPerComponent 8"),
              std::string::npos);
    EXPECT_NE(object.find(is_gray ? "/DeviceGray" : "/DeviceRGB"),
              std::string::npos);
    // PNG's filter "up".
    std::string rows = file.Stream(kFirstPage + 2);
    const size_t length = is_gray ? 3 : 9;
    ASSERT_EQ(rows.size(), 2 * (length + 1));
    for (size_t y = 0; y < 2; ++y) {
      EXPECT_EQ(rows[y * (length + 1)], 2);
      for (size_t i = 0; i < length; ++i) {
        const size_t at = y * (length + 1) + 1 + i;
        if (y > 0) rows[at] = static_cast<char>(rows[at] + rows[i + 1]);
        EXPECT_EQ(static_cast<uint8_t>(rows[at]),
                  page.picture.rgb[y * 10 + (is_gray ? 3 * i : i)]);
      }
    }
  }
}

TEST(PdfWriter, JpegFiles_AreEmbeddedUnchanged) {
  Document document;
  document.width = 200;
  document.height = 100;
  WriterPage page{document};
  page.picture.jpeg = "\xFF\xD8 no JPEG, which is not checked";
  page.picture.jpeg_width = 100;
  page.picture.jpeg_height = 200;
  page.picture.jpeg_components = 4;
  page.picture.is_inverted = true;
  page.picture.orientation = 6;
  page.picture.dpi = 144;
  const auto bytes = WritePages(*FindWriter("pdf"), {&page, 1});
  ASSERT_TRUE(bytes.ok());
  const File file(*bytes);
  EXPECT_EQ(file.Stream(kFirstPage + 2), page.picture.jpeg);
  const std::string object = file.Object(kFirstPage + 2);
  for (const char* entry : {"/Filter /DCTDecode", "/Width 100 /Height 200",
                            "/DeviceCMYK", "/Decode [1 0 1 0 1 0 1 0]"})
    EXPECT_NE(object.find(entry), std::string::npos) << entry;
  // Its right side becomes the bottom: the corner where both begin is (0, 50).
  EXPECT_EQ(file.Stream(kFirstPage + 1), "q 0 -50 100 0 0 50 cm /Im Do Q\n");
}

TEST(PdfWriter, PagesWithoutResolution_AreAsLongAsA4Paper) {
  Document document;
  document.width = 1684;
  document.height = 842;
  EXPECT_NE(File(Written("pdf", {document}))
                .Object(kFirstPage)
                .find("/MediaBox [0 0 842 421 ]"),
            std::string::npos);
}

// The bytes of a file do not depend on when they are taken.
// A page that was drawn from a page of paper is as large as that.
TEST(PdfWriter, Pages_AreAsLargeAsTheirPaper) {
  const Document document = TwoBlocks();
  WriterPage page{document};
  page.picture.paper_width = 400;
  page.picture.paper_height = 199.5;
  page.picture.dpi = 5;
  const auto bytes = WritePages(*FindWriter("pdf"), {&page, 1});
  ASSERT_TRUE(bytes.ok());
  const File file(*bytes);
  EXPECT_NE(file.Object(kFirstPage).find("/MediaBox [0 0 400 199.5 ]"),
            std::string::npos)
      << file.Object(kFirstPage);
  EXPECT_NE(file.Stream(kFirstPage + 1).find("/F1 40 Tf"), std::string::npos);
}

TEST(PdfWriter, Bytes_MayBeTakenPageByPage) {
  const Document document = TwoBlocks();
  const auto writer = FindWriter("pdf")->make();
  std::string all, piece;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer->Add({document}, piece).ok());
    all += piece;
    piece.clear();
  }
  ASSERT_TRUE(writer->Finish(piece).ok());
  all += piece;
  EXPECT_EQ(all, Written("pdf", {document, document, document}));
  EXPECT_EQ(File(all).objects(), 9u + 3 * 2);
}

TEST(PdfWriter, NaNAndNoPages_StillGiveAFile) {
  Document document = TwoBlocks();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  document.lines[0].polygon[1].x = nan;
  document.lines[1].polygon[3].y = std::numeric_limits<float>::infinity();
  EXPECT_EQ(File(Written("pdf", {document})).Stream(kFirstPage + 1), "");
  EXPECT_EQ(File(Written("pdf", {})).objects(), 9u);
}

TEST(PdfFont, ForbiddenAndSupplementaryCharacters_HaveCodes) {
  PdfFont font;
  size_t codes = 0;
  EXPECT_EQ(font.Encode(U"\U00020BB7\uAC00", &codes), "<00010002>");
  EXPECT_EQ(codes, 2u);
  EXPECT_EQ(font.Encode(std::u32string(U"\uFEFF\0\uAC00", 3), &codes),
            "<000300030002>");
  EXPECT_NE(font.ToUnicode().find("3 beginbfchar\n<0001> <D842DFB7>\n"
                                  "<0002> <AC00>\n<0003> <FFFD>\nendbfchar\n"),
            std::string::npos);
}

// Tables follow each other within the file; "post" has 32 bytes (OpenType).
TEST(PdfFont, Tables_LieInTheFile) {
  const std::string file = PdfFont::File();
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<uint8_t>(file.at(i));
    return size_t{value};
  };
  const size_t count = number(4) >> 16;
  size_t end = 12 + 16 * count;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = 12 + 16 * i;
    const size_t begin = number(at + 8), size = number(at + 12);
    EXPECT_EQ(begin, (end + 3) / 4 * 4);
    end = begin + size;
    if (file.substr(at, 4) == "post") {
      EXPECT_EQ(size, 32u);
    }
  }
  EXPECT_EQ(file.size(), (end + 3) / 4 * 4);
}

TEST(PdfFont, CharactersBeyondTheLastCode_AreReplaced) {
  PdfFont font;
  size_t codes = 0;
  std::u32string all;
  for (char32_t c = 0x10000; all.size() < 65534; ++c) all += c;
  const std::string text = font.Encode(all, &codes);
  EXPECT_EQ(codes, 65534u);
  EXPECT_EQ(text.substr(text.size() - 5), "FFFE>");
  EXPECT_EQ(font.Encode(U"abca", &codes), "<FFFFFFFFFFFFFFFF>");
  EXPECT_EQ(font.Encode(U"\U00010000", &codes), "<0001>");
  EXPECT_NE(font.ToUnicode().find("<FFFF> <FFFD>\n"), std::string::npos);
}

// The sum over a TrueType file with its adjustment is this number.
TEST(PdfFont, FontFile_HasTheRightChecksums) {
  std::string file = PdfFont::File();
  ASSERT_EQ(file.size() % 4, 0u);
  uint32_t sum = 0;
  for (size_t i = 0; i < file.size(); i += 4)
    for (size_t k = 0; k < 4; ++k)
      sum += static_cast<uint32_t>(static_cast<uint8_t>(file[i + k]))
             << (24 - 8 * k);
  EXPECT_EQ(sum, 0xB1B0AFBAu);
}

}  // namespace
}  // namespace pdf
}  // namespace munja::document
