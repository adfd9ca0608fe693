// Each field of the options of live reading changes something that a caller
// sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "capi/tools/reading_testing.h"
#include "munja/live.h"

namespace munja::capi {
namespace {

constexpr double kFrameSeconds = 0.1;

struct Seen {
  munja_live_kind kind;
  double time;
  float bottom, confidence;
  int32_t readings;
};

struct Stream {
  std::vector<Seen> events;
  std::thread::id thread;

  std::vector<Seen> Of(munja_live_kind kind) const {
    std::vector<Seen> some;
    for (const Seen& event : events)
      if (event.kind == kind) some.push_back(event);
    return some;
  }
  double FirstTime(munja_live_kind kind) const {
    const std::vector<Seen> some = Of(kind);
    EXPECT_FALSE(some.empty()) << kind;
    return some.empty() ? -1 : some[0].time;
  }
};

void Keep(void* user, const munja_live_event* event) {
  auto& stream = *static_cast<Stream*>(user);
  stream.thread = std::this_thread::get_id();
  stream.events.push_back({event->kind, event->time,
                           std::max(event->polygon[5], event->polygon[7]),
                           event->confidence, event->readings});
}

// Seconds that go on with each look at the clock.
struct SlowClock {
  double now = 0;
  int calls = 0;
  static double Now(void* context) {
    auto& clock = *static_cast<SlowClock*>(context);
    ++clock.calls;
    return clock.now += 0.05;
  }
};

TEST(LiveOptions, EachField_ChangesSomething) {
  munja_engine_options engine_options = Empty<munja_engine_options>();
  engine_options.model = kDefaultBundle;
  engine_options.threads = 1;
  const EngineHandle engine = CreateEngine(engine_options);
  auto picture = tools::TextPicture(640, 320);
  ASSERT_TRUE(picture.ok());
  const ImageHandle page(new munja_image{std::move(*picture)});
  // The same without the lines of its lower half.
  constexpr size_t kRow = 640 * 3;
  std::vector<uint8_t> half(320 * kRow);
  size_t page_stride = 0;
  const uint8_t* const page_pixels =
      munja_image_pixels(page.get(), &page_stride);
  for (size_t y = 0; y < 320; ++y)
    for (size_t x = 0; x < kRow; ++x)
      half[y * kRow + x] =
          y < 160 ? page_pixels[y * page_stride + x] : page_pixels[x % 3];

  Stream stream, other;
  SlowClock clock;
  munja_live_statistics statistics;
  auto plain = Empty<munja_live_options>();
  plain.callback = Keep;
  plain.user = &stream;
  munja_live_options o = plain;
  // `shown` frames with all lines, then `fewer` ones.
  const auto play = [&](int shown, int fewer = 0, double step = kFrameSeconds) {
    munja_live* made = nullptr;
    ASSERT_EQ(munja_live_create(engine.get(), &o, &made), MUNJA_OK)
        << munja_last_error();
    const Handle<munja_live, munja_live_free> live(made);
    auto pixels = Empty<munja_pixels>();
    pixels.format = MUNJA_PIXELS_RGB;
    pixels.width = 640;
    pixels.height = 320;
    for (int i = 0; i < shown + fewer; ++i) {
      pixels.planes[0] = i < shown ? page_pixels : half.data();
      pixels.strides[0] = i < shown ? page_stride : kRow;
      EXPECT_EQ(munja_live_feed(made, &pixels, i * step), MUNJA_OK)
          << munja_last_error();
    }
    EXPECT_EQ(munja_live_finish(made), MUNJA_OK);
    statistics = Empty<munja_live_statistics>();
    EXPECT_EQ(munja_live_get_statistics(made, &statistics), MUNJA_OK);
  };
  const auto refused = [&] {
    munja_live* made = nullptr;
    const munja_status status = munja_live_create(engine.get(), &o, &made);
    munja_live_free(made);
    return status == MUNJA_INVALID_ARGUMENT;
  };

  const auto begin = [&] {
    o = plain;
    stream = other = {};
    clock = {};
  };
  begin();
  play(8, 6);
  const Stream usual = stream;
  const munja_live_statistics usual_statistics = statistics;
  ASSERT_GT(usual.Of(MUNJA_LIVE_NEW).size(), 1u);
  ASSERT_FALSE(usual.Of(MUNJA_LIVE_FINAL).empty());
  ASSERT_FALSE(usual.Of(MUNJA_LIVE_GONE).empty());
  EXPECT_EQ(usual.thread, std::this_thread::get_id());
  const Rows rows = {
      {"callback",
       [&] {
         o.callback = nullptr;
         EXPECT_TRUE(refused());
       }},
      {"user",
       [&] {
         o.user = &other;
         play(2);
         EXPECT_TRUE(stream.events.empty());
         EXPECT_FALSE(other.events.empty());
       }},
      {"asynchronous",
       [&] {
         o.asynchronous = 1;
         play(2);
         ASSERT_FALSE(stream.events.empty());
         EXPECT_NE(stream.thread, std::this_thread::get_id());
       }},
      {"region",
       [&] {
         o.region[2] = 640;
         o.region[3] = 160;
         play(2);
         const std::vector<Seen> lines = stream.Of(MUNJA_LIVE_NEW);
         EXPECT_FALSE(lines.empty());
         EXPECT_LT(lines.size(), usual.Of(MUNJA_LIVE_NEW).size());
         for (const Seen& line : lines) EXPECT_LE(line.bottom, 160);
         o.region[2] = -1;
         EXPECT_TRUE(refused());
       }},
      {"frame_ms",
       [&] {
         o.frame_ms = 60;
         o.clock = SlowClock::Now;
         o.clock_context = &clock;
         play(8);
         EXPECT_LT(statistics.search_side, usual_statistics.search_side);
         o.frame_ms = -1;
         EXPECT_TRUE(refused());
       }},
      {"time_share",
       [&] {
         o.time_share = 0.01;
         o.clock = SlowClock::Now;
         o.clock_context = &clock;
         play(8);
         EXPECT_GT(statistics.over_budget, 0u);
         EXPECT_EQ(usual_statistics.over_budget, 0u);
         o.time_share = 2;
         EXPECT_TRUE(refused());
       }},
      {"agree_readings",
       [&] {
         o.agree_readings = 1;
         play(8);
         EXPECT_LT(stream.FirstTime(MUNJA_LIVE_FINAL),
                   usual.FirstTime(MUNJA_LIVE_FINAL));
       }},
      {"best_frames",
       [&] {
         o.agree_readings = o.best_frames = 2;
         play(8);
         for (const Seen& line : stream.Of(MUNJA_LIVE_FINAL))
           EXPECT_EQ(line.readings, 2);
         o.best_frames = 51;
         EXPECT_TRUE(refused());
       }},
      {"appear_after",
       [&] {
         o.appear_after = 2;
         play(8);
         EXPECT_GT(stream.FirstTime(MUNJA_LIVE_NEW),
                   usual.FirstTime(MUNJA_LIVE_NEW));
       }},
      {"leave_after",
       [&] {
         o.leave_after = 4;
         play(8, 6);
         EXPECT_GT(stream.FirstTime(MUNJA_LIVE_GONE),
                   usual.FirstTime(MUNJA_LIVE_GONE));
       }},
      {"min_confidence",
       [&] {
         o.has_min_confidence = 1;
         o.min_confidence = 1;
         play(4);
         EXPECT_TRUE(stream.Of(MUNJA_LIVE_NEW).empty());
         o.min_confidence = 1.5f;
         EXPECT_TRUE(refused());
       }},
      {"has_min_confidence",
       [&] {
         o.min_confidence = 1;
         play(4);
         EXPECT_EQ(stream.Of(MUNJA_LIVE_NEW).size(),
                   usual.Of(MUNJA_LIVE_NEW).size());
       }},
      {"max_gap",
       [&] {
         o.max_gap = 0.5;
         play(3, 0, 1.0);
         EXPECT_FALSE(stream.Of(MUNJA_LIVE_RESTARTED).empty());
         EXPECT_TRUE(usual.Of(MUNJA_LIVE_RESTARTED).empty());
       }},
      // And the clock.
      {"clock_context",
       [&] {
         o.clock = SlowClock::Now;
         o.clock_context = &clock;
         play(2);
         EXPECT_GT(clock.calls, 0);
         // A search takes a look at its begin and one at its end.
         EXPECT_GT(statistics.search_ms, 49);
       }},
  };
  CheckAll("live.h", "munja_live_options", rows, begin);
}

}  // namespace
}  // namespace munja::capi
