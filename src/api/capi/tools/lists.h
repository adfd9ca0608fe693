// Texts, lists of them and reports of the C interface of the tools.
#ifndef MUNJA_CAPI_TOOLS_LISTS_H_
#define MUNJA_CAPI_TOOLS_LISTS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::capi {

// "" for NULL.
inline std::string TextOf(const char* text) {
  return text != nullptr ? text : "";
}

// kInvalidArgument names `what`: the count does not fit, or an entry is NULL.
Result<std::vector<std::string>> TextsOf(const char* const* texts,
                                         int32_t count, const char* what);

// A copy of the report for munja_free(); `text` may be null.
Status KeepReport(const nlohmann::ordered_json& report, char** text);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_TOOLS_LISTS_H_
