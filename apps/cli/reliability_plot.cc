#include "cli/reliability_plot.h"

#include <algorithm>
#include <cstddef>

#include "cli/html.h"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

// Pixels. The square of shares, under it the columns of counts.
constexpr double kLeft = 60, kTop = 30, kSide = 300, kGap = 12, kCounts = 60;
constexpr double kBottom = kTop + kSide + kGap + kCounts;

double X(double share) { return kLeft + share * kSide; }
double Y(double share) { return kTop + (1 - share) * kSide; }

std::string Line(double x1, double y1, double x2, double y2,
                 const char* style) {
  return "<line x1=\"" + Number(x1) + "\" y1=\"" + Number(y1) + "\" x2=\"" +
         Number(x2) + "\" y2=\"" + Number(y2) + "\" " + style + "/>\n";
}

std::string Label(double x, double y, const char* anchor,
                  const std::string& text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) +
         "\" text-anchor=\"" + anchor + "\">" + Escaped(text) + "</text>\n";
}

std::string Column(double x, double y, double width, double height,
                   const std::string& title) {
  return "<rect x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" width=\"" +
         Number(width) + "\" height=\"" + Number(height) +
         "\" fill=\"#4477aa\" fill-opacity=\"0.7\"><title>" + Escaped(title) +
         "</title></rect>\n";
}

}  // namespace

std::string ReliabilityPlot(const Json& figures) {
  const Json bins = figures.value("confidence_bins", Json::array());
  int64_t most = 1, all = 0;
  for (const Json& bin : bins) {
    most = std::max(most, bin.value("lines", int64_t{0}));
    all += bin.value("lines", int64_t{0});
  }
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"460\" "
      "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"400\" height=\"460\" fill=\"#ffffff\"/>\n";
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    const double share = tenth / 10.0;
    out += Line(kLeft, Y(share), kLeft + kSide, Y(share), "stroke=\"#dddddd\"");
    out += Label(kLeft - 6, Y(share) + 4, "end", Number(tenth * 10) + " %");
    out += Label(X(share), kBottom + 16, "middle", Number(tenth * 10));
  }
  const double width =
      kSide / static_cast<double>(std::max<size_t>(1, bins.size()));
  for (size_t i = 0; i < bins.size(); ++i) {
    const auto lines = bins[i].value("lines", int64_t{0});
    if (lines == 0) continue;
    const auto count = static_cast<double>(lines);
    const double share = bins[i].value("right", 0.0) / count;
    const double said = bins[i].value("said", 0.0) / count;
    const double x = kLeft + width * static_cast<double>(i);
    const std::string title = std::to_string(lines) + " lines say " +
                              Number(said * 100, "%.1f") + " %, " +
                              Number(share * 100, "%.1f") + " % are right";
    out += Column(x + 1, Y(share), width - 2, share * kSide, title);
    const double height = kCounts * count / static_cast<double>(most);
    out += Column(x + 1, kBottom - height, width - 2, height, title);
    // The line shows the mean confidence of the bin.
    out += Line(x + 1, Y(said), x + width - 1, Y(said),
                "stroke=\"#cc3311\" stroke-width=\"2\"");
  }
  out += Line(X(0), Y(0), X(1), Y(1),
              "stroke=\"#cc3311\" stroke-dasharray=\"4 4\"");
  out += Label(kLeft, kTop - 12, "start",
               "Lines that are right (blue), that should be (red)");
  out +=
      Label(kLeft + kSide / 2, kBottom + 34, "middle",
            "confidence in percent; below: " + std::to_string(all) +
                " lines, error " +
                Number(figures.value("confidence_error", 0.0) * 100, "%.1f"));
  return out + "</svg>\n";
}

}  // namespace munja::cli
