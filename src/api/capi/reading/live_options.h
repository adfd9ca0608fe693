// The structs of munja/live.h and those of the library.
#ifndef MUNJA_CAPI_READING_LIVE_OPTIONS_H_
#define MUNJA_CAPI_READING_LIVE_OPTIONS_H_

#include "base/status.h"
#include "munja/live.h"
#include "track/live_text.h"

namespace munja::capi {

// kInvalidArgument for a region that is none.
Result<track::LiveOptions> LiveOptionsOf(const munja_live_options& options);

// Calls the caller's function with the event, which is valid until it returns.
void Deliver(munja_live_callback callback, void* user,
             const track::Event& event);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_LIVE_OPTIONS_H_
