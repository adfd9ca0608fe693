// PAGE XML, version 2019-07-15. A file is one page by its schema: of several
// pages the files follow each other.
#include <algorithm>
#include <cmath>
#include <ctime>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "document/writers/xml.h"
#include "text/utf8.h"

namespace munja::document {
namespace page {
namespace {

constexpr char kNamespace[] =
    "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15";

void AppendCoords(const std::string& points, std::string& out) {
  out += "<Coords";
  AppendAttribute("points", points, out);
  out += "/>";
}

void AppendText(const std::string& text, float confidence, std::string& out) {
  std::string share;
  AppendDecimal(std::clamp(confidence, 0.0f, 1.0f), kConfidenceDigits, share);
  out += "<TextEquiv";
  AppendAttribute("conf", share, out);
  out += "><Unicode>";
  AppendXml(text, out);
  out += "</Unicode></TextEquiv>";
}

std::string Corners(const PixelBox& box) {
  const std::string left = std::to_string(box.left);
  const std::string right = std::to_string(box.right);
  const std::string top = std::to_string(box.top);
  const std::string bottom = std::to_string(box.bottom);
  return left + ',' + top + ' ' + right + ',' + top + ' ' + right + ',' +
         bottom + ' ' + left + ',' + bottom;
}

// "2026-11-25T08:00:00Z".
std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  char text[32] = "";
  if (gmtime_r(&now, &utc) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

const char* ReadingDirection(const Line& line) {
  switch (DirectionOf(line)) {
    case Direction::kRightToLeft:
      return "right-to-left";
    case Direction::kDownwards:
      return "top-to-bottom";
    case Direction::kUpwards:
      return "bottom-to-top";
    default:
      return "left-to-right";
  }
}

void AppendWord(const Document& document, const Line& line, const Word& word,
                const std::string& id, std::string& out) {
  out += "    <Word id=\"" + id + "\">";
  AppendCoords(WholePoints(word.polygon, document.width, document.height), out);
  int glyph = 0;
  for (size_t i = word.begin; i < word.end; ++i) {
    const Character& character = line.characters[i];
    out += "\n     <Glyph id=\"" + id + "g" + std::to_string(++glyph) + "\">";
    AppendCoords(
        WholePoints(character.polygon, document.width, document.height), out);
    AppendText(character.text, character.confidence, out);
    out += "</Glyph>";
  }
  out += word.begin < word.end ? "\n     " : "";
  AppendText(word.text, word.confidence, out);
  out += "</Word>\n";
}

void AppendLine(const Document& document, const Line& line,
                const std::string& id, std::string& out) {
  const int width = document.width, height = document.height;
  out += "   <TextLine id=\"" + id + '"';
  AppendAttribute("readingDirection", ReadingDirection(line), out);
  out += ">";
  AppendCoords(WholePoints(line.polygon, width, height), out);
  const auto [from, to] = BaselineOf(line);
  out += "<Baseline";
  // Two of the four points.
  const std::string points = WholePoints({from, to, to, to}, width, height);
  const size_t second = points.find(' ', points.find(' ') + 1);
  AppendAttribute("points", points.substr(0, second), out);
  out += "/>\n";
  int word = 0;
  for (const Word& w : WordsOf(line))
    AppendWord(document, line, w, id + "w" + std::to_string(++word), out);
  out += "    ";
  AppendText(line.text, line.confidence, out);
  out += "\n   </TextLine>\n";
}

class PageXmlWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    const Document& document = page.document;
    const std::string now = Now();
    out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PcGts xmlns=\"";
    out += kNamespace;
    out +=
        "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"";
    out += kNamespace;
    out += ' ';
    out += kNamespace;
    out += "/pagecontent.xsd\">\n <Metadata>\n  <Creator>munja";
    if (!document.model.empty()) AppendXml(' ' + document.model, out);
    out += "</Creator>\n  <Created>" + now + "</Created>\n  <LastChange>" +
           now + "</LastChange>\n </Metadata>\n <Page";
    AppendAttribute("imageFilename", document.source, out);
    AppendAttribute("imageWidth", document.width, out);
    AppendAttribute("imageHeight", document.height, out);
    out += ">\n";
    const std::vector<Block> blocks = BlocksOf(document);
    // A group without members is not valid.
    if (!blocks.empty()) {
      out += "  <ReadingOrder><OrderedGroup id=\"order\">";
      for (size_t i = 0; i < blocks.size(); ++i)
        out += "<RegionRefIndexed index=\"" + std::to_string(i) +
               "\" regionRef=\"r" + std::to_string(i + 1) + "\"/>";
      out += "</OrderedGroup></ReadingOrder>\n";
    }
    int number = 0;
    for (const Block& block : blocks) {
      const std::string id = "r" + std::to_string(++number);
      out += "  <TextRegion id=\"" + id + "\" type=\"paragraph\">";
      AppendCoords(Corners(block.box), out);
      out += '\n';
      int line = 0;
      for (const size_t i : block.lines)
        AppendLine(document, document.lines[i],
                   id + "l" + std::to_string(++line), out);
      out += "  </TextRegion>\n";
    }
    out += " </Page>\n</PcGts>\n";
    return Status();
  }
};

}  // namespace
}  // namespace page

std::unique_ptr<PageWriter> MakePageWriter() {
  return std::make_unique<page::PageXmlWriter>();
}

}  // namespace munja::document
