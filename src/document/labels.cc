#include "document/labels.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace munja::document {
namespace {

using nlohmann::json;

// The text member `name`, or an error that says what is there instead.
Result<std::string> Text(const json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_string())
    return Malformed(std::string("\"") + name + "\" is not a text");
  return it->get_ref<const std::string&>();
}

Result<std::vector<geometry::PointD>> Polygon(const json& points) {
  std::vector<geometry::PointD> polygon;
  if (points.is_null()) return polygon;
  if (!points.is_array()) return Malformed("\"poly\" is not a list of points");
  for (const json& p : points) {
    if (!p.is_array() || p.size() != 2 || !p[0].is_number() ||
        !p[1].is_number())
      return Malformed("\"poly\" holds something else than [x, y]");
    polygon.push_back({p[0].get<double>(), p[1].get<double>()});
  }
  return polygon;
}

Result<LabeledLine> Line(const json& object) {
  if (!object.is_object()) return Malformed("a line is not an object");
  LabeledLine line;
  MUNJA_ASSIGN_OR_RETURN(line.text, Text(object, "text"));
  if (const auto it = object.find("poly"); it != object.end()) {
    MUNJA_ASSIGN_OR_RETURN(line.polygon, Polygon(*it));
  }
  if (const auto it = object.find("ignore"); it != object.end())
    line.is_ignored = it->is_boolean() && it->get<bool>();
  return line;
}

Result<LabeledImage> Image(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Malformed("is not a JSON object");
  LabeledImage image;
  MUNJA_ASSIGN_OR_RETURN(image.image, Text(object, "image"));
  const auto lines = object.find("lines");
  if (lines == object.end()) {
    image.is_crop = true;
    MUNJA_ASSIGN_OR_RETURN(image.text, Text(object, "text"));
    return image;
  }
  if (!lines->is_array()) return Malformed("\"lines\" is not a list");
  for (const json& line : *lines) {
    MUNJA_ASSIGN_OR_RETURN(LabeledLine parsed, Line(line));
    image.lines.push_back(std::move(parsed));
  }
  return image;
}

}  // namespace

Result<std::vector<LabeledImage>> ParseLabels(std::string_view jsonl) {
  std::vector<LabeledImage> images;
  for (size_t number = 1; !jsonl.empty(); ++number) {
    const size_t end = jsonl.find('\n');
    const std::string_view line = jsonl.substr(0, end);
    jsonl.remove_prefix(end == std::string_view::npos ? jsonl.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    MUNJA_ASSIGN_OR_RETURN(
        LabeledImage image,
        Image(line).With("labels line " + std::to_string(number)));
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace munja::document
