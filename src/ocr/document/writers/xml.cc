#include "document/writers/xml.h"

#include <cmath>

#include "text/utf8.h"

namespace munja::document {

void AppendXml(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const char32_t c = text::NextCodePoint(text);
    const bool is_break = c == U'\t' || c == U'\n' || c == U'\r';
    if (c == U'&')
      out += "&amp;";
    else if (c == U'<')
      out += "&lt;";
    else if (c == U'>')
      out += "&gt;";
    else if (c == U'"')
      out += "&quot;";
    else if (c == U'\'')
      out += "&#39;";
    else if (is_break)
      out += ' ';
    else if (c < 0x20 || c == 0xFFFE || c == 0xFFFF)
      text::AppendUtf8(text::kReplacement, out);
    else
      text::AppendUtf8(c, out);
  }
}

void AppendEdges(const PixelBox& box, std::string& out) {
  out += std::to_string(box.left) + ' ' + std::to_string(box.top) + ' ' +
         std::to_string(box.right) + ' ' + std::to_string(box.bottom);
}

void AppendAttribute(std::string_view name, long long value, std::string& out) {
  AppendAttribute(name, std::to_string(value), out);
}

void AppendAttribute(std::string_view name, std::string_view text,
                     std::string& out) {
  out += ' ';
  out += name;
  out += "=\"";
  AppendXml(text, out);
  out += '"';
}

std::string WholePoints(const geometry::Quad& quad, int width, int height) {
  const auto whole = [](float value, int limit) {
    if (!(value > 0)) return 0;
    const auto most = static_cast<float>(limit > 0 ? limit : 1 << 24);
    return static_cast<int>(std::lround(std::min(value, most)));
  };
  std::string points;
  for (const geometry::Point p : quad) {
    if (!points.empty()) points += ' ';
    points += std::to_string(whole(p.x, width)) + ',' +
              std::to_string(whole(p.y, height));
  }
  return points;
}

}  // namespace munja::document
