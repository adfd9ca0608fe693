#include "capi/tools/lists.h"

#include <nlohmann/json.hpp>

#include "capi/runtime/arguments.h"

namespace munja::capi {

Result<std::vector<std::string>> TextsOf(const char* const* texts,
                                         int32_t count, const char* what) {
  if (count < 0 || (count > 0 && texts == nullptr))
    return InvalidArgument(std::string(what) + "_count does not fit the list");
  std::vector<std::string> all;
  for (int32_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr)
      return InvalidArgument(std::string("the ") + what + " " +
                             std::to_string(i) + " is NULL");
    all.emplace_back(texts[i]);
  }
  return all;
}

Status KeepReport(const nlohmann::ordered_json& report, char** text) {
  if (text == nullptr) return Status();
  return CopyText(report.dump(-1, ' ', false,
                              nlohmann::ordered_json::error_handler_t::replace),
                  text);
}

}  // namespace munja::capi
