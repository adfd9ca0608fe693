// JSON, schema version 1: one object without a line break inside and one after
// it, so that files of several documents are JSON Lines.
#include <nlohmann/json.hpp>

#include "document/decimal.h"
#include "document/writers/writer.h"

namespace munja::document {
namespace {

void AppendString(const std::string& text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

void AppendLine(const Line& line, std::string& out) {
  out += "{\"text\":";
  AppendString(line.text, out);
  out += ",\"confidence\":";
  AppendDecimal(line.confidence, kConfidenceDigits, out);
  if (!line.unknown_writing.empty()) {
    out += ",\"unknown_writing\":";
    AppendString(line.unknown_writing, out);
  }
  out += ",\"polygon\":[";
  for (size_t i = 0; i < line.polygon.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    AppendDecimal(line.polygon[i].x, kCoordinateDigits, out);
    out += ',';
    AppendDecimal(line.polygon[i].y, kCoordinateDigits, out);
    out += ']';
  }
  out += "]}";
}

}  // namespace

std::string WriteJson(const Document& document) {
  std::string out = "{\"schema_version\":1,\"source\":";
  AppendString(document.source, out);
  out += ",\"width\":" + std::to_string(document.width);
  out += ",\"height\":" + std::to_string(document.height);
  out += ",\"model\":";
  AppendString(document.model, out);
  out += ",\"lines\":[";
  for (size_t i = 0; i < document.lines.size(); ++i) {
    if (i > 0) out += ',';
    AppendLine(document.lines[i], out);
  }
  out += "],\"timing_ms\":{";
  const auto append_time = [&](const char* key, double ms) {
    out += key;
    AppendDecimal(ms, kMillisecondDigits, out);
  };
  append_time("\"decode\":", document.timing.decode);
  append_time(",\"detect\":", document.timing.detect);
  append_time(",\"recognize\":", document.timing.recognize);
  append_time(",\"total\":", document.timing.total);
  out += "}}\n";
  return out;
}

std::unique_ptr<PageWriter> MakeJsonWriter() { return EachPage(WriteJson); }

}  // namespace munja::document
