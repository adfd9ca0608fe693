#include "document/labels.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace munja::document {
namespace {

using Json = nlohmann::json;

// Deep enough for what labels hold; the parser below recurses on nothing, but
// destroying a deep value would.
constexpr int kMaxDepth = 16;
// Beyond it no picture has coordinates.
constexpr double kMaxCoordinate = 1e9;

Result<std::string> TextMember(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end())
    return Malformed(std::string("has no \"") + key + "\"");
  if (!it->is_string())
    return Malformed(std::string("\"") + key + "\" is not a string");
  return it->get<std::string>();
}

Result<std::vector<geometry::PointD>> ParsePolygon(const Json& json) {
  std::vector<geometry::PointD> polygon;
  if (!json.is_array()) return Malformed("\"poly\" is not an array");
  for (const Json& point : json) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() ||
        !point[1].is_number()) {
      return Malformed("\"poly\" has a point that is not two numbers");
    }
    const geometry::PointD p = {point[0].get<double>(), point[1].get<double>()};
    if (!(std::abs(p.x) <= kMaxCoordinate && std::abs(p.y) <= kMaxCoordinate))
      return Malformed("\"poly\" has a coordinate out of range");
    polygon.push_back(p);
  }
  return polygon;
}

Result<LabeledLine> ParseLine(const Json& json) {
  LabeledLine line;
  if (!json.is_object()) return Malformed("is not an object");
  MUNJA_ASSIGN_OR_RETURN(line.text, TextMember(json, "text"));
  if (const auto it = json.find("poly"); it != json.end() && !it->is_null()) {
    MUNJA_ASSIGN_OR_RETURN(line.polygon, ParsePolygon(*it));
  }
  if (const auto it = json.find("ignore"); it != json.end()) {
    if (!it->is_boolean()) return Malformed("\"ignore\" is not true or false");
    line.is_ignored = it->get<bool>();
  }
  return line;
}

Result<LabeledImage> ParsePicture(std::string_view text) {
  bool is_too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  const Json json = Json::parse(text, limit_depth, /*allow_exceptions=*/false);
  if (is_too_deep) return Malformed("is nested too deeply");
  if (json.is_discarded()) return Malformed("is not JSON");
  if (!json.is_object()) return Malformed("is not a JSON object");
  LabeledImage picture;
  MUNJA_ASSIGN_OR_RETURN(picture.image, TextMember(json, "image"));
  const auto lines = json.find("lines");
  if (lines == json.end()) {
    picture.is_crop = true;
    MUNJA_ASSIGN_OR_RETURN(picture.text, TextMember(json, "text"));
    return picture;
  }
  if (!lines->is_array()) return Malformed("\"lines\" is not an array");
  for (const Json& line : *lines) {
    auto parsed = ParseLine(line);
    if (!parsed.ok()) {
      return std::move(parsed).TakeStatus().With(
          "\"lines\"[" + std::to_string(picture.lines.size()) + "]");
    }
    picture.lines.push_back(std::move(parsed).value());
  }
  return picture;
}

}  // namespace

Result<LabelSet> ParseLabels(std::string_view bytes) {
  LabelSet labels;
  for (size_t number = 1; !bytes.empty(); ++number) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto picture = ParsePicture(line);
    if (!picture.ok()) {
      return std::move(picture).TakeStatus().With("line " +
                                                  std::to_string(number));
    }
    labels.push_back(std::move(picture).value());
  }
  return labels;
}

Result<LabelSet> ReadLabels(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, size_t{1} << 28));
  return ParseLabels(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()})
      .With(path);
}

}  // namespace munja::document
