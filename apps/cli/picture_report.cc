#include "cli/picture_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/html.h"
#include "cli/reliability_plot.h"
#include "cli/report.h"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

// Files above this are embedded smaller.
constexpr size_t kMostBytes = size_t{16} << 20;
// The maximum number of pixels of pictures that are embedded smaller.
constexpr int64_t kMostPixels = 2'000'000;

struct Kind {
  std::string_view magic, type;
};
constexpr Kind kShownByBrowsers[] = {{"\xFF\xD8\xFF", "image/jpeg"},
                                     {"\x89PNG\r\n", "image/png"},
                                     {"GIF8", "image/gif"},
                                     {"BM", "image/bmp"},
                                     {"RIFF", "image/webp"}};

void AppendNumber(uint32_t value, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i)
    *out += static_cast<char>(value >> (8 * i) & 0xFF);
}

// A bitmap file of every step-th pixel of every step-th row.
std::string Bitmap(const munja::Image& image) {
  const int64_t width = image.width(), height = image.height();
  int64_t step = 1;
  while ((width / step) * (height / step) > kMostPixels) ++step;
  const auto w = static_cast<uint32_t>((width + step - 1) / step),
             h = static_cast<uint32_t>((height + step - 1) / step);
  const uint32_t row_bytes = (3 * w + 3) / 4 * 4;
  std::string out = "BM";
  AppendNumber(54 + row_bytes * h, 4, &out);
  AppendNumber(0, 4, &out);
  AppendNumber(54, 4, &out);  // Where the pixels begin.
  AppendNumber(40, 4, &out);  // Bytes of what follows.
  AppendNumber(w, 4, &out);
  AppendNumber(h, 4, &out);
  AppendNumber(1, 2, &out);   // Planes.
  AppendNumber(24, 2, &out);  // Bits of a pixel.
  out.resize(54);
  for (uint32_t y = h; y-- > 0;) {  // From the last row up.
    const uint8_t* row = image.row(static_cast<int>(step * y));
    for (uint32_t x = 0; x < w; ++x) {
      const uint8_t* p = row + 3 * step * x;
      for (const int channel : {2, 1, 0}) out += static_cast<char>(p[channel]);
    }
    out.append(row_bytes - 3 * w, '\0');
  }
  return out;
}

std::string Embedded(std::string_view file, const munja::Image& image) {
  if (file.size() <= kMostBytes)
    for (const Kind& kind : kShownByBrowsers)
      if (file.starts_with(kind.magic)) return DataUri(kind.type, file);
  return DataUri("image/bmp", Bitmap(image));
}

// Red over yellow to green.
std::string ColorOf(double confidence) {
  return "hsl(" + Number(120 * std::clamp(confidence, 0.0, 1.0), "%.0f") +
         ",80%,38%)";
}

std::string Points(const std::vector<double>& polygon) {
  std::string out;
  for (size_t i = 0; i + 1 < polygon.size(); i += 2)
    out += (i > 0 ? " " : "") + Number(polygon[i], "%.1f") + "," +
           Number(polygon[i + 1], "%.1f");
  return out;
}

// The text over its box, unseen: to be searched, selected and copied.
std::string Overlaid(const std::vector<double>& p, const std::string& text) {
  if (p.size() != 8 || text.empty()) return "";
  const double length = std::hypot(p[2] - p[0], p[3] - p[1]);
  const double height = std::hypot(p[6] - p[0], p[7] - p[1]);
  if (!(length > 0) || !(height > 0)) return "";
  const double c = (p[2] - p[0]) / length, s = (p[3] - p[1]) / length;
  std::string out = "<text transform=\"matrix(";
  for (const double v : {c, s, -s, c, p[6], p[7]})
    out += Number(v, "%.4f") + (v == p[7] ? "" : " ");
  return out + ")\" y=\"" + Number(-0.2 * height, "%.1f") + "\" font-size=\"" +
         Number(0.8 * height, "%.1f") + "\" textLength=\"" +
         Number(length, "%.1f") + "\" lengthAdjust=\"spacingAndGlyphs\">" +
         Escaped(text) + "</text>";
}

// A box with the class `kind`, linked with the entry of the same id.
std::string Box(const std::string& id, std::string_view kind,
                const std::vector<double>& polygon, double confidence,
                const std::string& text) {
  return "<g class=\"" + std::string(kind) + "\" data-line=\"" + id +
         "\"><polygon points=\"" + Points(polygon) + "\" stroke=\"" +
         ColorOf(confidence) + "\"><title>" + Escaped(text) + " (" +
         Number(100 * confidence, "%.0f") + " %)</title></polygon>" +
         Overlaid(polygon, text) + "</g>\n";
}

std::vector<double> NumbersOf(const Json& line, const char* name) {
  std::vector<double> out;
  const auto it = line.find(name);
  if (it == line.end() || !it->is_array()) return out;
  for (const Json& v : *it)
    if (v.is_number()) out.push_back(v.get<double>());
  return out;
}

