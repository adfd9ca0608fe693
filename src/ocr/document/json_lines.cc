#include "document/json_lines.h"

#include <cmath>
#include <utility>

#include "base/json_end.h"

namespace munja::document {
namespace {

using Json = nlohmann::json;

// Deep enough for what such files hold; the parser below recurses on nothing,
// but destroying a deep value would.
constexpr int kMaxNesting = 16;
// Beyond it no image has coordinates.
constexpr double kMaxCoordinate = 1e9;

Result<Json> ParseObject(std::string_view text) {
  bool is_too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep |= depth > kMaxNesting;
    return depth <= kMaxNesting;
  };
  Json json = Json::parse(text, limit_depth, /*allow_exceptions=*/false);
  if (is_too_deep) return Malformed("is nested too deeply");
  if (json.is_discarded()) return Malformed("is not JSON");
  if (!json.is_object()) return Malformed("is not a JSON object");
  return json;
}

Status TakeLine(std::string_view line,
                const std::function<Status(const Json&)>& take) {
  MUNJA_ASSIGN_OR_RETURN(Json json, ParseObject(line));
  const TakenApartAtEnd end(json);
  return take(json);
}

}  // namespace

Status ForEachObject(std::string_view bytes,
                     const std::function<Status(const Json&)>& take) {
  for (size_t number = 1; !bytes.empty(); ++number) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Status status = TakeLine(line, take);
    if (!status.ok())
      return std::move(status).With("line " + std::to_string(number));
  }
  return Status();
}

Result<std::string> TextMember(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end())
    return Malformed(std::string("has no \"") + key + "\"");
  if (!it->is_string())
    return Malformed(std::string("\"") + key + "\" is not a string");
  return it->get<std::string>();
}

Result<std::vector<geometry::PointD>> ParsePoints(const Json& json,
                                                  const char* key) {
  const std::string name = std::string("\"") + key + "\"";
  if (!json.is_array()) return Malformed(name + " is not an array");
  std::vector<geometry::PointD> points;
  for (const Json& point : json) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() ||
        !point[1].is_number()) {
      return Malformed(name + " has a point that is not two numbers");
    }
    const geometry::PointD p = {point[0].get<double>(), point[1].get<double>()};
    if (!(std::abs(p.x) <= kMaxCoordinate && std::abs(p.y) <= kMaxCoordinate))
      return Malformed(name + " has a coordinate out of range");
    points.push_back(p);
  }
  return points;
}

}  // namespace munja::document
