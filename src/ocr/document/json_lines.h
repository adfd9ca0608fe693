// JSON Lines from outside: labels and results.
#ifndef MUNJA_DOCUMENT_JSON_LINES_H_
#define MUNJA_DOCUMENT_JSON_LINES_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "geometry/iou.h"

namespace munja::document {

// Calls `take` with the object of each line that is not empty, until it fails.
// kMalformed, and what `take` says, come with the number of the line.
Status ForEachObject(std::string_view bytes,
                     const std::function<Status(const nlohmann::json&)>& take);

// A member that must be there and a string.
Result<std::string> TextMember(const nlohmann::json& object, const char* key);

// [[x, y], ...]; `key` is what messages call it.
Result<std::vector<geometry::PointD>> ParsePoints(const nlohmann::json& json,
                                                  const char* key);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_JSON_LINES_H_
