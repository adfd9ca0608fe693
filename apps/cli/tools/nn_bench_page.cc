#include "cli/tools/nn_bench_page.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cli/html.h"
#include "cli/report.h"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

// The dimensions of a plot, in pixels.
constexpr double kLeft = 150, kWidth = 560, kRow = 26, kBottom = 34;

std::string Text(double x, double y, std::string_view anchor,
                 std::string_view text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) +
         "\" text-anchor=\"" + std::string(anchor) + "\">" + Escaped(text) +
         "</text>\n";
}

std::string Line(double x1, double y1, double x2, double y2,
                 std::string_view kind) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + Number(x1) +
         "\" y1=\"" + Number(y1) + "\" x2=\"" + Number(x2) + "\" y2=\"" +
         Number(y2) + "\"/>\n";
}

// A logarithmic axis over whole powers of ten.
struct Axis {
  double from, to;  // Powers.
  double At(double value) const {
    const double power = std::log10(std::max(value, 1e-300));
    return kLeft + kWidth * (std::clamp(power, from, to) - from) / (to - from);
  }
};

Axis AxisOf(const std::vector<double>& values) {
  double least = 1e300, most = 0;
  for (const double v : values) {
    if (!(v > 0) || std::isinf(v)) continue;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  if (most == 0) return {-1, 0};
  const double from = std::floor(std::log10(least));
  return {from, std::max(std::ceil(std::log10(most)), from + 1)};
}

std::string AxisDrawn(const Axis& axis, double height, std::string_view unit) {
  std::string out;
  // Ten labels at most.
  const double step = std::ceil((axis.to - axis.from) / 10);
  for (double power = axis.from; power <= axis.to; power += step) {
    const double x = axis.At(std::pow(10.0, power));
    out += Line(x, 0, x, height, "grid");
    out += Text(x, height + 15, "middle", Number(std::pow(10.0, power)));
  }
  out += Text(kLeft + kWidth / 2, height + 30, "middle", unit);
  return out;
}

std::string Svg(double height, const std::string& inside) {
  return "<svg width=\"" + Number(kLeft + kWidth + 40) + "\" height=\"" +
         Number(height + kBottom) + "\" role=\"img\">\n" + inside + "</svg>\n";
}

// Plots for each driver a dot for each run, a box from the 10th to the 90th
// percentile and a line at the median.
std::string LatencyPlot(const Json& results) {
  std::vector<double> all;
  for (const Json& r : results)
    if (r.contains("runs_ms"))
      for (const Json& t : r["runs_ms"]) all.push_back(t.get<double>());
  const Axis axis = AxisOf(all);
  const double height = kRow * static_cast<double>(results.size());
  std::string out = AxisDrawn(axis, height, "milliseconds a run");
  double y = 0;
  for (const Json& r : results) {
    out += Text(kLeft - 8, y + kRow / 2 + 4, "end", TextOf(r, "driver"));
    if (r.contains("runs_ms")) {
      for (const Json& t : r["runs_ms"])
        out += "<circle cx=\"" + Number(axis.At(t.get<double>()), "%.1f") +
               "\" cy=\"" + Number(y + kRow / 2) + "\" r=\"2\"/>\n";
      const Json& latency = r["latency_ms"];
      const double p10 = axis.At(NumberOf(latency, "p10"));
      const double p90 = axis.At(NumberOf(latency, "p90"));
      const double median = axis.At(NumberOf(latency, "median"));
      out += "<rect x=\"" + Number(p10) + "\" y=\"" + Number(y + 6) +
             "\" width=\"" + Number(std::max(1.0, p90 - p10)) + "\" height=\"" +
             Number(kRow - 12) + "\"/>\n";
      out += Line(median, y + 4, median, y + kRow - 4, "median");
    }
    y += kRow;
  }
  return Svg(height, out);
}

// Plots for each output of each driver a bar up to its largest error, relative
// to the largest value.
std::string ErrorPlot(const Json& results) {
  struct Bar {
    std::string label;
    double error;
  };
  std::vector<Bar> bars;
  std::vector<double> errors;
  for (const Json& r : results) {
    if (!r.contains("outputs")) continue;
    for (const Json& output : r["outputs"]) {
      if (output.contains("problem")) continue;
      const double largest = NumberOf(output, "largest");
      const double error =
          NumberOf(output, "max_error") / (largest > 0 ? largest : 1.0);
      bars.push_back(
          {TextOf(r, "driver") + " " + TextOf(output, "name"), error});
      errors.push_back(error);
    }
  }
  if (bars.empty()) return "";
  const Axis axis = AxisOf(errors);
  const double height = kRow * static_cast<double>(bars.size());
  std::string out =
      AxisDrawn(axis, height, "largest error, as a part of the largest value");
  double y = 0;
  for (const Bar& bar : bars) {
    std::string label = bar.label;
    if (label.size() > 22) label = label.substr(0, 20) + "…";
    out += Text(kLeft - 8, y + kRow / 2 + 4, "end", label);
    if (bar.error > 0)
      out += "<rect x=\"" + Number(kLeft) + "\" y=\"" + Number(y + 6) +
             "\" width=\"" + Number(std::max(1.0, axis.At(bar.error) - kLeft)) +
             "\" height=\"" + Number(kRow - 12) + "\"/>\n";
    else
      out += Text(kLeft + 4, y + kRow / 2 + 4, "start", "none");
    y += kRow;
  }
  return Svg(height, out);
}

std::string Cell(const std::string& text) {
  return "<td>" + Escaped(text) + "</td>";
}

std::string Table(const Json& results) {
  std::string out =
      "<table><tr><th>driver</th><th>median ms</th><th>p90 ms</th><th>p99 "
      "ms</th><th>prepare ms</th><th>output</th><th>largest error</th>"
      "<th>mean squared error</th><th>largest value</th><th>same best</th>"
      "</tr>\n";
  for (const Json& r : results) {
    const std::string name = Cell(TextOf(r, "driver"));
    if (r.contains("problem")) {
      out += "<tr>" + name + "<td colspan=\"9\">" +
             Escaped(TextOf(r, "problem")) + "</td></tr>\n";
      continue;
    }
    const Json& latency = r["latency_ms"];
    std::string times = name;
    for (const char* part : {"median", "p90", "p99"})
      times += Cell(Number(NumberOf(latency, part)));
    times += Cell(Number(NumberOf(r, "prepare_ms")));
    if (r["outputs"].empty()) out += "<tr>" + times + "</tr>\n";
    for (const Json& output : r["outputs"]) {
      out += "<tr>" + times + Cell(TextOf(output, "name"));
      if (output.contains("problem")) {
        out += "<td colspan=\"4\">" + Escaped(TextOf(output, "problem")) +
               "</td></tr>\n";
        continue;
      }
      for (const char* part : {"max_error", "mean_squared_error", "largest"})
        out += Cell(Number(NumberOf(output, part)));
      out += Cell(output.contains("same_best")
                      ? Number(100 * NumberOf(output, "same_best")) + " %"
                      : "") +
             "</tr>\n";
    }
  }
  return out + "</table>\n";
}

}  // namespace

