// JSON, schema version 1: one object on one line.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "document/writers/writer.h"

namespace munja::document::json_writer {
namespace {

using Json = nlohmann::ordered_json;

// Digits that mean nothing only make files larger: coordinates are given to a
// hundredth of a pixel, confidences to 1e-4, times to a microsecond.
double Rounded(double value, double steps) {
  return std::isfinite(value) ? std::round(value * steps) / steps : 0.0;
}

}  // namespace

std::string Write(const Document& document) {
  Json lines = Json::array();
  for (const Line& line : document.lines) {
    Json polygon = Json::array();
    for (const geometry::Point& p : line.polygon)
      polygon.push_back({Rounded(p.x, 100), Rounded(p.y, 100)});
    lines.push_back({{"text", line.text},
                     {"confidence", Rounded(line.confidence, 1e4)},
                     {"polygon", std::move(polygon)}});
  }
  const Json object = {{"schema_version", 1},
                       {"source", document.source},
                       {"width", document.width},
                       {"height", document.height},
                       {"model", document.model},
                       {"lines", std::move(lines)},
                       {"timing_ms",
                        {{"decode", Rounded(document.timing.decode, 1e3)},
                         {"detect", Rounded(document.timing.detect, 1e3)},
                         {"recognize", Rounded(document.timing.recognize, 1e3)},
                         {"total", Rounded(document.timing.total, 1e3)}}}};
  // A file name may hold any bytes; what is not UTF-8 is replaced.
  return object.dump(-1, ' ', /*ensure_ascii=*/false,
                     Json::error_handler_t::replace) +
         "\n";
}

}  // namespace munja::document::json_writer
