// Delegates by name.
#include "munja/delegates.h"
#include "munja/devices.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/delegate_args.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/linked.h"

using munja::NotFound;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::runtime::DelegateOption;

extern "C" {

const char* munja_delegate_known(int32_t index) {
  const auto delegates = munja::capi::Linked().delegates;
  return index >= 0 && static_cast<size_t>(index) < delegates.size()
             ? delegates[static_cast<size_t>(index)].name
             : nullptr;
}

munja_status munja_delegate_create(const char* name, const char* const* keys,
                                   const char* const* values, int32_t count,
                                   munja_delegate** delegate) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(name, delegate));
    MUNJA_ASSIGN_OR_RETURN(std::vector<DelegateOption> options,
                           munja::capi::ReadPairs(keys, values, count));
    // "nn:cpu" is nn with device=cpu.
    const std::string_view text(name);
    const size_t colon = std::min(text.find(':'), text.size());
    if (colon < text.size())
      options.insert(options.begin(),
                     {"device", std::string(text.substr(colon + 1))});
    std::string known;
    for (const auto& row : munja::capi::Linked().delegates) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
      if (row.name != text.substr(0, colon)) continue;
      MUNJA_ASSIGN_OR_RETURN(auto made, row.make(options));
      *delegate = new munja_delegate{std::move(made)};
      return Status();
    }
    return NotFound(
        "there is no delegate '" + std::string(name) +
        (known.empty() ? "': this library has none" : "', only " + known));
  });
}

void munja_delegate_free(munja_delegate* delegate) { delete delegate; }

munja_status munja_devices(const char* folders, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(json));
    const auto describe = munja::capi::Linked().describe_devices;
    const std::string text = describe == nullptr
                                 ? "{}"
                                 : describe(folders == nullptr ? "" : folders);
    return munja::capi::CopyText(text, json);
  });
}

}  // extern "C"
