// Options of delegates as the C interface takes them.
#ifndef MUNJA_CAPI_RUNTIME_DELEGATE_ARGS_H_
#define MUNJA_CAPI_RUNTIME_DELEGATE_ARGS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/delegate.h"

namespace munja::capi {

inline Result<std::vector<runtime::DelegateOption>> ReadPairs(
    const char* const* keys, const char* const* values, int32_t count) {
  if (count < 0 || (count > 0 && (keys == nullptr || values == nullptr)))
    return InvalidArgument("count does not fit the options");
  std::vector<runtime::DelegateOption> options;
  for (int32_t i = 0; i < count; ++i) {
    if (keys[i] == nullptr || values[i] == nullptr)
      return InvalidArgument("option " + std::to_string(i) + " is NULL");
    options.push_back({keys[i], values[i]});
  }
  return options;
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_DELEGATE_ARGS_H_
