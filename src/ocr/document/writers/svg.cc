// SVG: each image with its words, whose text can be selected, over it. A JPEG
// is in the file; of other images it names the source.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "document/writers/xml.h"

namespace munja::document {
namespace svg {
namespace {

void AppendBase64(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(bytes.size() - i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
}

void AppendNumbers(std::initializer_list<double> values, std::string& out) {
  bool is_first = true;
  for (const double value : values) {
    if (!is_first) out += ' ';
    is_first = false;
    AppendDecimal(value, kCoordinateDigits, out);
  }
}

// From red, where it is in doubt, over yellow to green.
std::string ColorOf(float confidence) {
  const float sure = std::clamp(confidence, 0.0f, 1.0f);
  return "hsl(" + std::to_string(std::lround(120 * sure)) + ",90%,40%)";
}

// The transform that brings the JPEG upright in the page's width and height.
std::string Upright(const Picture& picture, double w, double h) {
  std::string out;
  const auto matrix = [&](std::initializer_list<double> values) {
    out = " transform=\"matrix(";
    AppendNumbers(values, out);
    out += ")\"";
  };
  switch (picture.orientation) {
    case 2:
      matrix({-1, 0, 0, 1, w, 0});
      break;
    case 3:
      matrix({-1, 0, 0, -1, w, h});
      break;
    case 4:
      matrix({1, 0, 0, -1, 0, h});
      break;
    case 5:
      matrix({0, 1, 1, 0, 0, 0});
      break;
    case 6:
      matrix({0, 1, -1, 0, w, 0});
      break;
    case 7:
      matrix({0, -1, -1, 0, w, h});
      break;
    case 8:
      matrix({0, -1, 1, 0, 0, h});
      break;
    default:
      break;
  }
  return out;
}

void AppendWord(const Word& word, std::string& out) {
  const geometry::Quad& q = word.polygon;
  const double across = geometry::Length(q[1] - q[0]);
  const double height = geometry::Length(q[3] - q[0]);
  if (!std::isfinite(across) || !std::isfinite(height)) return;
  std::string points;
  for (const geometry::Point p : q) {
    if (!points.empty()) points += ' ';
    AppendNumbers({p.x}, points);
    points += ',';
    AppendNumbers({p.y}, points);
  }
  out += "   <polygon";
  AppendAttribute("points", points, out);
  AppendAttribute("stroke", ColorOf(word.confidence), out);
  out += "/>\n   <text transform=\"matrix(";
  const double c = across > 0 ? (q[1].x - q[0].x) / across : 1;
  const double s = across > 0 ? (q[1].y - q[0].y) / across : 0;
  AppendDecimal(c, 4, out);
  for (const double value : {s, -s, c}) {
    out += ' ';
    AppendDecimal(value, 4, out);
  }
  out += ' ';
  AppendNumbers({q[3].x, q[3].y}, out);
  out += ")\" font-size=\"";
  AppendNumbers({std::max(height, 1.0)}, out);
  out += "\" textLength=\"";
  AppendNumbers({std::max(across, 1.0)}, out);
  out += "\" lengthAdjust=\"spacingAndGlyphs\">";
  AppendXml(word.text, out);
  out += "</text>\n";
}

class SvgWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    const Document& document = page.document;
    const std::string width = std::to_string(std::max(document.width, 1));
    const std::string height = std::to_string(std::max(document.height, 1));
    out +=
        "<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
        width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + ' ' +
        height + "\">\n  <title>";
    AppendXml(document.source, out);
    out += "</title>\n";
    const Picture& picture = page.picture;
    if (!picture.jpeg.empty()) {
      out += "  <image width=\"" + std::to_string(picture.jpeg_width) +
             "\" height=\"" + std::to_string(picture.jpeg_height) + '"' +
             Upright(picture, document.width, document.height) +
             " xlink:href=\"data:image/jpeg;base64,";
      AppendBase64(picture.jpeg, out);
      out += "\"/>\n";
    } else if (!document.source.empty()) {
      out += "  <image width=\"" + width + "\" height=\"" + height + '"';
      AppendAttribute("xlink:href", document.source, out);
      out += "/>\n";
    }
    out +=
        "  <g fill=\"none\" stroke-width=\"2\" font-family=\"sans-serif\" "
        "style=\"pointer-events:all\">\n";
    for (const Line& line : document.lines)
      if (!line.text.empty())
        for (const Word& word : WordsOf(line)) AppendWord(word, out);
    out += "  </g>\n</svg>\n";
    return Status();
  }
};

}  // namespace
}  // namespace svg

std::unique_ptr<PageWriter> MakeSvgWriter() {
  return std::make_unique<svg::SvgWriter>();
}

}  // namespace munja::document
