#include "document/results.h"

#include <utility>

#include "document/json_lines.h"

namespace munja::document {
namespace {

using Json = nlohmann::json;

// A number that may be missing.
Status OptionalNumber(const Json& object, const char* key, double* value) {
  const auto it = object.find(key);
  if (it == object.end()) return Status();
  if (!it->is_number())
    return Malformed(std::string("\"") + key + "\" is not a number");
  *value = it->get<double>();
  return Status();
}

Result<Line> ParseReadLine(const Json& json) {
  if (!json.is_object()) return Malformed("is not an object");
  Line line;
  MUNJA_ASSIGN_OR_RETURN(line.text, TextMember(json, "text"));
  const auto it = json.find("polygon");
  if (it == json.end()) return Malformed("has no \"polygon\"");
  MUNJA_ASSIGN_OR_RETURN(const auto points, ParsePoints(*it, "polygon"));
  if (points.size() != line.polygon.size())
    return Malformed("\"polygon\" has not four points");
  for (size_t i = 0; i < points.size(); ++i)
    line.polygon[i] = {static_cast<float>(points[i].x),
                       static_cast<float>(points[i].y)};
  double confidence = 0;
  MUNJA_RETURN_IF_ERROR(OptionalNumber(json, "confidence", &confidence));
  line.confidence = static_cast<float>(confidence);
  return line;
}

Result<Document> ParseDocument(const Json& json) {
  Document document;
  MUNJA_ASSIGN_OR_RETURN(document.source, TextMember(json, "source"));
  if (const auto times = json.find("timing_ms"); times != json.end()) {
    if (!times->is_object()) return Malformed("\"timing_ms\" is not an object");
    MUNJA_RETURN_IF_ERROR(
        OptionalNumber(*times, "total", &document.timing.total));
  }
  const auto lines = json.find("lines");
  if (lines == json.end()) {
    Line line;
    MUNJA_ASSIGN_OR_RETURN(line.text, TextMember(json, "text"));
    document.lines.push_back(std::move(line));
    return document;
  }
  if (!lines->is_array()) return Malformed("\"lines\" is not an array");
  for (const Json& line : *lines) {
    auto parsed = ParseReadLine(line);
    if (!parsed.ok()) {
      return std::move(parsed).TakeStatus().With(
          "\"lines\"[" + std::to_string(document.lines.size()) + "]");
    }
    document.lines.push_back(std::move(parsed).value());
  }
  return document;
}

}  // namespace

Result<std::vector<Document>> ParseResults(std::string_view bytes) {
  std::vector<Document> results;
  MUNJA_RETURN_IF_ERROR(ForEachObject(bytes, [&](const Json& json) -> Status {
    MUNJA_ASSIGN_OR_RETURN(Document document, ParseDocument(json));
    results.push_back(std::move(document));
    return Status();
  }));
  return results;
}

namespace {

// Whether `path` is `tail`, or names it at the end in whole components.
bool EndsWithPath(std::string_view path, std::string_view tail) {
  if (!path.ends_with(tail)) return false;
  const size_t before = path.size() - tail.size();
  return before == 0 || path[before - 1] == '/' || tail.starts_with('/');
}

}  // namespace

const Document* FindResult(const std::vector<Document>& results,
                           std::string_view image) {
  for (auto it = results.rbegin(); it != results.rend(); ++it)
    if (EndsWithPath(it->source, image)) return &*it;
  return nullptr;
}

}  // namespace munja::document
