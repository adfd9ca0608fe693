// JSON, schema version 2 (docs/reference/schemas/document-2.schema.json):
// blocks, lines, words and characters; like version 1 one object without a line
// break inside.
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"

namespace munja::document {
namespace json2 {
namespace {

void AppendString(const std::string& text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

void AppendPoints(std::span<const geometry::Point> points, std::string& out) {
  out += '[';
  for (size_t i = 0; i < points.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    AppendDecimal(points[i].x, kCoordinateDigits, out);
    out += ',';
    AppendDecimal(points[i].y, kCoordinateDigits, out);
    out += ']';
  }
  out += ']';
}

// {"text":...,"confidence":...,"polygon":...
template <class Part>
void AppendPart(const Part& part, std::string& out) {
  out += "{\"text\":";
  AppendString(part.text, out);
  out += ",\"confidence\":";
  AppendDecimal(part.confidence, kConfidenceDigits, out);
  out += ",\"polygon\":";
  AppendPoints(part.polygon, out);
}

void AppendCharacter(const Character& character, std::string& out) {
  AppendPart(character, out);
  if (!character.alternatives.empty()) {
    out += ",\"alternatives\":[";
    bool is_first = true;
    for (const Alternative& other : character.alternatives) {
      out += is_first ? "{\"text\":" : ",{\"text\":";
      is_first = false;
      AppendString(other.text, out);
      out += ",\"confidence\":";
      AppendDecimal(other.confidence, kConfidenceDigits, out);
      out += '}';
    }
    out += ']';
  }
  out += '}';
}

const char* DirectionName(const Line& line) {
  switch (DirectionOf(line)) {
    case Direction::kRightToLeft:
      return "right-to-left";
    case Direction::kDownwards:
      return "downwards";
    case Direction::kUpwards:
      return "upwards";
    default:
      return "left-to-right";
  }
}

void AppendLine(const Line& line, std::string& out) {
  AppendPart(line, out);
  out += ",\"baseline\":";
  AppendPoints(BaselineOf(line), out);
  out += std::string(",\"direction\":\"") + DirectionName(line) + '"';
  if (line.row >= 0) out += ",\"row\":" + std::to_string(line.row);
  if (!line.unknown_writing.empty()) {
    out += ",\"unknown_writing\":";
    AppendString(line.unknown_writing, out);
  }
  out += ",\"words\":[";
  bool is_first = true;
  for (const Word& word : WordsOf(line)) {
    if (!is_first) out += ',';
    is_first = false;
    AppendPart(word, out);
    out += ",\"characters\":[";
    for (size_t i = word.begin; i < word.end; ++i) {
      if (i > word.begin) out += ',';
      AppendCharacter(line.characters[i], out);
    }
    out += "]}";
  }
  out += "]}";
}

std::string WriteJson2(const Document& document) {
  std::string out = "{\"schema_version\":2,\"source\":";
  AppendString(document.source, out);
  out += ",\"width\":" + std::to_string(document.width);
  out += ",\"height\":" + std::to_string(document.height);
  out += ",\"model\":";
  AppendString(document.model, out);
  out += ",\"blocks\":[";
  for (size_t i = 0; i < document.lines.size(); ++i) {
    const bool is_new =
        i == 0 || document.lines[i].block != document.lines[i - 1].block;
    if (is_new)
      out += i == 0 ? "{\"lines\":[" : "]},{\"lines\":[";
    else
      out += ',';
    AppendLine(document.lines[i], out);
  }
  if (!document.lines.empty()) out += "]}";
  out += "],\"timing_ms\":{";
  const std::array<std::pair<const char*, double>, 4> times = {
      {{"\"decode\":", document.timing.decode},
       {",\"detect\":", document.timing.detect},
       {",\"recognize\":", document.timing.recognize},
       {",\"total\":", document.timing.total}}};
  for (const auto& [key, ms] : times) {
    out += key;
    AppendDecimal(ms, kMillisecondDigits, out);
  }
  out += "}}\n";
  return out;
}

}  // namespace
}  // namespace json2

std::unique_ptr<PageWriter> MakeJson2Writer() {
  return EachPage(json2::WriteJson2);
}

}  // namespace munja::document
