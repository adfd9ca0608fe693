// Live text.
#include "munja/live.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capi/reading/document_arrays.h"
#include "capi/reading/handles.h"
#include "capi/reading/live_options.h"
#include "capi/reading/pixel_args.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "track/live_text.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::CopyQuad;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::track::Event;
using munja::track::LiveOptions;
using munja::track::LiveText;

struct munja_live {
  std::unique_ptr<LiveText> live;
};

extern "C" {

munja_status munja_live_create(munja_engine* engine,
                               const munja_live_options* options,
                               munja_live** live) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(engine, options, live));
        munja_live_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        if (o.callback == nullptr)
          return InvalidArgument("the options have no callback");
        if (!(o.min_confidence >= 0 && o.min_confidence <= 1))
          return InvalidArgument("min_confidence must be 0 to 1");
        MUNJA_ASSIGN_OR_RETURN(LiveOptions wanted,
                               munja::capi::LiveOptionsOf(o));
        std::optional<float> floor;
        if (o.has_min_confidence != 0) floor = o.min_confidence;
        MUNJA_ASSIGN_OR_RETURN(
            auto made,
            LiveText::Create(
                std::make_unique<munja::track::PipelineReader>(engine->pipeline,
                                                               floor),
                std::move(wanted),
                [callback = o.callback, user = o.user](const Event& event) {
                  munja::capi::Deliver(callback, user, event);
                }));
        *live = new munja_live{std::move(made)};
        return Status();
      }));
}

void munja_live_free(munja_live* live) { delete live; }

munja_status munja_live_feed(munja_live* live, const munja_pixels* pixels,
                             double time) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(live, pixels));
    MUNJA_ASSIGN_OR_RETURN(const munja::capi::GivenPixels given,
                           munja::capi::PixelsOf(*pixels));
    return live->live->Feed(given.view, given.quarter_turns, time);
  });
}

munja_status munja_live_finish(munja_live* live) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(live));
    return live->live->Finish();
  });
}

munja_status munja_live_reset(munja_live* live) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(live));
    return live->live->Reset();
  });
}

void munja_live_cancel(munja_live* live) {
  if (live != nullptr) live->live->Cancel();
}

munja_status munja_live_boxes(munja_live* live, munja_live_box* boxes,
                              int32_t capacity, int32_t* count) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(live, count));
    if (capacity < 0 || (capacity > 0 && boxes == nullptr))
      return InvalidArgument("there is no room for ", capacity, " boxes");
    const std::vector<munja::track::TrackedBox> all = live->live->Boxes();
    const size_t written = std::min(all.size(), static_cast<size_t>(capacity));
    for (size_t i = 0; i < written; ++i) {
      boxes[i].id = all[i].id;
      CopyQuad(all[i].quad, boxes[i].polygon);
      boxes[i].confidence = all[i].confidence;
      boxes[i].is_final = all[i].is_final ? 1 : 0;
    }
    *count = static_cast<int32_t>(all.size());
    return Status();
  });
}

munja_status munja_live_get_statistics(munja_live* live,
                                       munja_live_statistics* statistics) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(live, statistics));
    const munja::track::LiveStatistics all = live->live->Statistics();
    munja_live_statistics s = {};
    s.frames = all.frames;
    s.read = all.read;
    s.unchanged = all.unchanged;
    s.unusable = all.unusable;
    s.over_budget = all.over_budget;
    s.dropped = all.dropped;
    s.searches = all.searches;
    s.lines_read = all.lines_read;
    s.restarts = all.restarts;
    s.failures = all.failures;
    s.gate_ms = all.gate_ms;
    s.search_ms = all.search_ms;
    s.recognize_ms = all.recognize_ms;
    s.search_side = all.search_side;
    s.lines = static_cast<int32_t>(all.lines);
    return munja::capi::WriteStruct(s, statistics);
  });
}

}  // extern "C"
