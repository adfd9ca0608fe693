#include "capi/reading/live_options.h"

#include <algorithm>
#include <functional>

#include "capi/reading/document_arrays.h"
#include "capi/runtime/guard.h"

namespace munja::capi {
namespace {

static_assert(static_cast<int>(track::EventKind::kFailed) == MUNJA_LIVE_FAILED);

Result<geometry::Rect<int>> RegionOf(const int32_t* region) {
  if (std::all_of(region, region + 4, [](int32_t n) { return n == 0; }))
    return geometry::Rect<int>();
  if (region[0] < 0 || region[1] < 0 || region[2] < 1 || region[3] < 1 ||
      region[2] > INT32_MAX - region[0] || region[3] > INT32_MAX - region[1])
    return InvalidArgument(
        "a region is left and top of at least 0, width and height of at least "
        "1");
  return geometry::Rect<int>{region[0], region[1], region[0] + region[2],
                             region[1] + region[3]};
}

}  // namespace

Result<track::LiveOptions> LiveOptionsOf(const munja_live_options& o) {
  const auto or_default = [](int32_t given, int usual) {
    return given != 0 ? given : usual;
  };
  track::LiveOptions options;
  options.rules.agree_readings = or_default(o.agree_readings, 3);
  options.rules.best_frames =
      or_default(o.best_frames, std::max(options.rules.agree_readings, 5));
  options.rules.appear_after = or_default(o.appear_after, 1);
  options.rules.leave_after = or_default(o.leave_after, 2);
  options.asynchronous = o.asynchronous != 0;
  MUNJA_ASSIGN_OR_RETURN(options.region, RegionOf(o.region));
  options.frame_ms = o.frame_ms;
  options.time_share = o.time_share;
  if (o.max_gap != 0) options.max_gap = o.max_gap;
  if (o.clock != nullptr)
    options.clock = [clock = o.clock, context = o.clock_context] {
      return clock(context);
    };
  options.guard = [](const std::function<Status()>& read) {
    return Caught(read);
  };
  return options;
}

void Deliver(munja_live_callback callback, void* user,
             const track::Event& event) {
  munja_live_event e = {};
  e.struct_size = sizeof e;
  e.kind = static_cast<munja_live_kind>(event.kind);
  e.status = static_cast<munja_status>(event.code);
  e.id = event.id;
  e.time = event.time;
  e.first_time = event.first_time;
  e.last_time = event.last_time;
  e.text = event.text.c_str();
  e.confidence = event.confidence;
  CopyQuad(event.quad, e.polygon);
  e.is_final = event.is_final ? 1 : 0;
  e.readings = event.readings;
  callback(user, &e);
}

}  // namespace munja::capi
