// Live text: frames in, events out, step by step.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <atomic>
#include <vector>

#include "engine.h"
#include "munja/live.hpp"

// The type of four corners, in signatures.
#define MUNJA_CORNERS                                \
  "tuple[tuple[float, float], tuple[float, float], " \
  "tuple[float, float], tuple[float, float]]"

namespace munja_python {
namespace {

nb::tuple CornersOf(const munja::Polygon& polygon) {
  const auto corner = [&](size_t i) {
    return nb::make_tuple(polygon[i].x, polygon[i].y);
  };
  return nb::make_tuple(corner(0), corner(1), corner(2), corner(3));
}

// kind, line, time, first_time, last_time, text, confidence, polygon, final,
// readings.
nb::list ListOf(const std::vector<munja::LiveEvent>& events) {
  nb::list list;
  for (const munja::LiveEvent& e : events)
    list.append(nb::make_tuple(munja::LiveKindName(e.kind), e.id, e.time,
                               e.first_time, e.last_time, e.text, e.confidence,
                               CornersOf(e.polygon), e.is_final, e.readings));
  return list;
}

class Live {
 public:
  Live(const Engine& engine, const std::optional<std::array<int, 4>>& region,
       double frame_ms, double time_share, int agree_readings, int best_frames,
       int appear_after, int leave_after, std::optional<float> min_confidence,
       double max_gap)
      : engine_(engine.get()) {
    munja::LiveOptions options;
    if (region) {
      const auto [left, top, width, height] = *region;
      options.region = munja::Box{
          static_cast<float>(left), static_cast<float>(top),
          static_cast<float>(left + width), static_cast<float>(top + height)};
    }
    options.frame_ms = frame_ms;
    options.time_share = time_share;
    options.agree_readings = agree_readings;
    options.best_frames = best_frames;
    options.appear_after = appear_after;
    options.leave_after = leave_after;
    options.min_confidence = min_confidence;
    options.max_gap = max_gap;
    live_ = Unwrap(munja::Live::Create(*engine_, std::move(options)));
  }

  nb::list Feed(const Image& image, double time) {
    return Step([&] { return live_->Step(image.image, time); });
  }
  nb::list Finish() {
    return Step([&] { return live_->Finish(); });
  }
  nb::list Boxes() const {
    nb::list list;
    for (const munja::LiveBox& box : live_->boxes())
      list.append(nb::make_tuple(box.id, CornersOf(box.polygon), box.confidence,
                                 box.is_final));
    return list;
  }
  nb::dict Statistics() const {
    const munja_live_statistics s = live_->statistics();
    nb::dict all;
    all["frames"] = s.frames;
    all["read"] = s.read;
    all["unchanged"] = s.unchanged;
    all["unusable"] = s.unusable;
    all["over_budget"] = s.over_budget;
    all["searches"] = s.searches;
    all["lines_read"] = s.lines_read;
    all["restarts"] = s.restarts;
    all["failures"] = s.failures;
    all["gate_ms"] = s.gate_ms;
    all["search_ms"] = s.search_ms;
    all["recognize_ms"] = s.recognize_ms;
    return all;
  }

 private:
  struct Ending {
    std::atomic<bool>& is_busy;
    ~Ending() { is_busy = false; }
  };

  // A stream has one caller at a time.
  template <class F>
  nb::list Step(const F& f) {
    if (is_busy_.exchange(true))
      Raise({MUNJA_INVALID_ARGUMENT,
             "another thread feeds this stream: it takes one at a time"});
    const Ending ending{is_busy_};
    Call call(nullptr);
    return ListOf(Unwrap(call.Run(f)));
  }

  std::shared_ptr<munja::Engine> engine_;  // Outlives the stream.
  std::optional<munja::Live> live_;
  std::atomic<bool> is_busy_{false};
};

}  // namespace

void BindLive(nb::module_& m) {
  nb::class_<Live>(m, "Live")
      .def(nb::init<const Engine&, const std::optional<std::array<int, 4>>&,
                    double, double, int, int, int, int, std::optional<float>,
                    double>(),
           nb::arg("engine"), nb::arg("region").none(), nb::arg("frame_ms"),
           nb::arg("time_share"), nb::arg("agree_readings"),
           nb::arg("best_frames"), nb::arg("appear_after"),
           nb::arg("leave_after"), nb::arg("min_confidence").none(),
           nb::arg("max_gap"))
      .def("feed", &Live::Feed, nb::arg("image"), nb::arg("time"),
           nb::sig("def feed(self, image: Image, time: float) -> list[tuple["
                   "str, int, float, float, float, str, float, " MUNJA_CORNERS
                   ", bool, int]]"))
      .def("finish", &Live::Finish,
           nb::sig("def finish(self) -> list[tuple[str, int, float, float, "
                   "float, str, float, " MUNJA_CORNERS ", bool, int]]"))
      .def("boxes", &Live::Boxes,
           nb::sig("def boxes(self) -> list[tuple[int, " MUNJA_CORNERS
                   ", float, bool]]"))
      .def("statistics", &Live::Statistics,
           nb::sig("def statistics(self) -> dict[str, float]"));
}

}  // namespace munja_python