// The part of the picture around a polygon, on its own.
std::string Part(const std::string& picture, std::vector<double> polygon,
                 const munja::Image& image) {
  const double width = image.width(), height = image.height();
  if (polygon.size() < 4) polygon = {0, 0, width, height};
  std::array<double, 4> box = {width, height, 0, 0};
  for (size_t i = 0; i + 1 < polygon.size(); i += 2) {
    box = {std::min(box[0], polygon[i]), std::min(box[1], polygon[i + 1]),
           std::max(box[2], polygon[i]), std::max(box[3], polygon[i + 1])};
  }
  const double margin = 0.15 * std::min(box[2] - box[0], box[3] - box[1]);
  const double left = std::max(0.0, box[0] - margin),
               top = std::max(0.0, box[1] - margin);
  const double w = std::max(1.0, std::min(width, box[2] + margin) - left),
               h = std::max(1.0, std::min(height, box[3] + margin) - top);
  // As high as a line of text, unless it is much longer than the page.
  const double scale = std::min(36 / h, 620 / w);
  return "<svg class=\"part\" width=\"" + Number(w * scale, "%.0f") +
         "\" height=\"" + Number(h * scale, "%.0f") + "\" viewBox=\"" +
         Number(left, "%.1f") + " " + Number(top, "%.1f") + " " +
         Number(w, "%.1f") + " " + Number(h, "%.1f") + "\"><use href=\"#" +
         picture + "\"/></svg>";
}

// Beside boxes in the picture and entries of the list: whichever the pointer is
// on, the other is shown, too.
constexpr std::string_view kScript =
    "<script>\n"
    "for (const part of document.querySelectorAll('[data-line]')) {\n"
    "  const same = document.querySelectorAll("
    "`[data-line=\"${part.dataset.line}\"]`);\n"
    "  const mark = on => () => same.forEach("
    "e => e.classList.toggle('on', on));\n"
    "  part.addEventListener('mouseenter', mark(true));\n"
    "  part.addEventListener('mouseleave', mark(false));\n"
    "}\n"
    "</script>\n";

constexpr std::string_view kStyle =
    "<style>\n"
    "body{font:14px/1.4 sans-serif;margin:2em}\n"
    "h2{font-size:1.1em;margin:2em 0 .3em;word-break:break-all}\n"
    ".two{display:flex;gap:1.5em;align-items:flex-start;flex-wrap:wrap}\n"
    ".picture{flex:1 1 30em;max-width:60em;height:auto}\n"
    "ol{flex:1 1 20em;margin:0;padding-left:3em}\n"
    "polygon{fill:#fff;fill-opacity:0;stroke-width:1.5;"
    "vector-effect:non-scaling-stroke}\n"
    "g.missing polygon{stroke:#b0b;stroke-dasharray:4 3}\n"
    ".on polygon{fill:#ff0;fill-opacity:.35}li.on,tr.on{background:#ffc}\n"
    "svg text{fill-opacity:0;font-family:sans-serif}\n"
    "svg text::selection{background:#48f8}\n"
    "table{border-collapse:collapse;margin:.5em 0}\n"
    "td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid #ddd}\n"
    "del{background:#fcc;text-decoration:none}"
    "ins{background:#cfc;text-decoration:none}\n"
    ".note{color:#666}.part{display:block;max-width:100%}\n"
    ".time text{fill-opacity:1;font-size:11px}\n"
    "</style>\n";

}  // namespace

PictureReport::PictureReport(const std::string& title) : title_(title) {}

void PictureReport::Begin(const std::string& name, std::string_view file,
                          const munja::Image& image) {
  ++pictures_;
  const std::string id = "p" + std::to_string(pictures_);
  const std::string width = std::to_string(image.width()),
                    height = std::to_string(image.height());
  body_ += "<h2 id=\"" + id + "\">" + Escaped(name) +
           "</h2>\n<div class=\"two\"><svg class=\"picture\" viewBox=\"0 0 " +
           width + " " + height + "\" width=\"" + width + "\"><image id=\"" +
           id + "i\" width=\"" + width + "\" height=\"" + height +
           "\" href=\"" + Embedded(file, image) + "\"/>\n";
}

void PictureReport::AddTimes(const munja::Page& page) {
  const munja_timing timing = page.timing();
  if (!(timing.total > 0)) return;
  const struct {
    const char *name, *color;
    double ms;
  } stages[] = {{"decode", "#8ab", timing.decode},
                {"detect", "#4a7ebb", timing.detect},
                {"recognize", "#b85", timing.recognize}};
  double sum = 0;
  for (const auto& stage : stages) sum += stage.ms;
  if (!(sum > 0)) return;
  constexpr double kWidth = 420;
  std::string bars;
  double x = 0;
  for (const auto& stage : stages) {
    const double width = kWidth * stage.ms / sum;
    bars += "<rect x=\"" + Number(x, "%.1f") + "\" width=\"" +
            Number(width, "%.1f") + "\" height=\"14\" fill=\"" + stage.color +
            "\"><title>" + stage.name + " " + Number(stage.ms) +
            " ms</title></rect>\n";
    x += width;
  }
  std::string said;
  for (const auto& stage : stages)
    said += std::string(said.empty() ? "" : ", ") + stage.name + " " +
            Number(stage.ms) + " ms";
  body_ += "<svg class=\"time\" width=\"" + Number(kWidth) +
           "\" height=\"30\" role=\"img\">" + bars + "<text y=\"27\">" + said +
           "</text></svg>\n";
}