std::string NnBenchPage(const Json& report) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>Drivers of accelerators</title>\n<style>\n"
      "body{font:14px sans-serif;margin:2em;max-width:70em}\n"
      "table{border-collapse:collapse;margin:1em 0}\n"
      "td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:right}\n"
      "td:first-child,th:first-child{text-align:left}\n"
      "svg{display:block;margin:1em 0;font-size:12px}\n"
      "rect{fill:#4a7ebb;fill-opacity:.5}circle{fill:#333;fill-opacity:.25}\n"
      ".grid{stroke:#ddd}.median{stroke:#b33;stroke-width:2}\n"
      "</style></head><body>\n<h1>Drivers of accelerators</h1>\n";
  out += "<p>Vector instructions of the processor: " +
         Escaped(TextOf(report, "simd")) + "; " +
         std::to_string(CountOf(report, "runs")) +
         " timed runs of each, in turns, and outputs of " +
         std::to_string(CountOf(report, "samples")) +
         " inputs compared with those of the processor.</p>\n";
  for (const Json& model : report["models"]) {
    out += "<h2>" + Escaped(TextOf(model, "model")) + "</h2>\n<p>";
    for (const Json& input : model["inputs"])
      out += Escaped(TextOf(input, "name") + " " + TextOf(input, "type") + " " +
                     TextOf(input, "shape")) +
             "<br>";
    out += "</p>\n" + LatencyPlot(model["results"]) +
           ErrorPlot(model["results"]) + Table(model["results"]);
  }
  return out + "</body></html>\n";
}

}  // namespace munja::cli
