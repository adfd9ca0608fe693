// C++20 over munja/live.h: text in the frames of a camera or a video. Part of
// munja/munja.hpp.
//
//   munja::Live live(engine);
//   while (NextFrame(&image, &seconds))
//     for (const munja::LiveEvent& event : live.Step(image, seconds).value())
//       Use(event.kind, event.id, event.text);
//   for (const munja::LiveEvent& event : live.Finish().value()) ...
//
// or, with reading in a thread of the library,
//
//   munja::Live live(engine, {.on_event = Use, .asynchronous = true});
//   while (NextFrame(&pixels, &seconds)) {
//     munja::Check(live.Feed(pixels, seconds));
//     Draw(live.boxes());
//   }
#ifndef MUNJA_LIVE_HPP_
#define MUNJA_LIVE_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "munja/live.h"
#include "munja/munja.hpp"
#include "munja/result.hpp"

namespace munja {
inline namespace v0 {

// See munja_live_event.
struct LiveEvent {
  munja_live_kind kind = MUNJA_LIVE_NEW;
  Status status = {};                              // MUNJA_LIVE_FAILED: why.
  uint64_t id = 0;                                 // 0: an event of the stream.
  double time = 0, first_time = 0, last_time = 0;  // Seconds.
  std::string text = {};
  float confidence = 0;
  Polygon polygon = {};
  bool is_final = false;
  int readings = 0;
};

// "new", "changed", "moved", "final", "gone", "restarted" or "failed".
inline const char* LiveKindName(munja_live_kind kind) {
  constexpr std::array<const char*, 7> kNames = {
      "new", "changed", "moved", "final", "gone", "restarted", "failed"};
  const auto index = static_cast<size_t>(kind);
  return index < kNames.size() ? kNames[index] : "unknown";
}

// See munja_live_box.
struct LiveBox {
  uint64_t id = 0;
  Polygon polygon = {};
  float confidence = 0;
  bool is_final = false;
};

// See munja_live_options, which has the defaults for 0.
struct LiveOptions {
  // Required if asynchronous; also called for events of Step(). Must not
  // throw.
  std::function<void(const LiveEvent&)> on_event = nullptr;
  bool asynchronous = false;
  std::optional<Box> region = std::nullopt;  // Whole pixels.
  double frame_ms = 0, time_share = 0;
  int agree_readings = 0, best_frames = 0;
  int appear_after = 0, leave_after = 0;
  std::optional<float> min_confidence = std::nullopt;
  double max_gap = 0;                       // Seconds.
  std::function<double()> clock = nullptr;  // Must not throw.
};

// A stream of frames; thread rules are those of munja/live.h. The engine must
// outlive it.
class Live {
 public:
  // Throws Error.
  explicit Live(Engine& engine, LiveOptions options = {})
      : Live(Create(engine, std::move(options)).value()) {}
  static Result<Live> Create(Engine& engine, LiveOptions options = {}) {
    Live made;
    made.state_ = std::make_unique<State>();
    State& state = *made.state_;
    state.options = std::move(options);
    const LiveOptions& from = state.options;
    if (from.asynchronous && !from.on_event)
      return Status(MUNJA_INVALID_ARGUMENT, "on_event is required");
    munja_live_options o = {};
    o.struct_size = sizeof o;
    o.callback = OnEvent;
    o.user = &state;
    o.asynchronous = from.asynchronous ? 1 : 0;
    if (from.region) {
      o.region[0] = static_cast<int32_t>(from.region->left);
      o.region[1] = static_cast<int32_t>(from.region->top);
      o.region[2] = static_cast<int32_t>(from.region->width());
      o.region[3] = static_cast<int32_t>(from.region->height());
    }
    o.frame_ms = from.frame_ms;
    o.time_share = from.time_share;
    o.agree_readings = from.agree_readings;
    o.best_frames = from.best_frames;
    o.appear_after = from.appear_after;
    o.leave_after = from.leave_after;
    o.has_min_confidence = from.min_confidence.has_value() ? 1 : 0;
    o.min_confidence = from.min_confidence.value_or(0.0f);
    o.max_gap = from.max_gap;
    if (from.clock) {
      o.clock_context = &state;
      o.clock = [](void* context) {
        return static_cast<State*>(context)->options.clock();
      };
    }
    munja_live* live = nullptr;
    const Status status = StatusOf(munja_live_create(engine.get(), &o, &live));
    if (!status.ok()) return status;
    made.handle_.reset(live);
    return made;
  }

  // Reads a frame and returns its events. Not if asynchronous.
  Result<std::vector<LiveEvent>> Step(const Pixels& pixels, double time) {
    return Collect([&] { return Feed(pixels, time); });
  }
  Result<std::vector<LiveEvent>> Step(const Image& image, double time) {
    return Step(PixelsOf(image), time);
  }
  // The next frame; the events go to on_event.
  Status Feed(const Pixels& pixels, double time) {
    const munja_pixels p = internal::Native(pixels);
    return StatusOf(munja_live_feed(get(), &p, time));
  }
  Status Feed(const Image& image, double time) {
    return Feed(PixelsOf(image), time);
  }
  // The end of the stream: its last events. If asynchronous, or if there is
  // on_event, they go there as well.
  Result<std::vector<LiveEvent>> Finish() {
    const auto finish = [&] { return StatusOf(munja_live_finish(get())); };
    if (!state_->options.asynchronous) return Collect(finish);
    const Status status = finish();
    if (!status.ok()) return status;
    return std::vector<LiveEvent>();
  }
  Status Reset() { return StatusOf(munja_live_reset(get())); }
  void Cancel() { munja_live_cancel(get()); }
  // In the newest frame.
  std::vector<LiveBox> boxes() const {
    std::vector<munja_live_box> native(32);
    int32_t count = 0;
    for (;;) {
      Check(munja_live_boxes(get(), native.data(),
                             static_cast<int32_t>(native.size()), &count));
      if (static_cast<size_t>(count) <= native.size()) break;
      native.resize(static_cast<size_t>(count));
    }
    std::vector<LiveBox> all;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const munja_live_box& box = native[i];
      all.push_back({box.id, internal::PolygonOf(box.polygon), box.confidence,
                     box.is_final != 0});
    }
    return all;
  }
  munja_live_statistics statistics() const {
    munja_live_statistics statistics = {};
    statistics.struct_size = sizeof statistics;
    Check(munja_live_get_statistics(get(), &statistics));
    return statistics;
  }
  munja_live* get() const { return handle_.get(); }

 private:
  // Its address is the C object's `user`.
  struct State {
    LiveOptions options;
    std::vector<LiveEvent>* collected = nullptr;  // By a Step() in progress.
  };

  Live() = default;
  static void OnEvent(void* user, const munja_live_event* event) {
    const State& state = *static_cast<const State*>(user);
    LiveEvent e;
    e.kind = event->kind;
    if (event->status != MUNJA_OK)
      e.status = Status(event->status, event->text);
    e.id = event->id;
    e.time = event->time;
    e.first_time = event->first_time;
    e.last_time = event->last_time;
    e.text = event->text;
    e.confidence = event->confidence;
    e.polygon = internal::PolygonOf(event->polygon);
    e.is_final = event->is_final != 0;
    e.readings = event->readings;
    if (state.options.on_event) state.options.on_event(e);
    if (state.collected != nullptr) state.collected->push_back(std::move(e));
  }
  static Pixels PixelsOf(const Image& image) {
    Pixels pixels;
    pixels.width = image.width();
    pixels.height = image.height();
    size_t stride = 0;
    pixels.planes[0] = munja_image_pixels(image.get(), &stride);
    pixels.strides[0] = stride;
    return pixels;
  }
  template <class Call>
  Result<std::vector<LiveEvent>> Collect(const Call& call) {
    if (state_->options.asynchronous)
      return Status(MUNJA_INVALID_ARGUMENT,
                    "Step() is for streams that are not asynchronous: use "
                    "Feed()");
    std::vector<LiveEvent> events;
    state_->collected = &events;
    const Status status = call();
    state_->collected = nullptr;
    if (!status.ok()) return status;
    return events;
  }

  std::unique_ptr<State> state_;
  Handle<munja_live, munja_live_free> handle_;
};

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_LIVE_HPP_
