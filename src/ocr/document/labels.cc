#include "document/labels.h"

#include <utility>

#include "base/file.h"
#include "document/json_lines.h"

namespace munja::document {
namespace {

using Json = nlohmann::json;

Result<LabeledLine> ParseLabeledLine(const Json& json) {
  LabeledLine line;
  if (!json.is_object()) return Malformed("is not an object");
  MUNJA_ASSIGN_OR_RETURN(line.text, TextMember(json, "text"));
  if (const auto it = json.find("poly"); it != json.end() && !it->is_null()) {
    MUNJA_ASSIGN_OR_RETURN(line.polygon, ParsePoints(*it, "poly"));
  }
  if (const auto it = json.find("ignore"); it != json.end()) {
    if (!it->is_boolean()) return Malformed("\"ignore\" is not true or false");
    line.is_ignored = it->get<bool>();
  }
  return line;
}

Result<LabeledImage> ParsePicture(const Json& json) {
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
    auto parsed = ParseLabeledLine(line);
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
  MUNJA_RETURN_IF_ERROR(ForEachObject(bytes, [&](const Json& json) -> Status {
    MUNJA_ASSIGN_OR_RETURN(LabeledImage picture, ParsePicture(json));
    labels.push_back(std::move(picture));
    return Status();
  }));
  return labels;
}

Result<LabelSet> ReadLabels(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadStream(path, size_t{1} << 28));
  return ParseLabels(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()})
      .With(path);
}

void IgnoreText(std::string_view text, LabelSet* labels) {
  std::erase_if(*labels, [&](const LabeledImage& image) {
    return image.is_crop && image.text == text;
  });
  for (LabeledImage& image : *labels)
    for (LabeledLine& line : image.lines)
      if (line.text == text) line.is_ignored = true;
}

}  // namespace munja::document
