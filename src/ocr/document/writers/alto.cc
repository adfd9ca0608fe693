// ALTO 4.4, in pixels.
#include <algorithm>
#include <cmath>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "document/writers/xml.h"
#include "text/utf8.h"

namespace munja::document {
namespace alto {
namespace {

void AppendPlace(const PixelBox& box, std::string& out) {
  AppendAttribute("HPOS", box.left, out);
  AppendAttribute("VPOS", box.top, out);
  AppendAttribute("WIDTH", box.width(), out);
  AppendAttribute("HEIGHT", box.height(), out);
}

void AppendShare(std::string_view name, float value, std::string& out) {
  std::string text;
  AppendDecimal(std::clamp(value, 0.0f, 1.0f), kConfidenceDigits, text);
  AppendAttribute(name, text, out);
}

const char* BaseDirection(const Line& line) {
  switch (DirectionOf(line)) {
    case Direction::kRightToLeft:
      return "rtl";
    case Direction::kDownwards:
      return "ttb";
    case Direction::kUpwards:
      return "btt";
    default:
      return "ltr";
  }
}

class AltoWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    const Document& document = page.document;
    Begin(document, out);
    page_ = std::to_string(++pages_);
    blocks_ = lines_ = words_ = 0;
    out += "  <Page ID=\"page_" + page_ + "\" PHYSICAL_IMG_NR=\"" + page_ + '"';
    AppendAttribute("WIDTH", document.width, out);
    AppendAttribute("HEIGHT", document.height, out);
    out += ">\n   <PrintSpace";
    AppendPlace({0, 0, document.width, document.height}, out);
    out += ">\n";
    for (const Block& block : BlocksOf(document)) {
      out += "    <TextBlock ID=\"block_" + page_ + '_' +
             std::to_string(++blocks_) + '"';
      AppendPlace(block.box, out);
      out += ">\n";
      for (const size_t i : block.lines)
        AppendLine(document, document.lines[i], out);
      out += "    </TextBlock>\n";
    }
    out += "   </PrintSpace>\n  </Page>\n";
    return Status();
  }

  Status Finish(std::string& out) override {
    if (!has_begun_) {
      const Document none;
      Begin(none, out);
    }
    out += " </Layout>\n</alto>\n";
    return Status();
  }

 private:
  void Begin(const Document& document, std::string& out) {
    if (has_begun_) return;
    has_begun_ = true;
    out +=
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<alto xmlns=\"http://www.loc.gov/standards/alto/ns-v4#\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://www.loc.gov/standards/alto/ns-v4# "
        "http://www.loc.gov/standards/alto/v4/alto-4-4.xsd\">\n"
        " <Description>\n  <MeasurementUnit>pixel</MeasurementUnit>\n"
        "  <sourceImageInformation>\n   <fileName>";
    AppendXml(document.source, out);
    out +=
        "</fileName>\n  </sourceImageInformation>\n"
        "  <Processing ID=\"ocr\">\n   <processingSoftware>\n"
        "    <softwareName>munja</softwareName>\n";
    if (!document.model.empty()) {
      out += "    <applicationDescription>";
      AppendXml("model " + document.model, out);
      out += "</applicationDescription>\n";
    }
    out +=
        "   </processingSoftware>\n  </Processing>\n </Description>\n"
        " <Layout>\n";
  }

  void AppendLine(const Document& document, const Line& line,
                  std::string& out) {
    const std::vector<Word> words = WordsOf(line);
    if (words.empty()) return;  // A line without words is not valid.
    const auto box_of = [&](const geometry::Quad& quad) {
      return BoxOf(quad, document.width, document.height);
    };
    out += "     <TextLine ID=\"line_" + page_ + '_' +
           std::to_string(++lines_) + '"';
    AppendPlace(box_of(line.polygon), out);
    const auto baseline = BaselineOf(line);
    std::string points;
    for (const geometry::Point p : baseline) {
      if (!points.empty()) points += ' ';
      AppendDecimal(p.x, 1, points);
      points += ',';
      AppendDecimal(p.y, 1, points);
    }
    AppendAttribute("BASELINE", points, out);
    AppendAttribute("BASEDIRECTION", BaseDirection(line), out);
    out += ">\n      <Shape><Polygon";
    AppendAttribute("POINTS",
                    WholePoints(line.polygon, document.width, document.height),
                    out);
    out += "/></Shape>\n";
    for (size_t i = 0; i < words.size(); ++i) {
      const PixelBox box = box_of(words[i].polygon);
      if (i > 0) {
        const PixelBox before = box_of(words[i - 1].polygon);
        const int left = std::min(before.right, box.left);
        out += "      <SP";
        AppendAttribute("HPOS", left, out);
        AppendAttribute("VPOS", std::min(before.top, box.top), out);
        AppendAttribute("WIDTH", std::max(box.left - left, 0), out);
        out += "/>\n";
      }
      AppendWord(document, line, words[i], out);
    }
    out += "     </TextLine>\n";
  }

  void AppendWord(const Document& document, const Line& line, const Word& word,
                  std::string& out) {
    out += "      <String ID=\"word_" + page_ + '_' + std::to_string(++words_) +
           '"';
    AppendPlace(BoxOf(word.polygon, document.width, document.height), out);
    AppendAttribute("CONTENT", word.text, out);
    AppendShare("WC", word.confidence, out);
    out += '>';
    for (size_t i = word.begin; i < word.end; ++i) {
      const Character& character = line.characters[i];
      // A glyph is one code point.
      if (text::DecodeUtf8(character.text).size() != 1) continue;
      out += "\n       <Glyph";
      AppendPlace(BoxOf(character.polygon, document.width, document.height),
                  out);
      AppendAttribute("CONTENT", character.text, out);
      AppendShare("GC", character.confidence, out);
      out += '>';
      for (const Alternative& other : character.alternatives) {
        out += "<Variant";
        AppendAttribute("CONTENT", other.text, out);
        AppendShare("VC", other.confidence, out);
        out += "/>";
      }
      out += "</Glyph>";
    }
    out += word.begin < word.end ? "\n      </String>\n" : "</String>\n";
  }

  bool has_begun_ = false;
  int pages_ = 0, blocks_ = 0, lines_ = 0, words_ = 0;
  std::string page_;
};

}  // namespace
}  // namespace alto

std::unique_ptr<PageWriter> MakeAltoWriter() {
  return std::make_unique<alto::AltoWriter>();
}

}  // namespace munja::document