void PictureReport::AddRead(const std::string& name,
                            std::span<const uint8_t> file,
                            const munja::Image& image,
                            const munja::Page& page) {
  Begin(name, {reinterpret_cast<const char*>(file.data()), file.size()}, image);
  const std::string id = "p" + std::to_string(pictures_) + "l";
  std::string list;
  int number = 0;
  for (const munja::Line line : page.lines()) {
    const std::string entry = id + std::to_string(++number);
    const std::string text(line.text());
    std::vector<double> polygon;
    for (const munja::Point& point : line.polygon())
      polygon.insert(polygon.end(), {point.x, point.y});
    body_ += Box(entry, "read", polygon, line.confidence(), text);
    list += "<li data-line=\"" + entry +
            "\" style=\"color:" + ColorOf(line.confidence()) + "\">" +
            Escaped(text) + "</li>\n";
  }
  body_ += "</svg>\n<ol>\n" + list + "</ol></div>\n";
  AddTimes(page);
}

void PictureReport::AddCompared(const std::string& path,
                                const munja::Image& image,
                                const munja::Page* page, const Json& lines) {
  std::ifstream in(path, std::ios::binary);
  Begin(path, std::string(std::istreambuf_iterator<char>(in), {}), image);
  const std::string picture = "p" + std::to_string(pictures_);
  std::string rows;
  int64_t number = 0, right = 0, labeled = 0;
  for (const Json& line : lines) {
    const std::string name = picture + "l" + std::to_string(++number);
    const std::string label = TextOf(line, "label"),
                      read = TextOf(line, "read");
    const double confidence = NumberOf(line, "confidence");
    const bool is_labeled = line.contains("label"),
               is_read = line.contains("read");
    std::vector<double> polygon = NumbersOf(line, "polygon");
    labeled += is_labeled;
    if (is_read) {
      body_ +=
          Box(name, is_labeled ? "read" : "extra", polygon, confidence, read);
    } else {
      polygon = NumbersOf(line, "outline");
      body_ += Box(name, "missing", polygon, 0, label);
    }
    if (line.value("right", false)) {
      ++right;
      continue;
    }
    ++wrong_;
    rows += "<tr data-line=\"" + name + "\"><td>" +
            Part(picture + "i", polygon, image) + "</td><td>" +
            (is_labeled ? Escaped(label)
                        : "<span class=\"note\">not labeled</span>") +
            "</td><td>" +
            (!is_read      ? "<span class=\"note\">not found</span>"
             : !is_labeled ? Escaped(read)
                           : MarkedDifference(label, read)) +
            "</td><td>" +
            (is_read ? Number(100 * confidence, "%.0f") + " %" : "") +
            "</td></tr>\n";
  }
  body_ += "</svg></div>\n<p>" + std::to_string(right) + " of " +
           std::to_string(labeled) + " labeled lines are read right.</p>\n";
  if (page != nullptr) AddTimes(*page);
  if (!rows.empty())
    body_ +=
        "<table><tr><th>picture</th><th>label</th><th>read</th>"
        "<th>confidence</th></tr>\n" +
        rows + "</table>\n";
}

void PictureReport::SetFigures(const Json& figures) {
  figures_ = "<table>\n";
  for (const auto& [name, value] : figures.items()) {
    if (!value.is_primitive()) continue;
    figures_ +=
        "<tr><td>" + Escaped(name) + "</td><td>" +
        Escaped(value.is_number_float() ? Number(value.get<double>(), "%.4f")
                                        : value.dump()) +
        "</td></tr>\n";
  }
  figures_ += "</table>\n";
  if (figures.contains("confidence_bins")) figures_ += ReliabilityPlot(figures);
  figures_ += "<p>" + std::to_string(wrong_) +
              " lines that are not right follow, picture by picture.</p>\n";
}

std::string PictureReport::Take() {
  std::string out = std::exchange(body_, {});
  if (std::exchange(is_begun_, true)) return out;
  const std::string title = Escaped(title_);
  std::string head =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; img-src data:; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'\"><title>" +
      title + "</title>\n";
  head += kStyle;
  return head + "</head><body>\n<h1>" + title + "</h1>\n" + figures_ + out;
}

std::string PictureReport::Finish() {
  body_ += kScript;
  return Take() + "</body></html>\n";
}

}  // namespace munja::cli
