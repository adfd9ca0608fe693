#include "track/live_text.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.h"
#include "image/resize.h"
#include "text/edit_distance.h"
#include "track/live_testing.h"

namespace munja::track {
namespace {

constexpr double kFrame = 1.0 / 30;

// A stream that is read, and its events.
struct Player {
  explicit Player(const Recording& from, LiveOptions options = {})
      : recording(from) {
    if (!options.clock) options.clock = [this] { return now.load(); };
    auto made = LiveText::Create(std::make_unique<TruthReader>(from, log),
                                 options, [this](const Event& e) {
                                   const std::lock_guard lock(mutex);
                                   events.push_back(e);
                                   if (on_event) on_event(e);
                                 });
    EXPECT_TRUE(made.ok()) << made.status().message();
    live = std::move(*made);
  }
  Status Feed(size_t i) {
    const Status status = live->Feed(PixelsOf(recording.frame(i)), 0,
                                     static_cast<double>(i) * kFrame);
    now = now.load() + kFrame;
    return status.Clone();
  }
  void Play() {
    for (size_t i = 0; i < recording.size(); ++i)
      EXPECT_TRUE(Feed(i).ok()) << i;
  }
  std::vector<Event> Of(EventKind kind) {
    const std::lock_guard lock(mutex);
    std::vector<Event> found;
    for (const Event& e : events)
      if (e.kind == kind) found.push_back(e);
    return found;
  }

  const Recording& recording;
  ReaderLog log;
  std::atomic<double> now{100};
  std::mutex mutex;
  std::vector<Event> events;
  std::function<void(const Event&)> on_event;
  std::unique_ptr<LiveText> live;  // Ends first.
};

const Affine kMiddle = CameraAt(1200, 800, 0, 1, 1280, 720);

Recording StillRecording(int frames) {
  Recording recording;
  const Scene scene = PageScene();
  for (int i = 0; i < frames; ++i) recording.Add(scene, kMiddle);
  return recording;
}

TEST(LiveText, StillScene_IsReadUntilItIsFinalAndThenNoMore) {
  const Recording recording = StillRecording(30);
  Player player(recording);
  player.Play();
  const size_t lines =
      recording.LinesOf(recording.TruthOf(recording.frame(0).view())).size();
  ASSERT_GT(lines, 0u);
  EXPECT_EQ(player.log.searches, 1);
  EXPECT_EQ(player.log.lines, static_cast<int>(3 * lines));
  EXPECT_EQ(player.Of(EventKind::kNew).size(), lines);
  EXPECT_EQ(player.Of(EventKind::kFinal).size(), lines);
  EXPECT_EQ(player.events.size(), 2 * lines);
  const LiveStatistics s = player.live->Statistics();
  EXPECT_EQ(s.frames, 30u);
  EXPECT_EQ(s.read, 3u);
  EXPECT_EQ(s.unchanged, 27u);
  EXPECT_EQ(s.lines, lines);
}

TEST(LiveText, ReadingsThatNeverAgree_AreNotRepeatedWithoutEnd) {
  const Recording recording = StillRecording(40);
  Player player(recording);
  player.log.misread = [](const std::string& text, int n) {
    return text + std::to_string(n);
  };
  player.Play();
  EXPECT_TRUE(player.Of(EventKind::kFinal).empty());
  EXPECT_LT(player.live->Statistics().read, 15u);
}

// A camera that pans, turns and zooms over the page.
Recording MovingRecording(int frames) {
  Recording recording;
  const Scene scene = PageScene();
  for (int i = 0; i < frames; ++i)
    recording.Add(scene, CameraAt(1000 + 8 * i, 700 + 3 * i, 0.2 * i,
                                  1 + 0.004 * i, 1280, 720));
  return recording;
}

TEST(LiveText, MovingCamera_KeepsLinesAndBoxesFollow) {
  const Recording recording = MovingRecording(40);
  // Reading stops after the first frame: boxes follow the image alone.
  LiveOptions options;
  options.time_share = 1e-6;
  Player player(recording, options);
  player.log.during = [&] { player.now = player.now.load() + 0.01; };
  ASSERT_TRUE(player.Feed(0).ok());
  const std::vector<Event> first = player.Of(EventKind::kNew);
  ASSERT_FALSE(first.empty());
  std::map<uint64_t, std::string> texts;
  for (const Event& e : first) texts[e.id] = e.text;
  double worst = 1;
  for (size_t i = 1; i < 30; ++i) {
    ASSERT_TRUE(player.Feed(i).ok());
    const auto lines =
        recording.LinesOf(recording.TruthOf(recording.frame(i).view()));
    for (const TrackedBox& box : player.live->Boxes())
      for (const auto& [text, quad] : lines)
        if (text == texts[box.id])
          worst = std::min(worst, OverlapOf(box.quad, quad));
  }
  EXPECT_EQ(player.log.searches, 1);
  EXPECT_GT(worst, 0.8);
}

TEST(LiveText, MovingCamera_ReportsEachLineOnce) {
  const Recording recording = MovingRecording(40);
  Player player(recording);
  player.Play();
  ASSERT_TRUE(player.live->Finish().ok());
  std::map<std::string, int> seen;
  for (const Event& e : player.Of(EventKind::kNew)) ++seen[e.text];
  for (const auto& [text, times] : seen) EXPECT_EQ(times, 1) << text;
  EXPECT_GT(seen.size(), 8u);
  EXPECT_TRUE(player.Of(EventKind::kChanged).empty());
  EXPECT_FALSE(player.Of(EventKind::kMoved).empty());
  EXPECT_EQ(player.Of(EventKind::kGone).size(),
            player.Of(EventKind::kNew).size());
}

TEST(LiveText, FinalTextThatIsMisreadTwice_DoesNotChange) {
  Recording recording;
  Scene scene(1300, 740);
  scene.Add({300, 600, 600, 50, "what is said"});
  for (int i = 0; i < 12; ++i) {
    // Something in the line flickers, so that it is read in every frame.
    if (i % 2 == 1) scene.Add({560, 600, 40, 50, "x"});
    recording.Add(scene, {});
    if (i % 2 == 1) scene.Remove();
  }
  Player player(recording);
  int readings = 0;
  player.log.misread = [&](const std::string& text, int) {
    const int n = readings++;
    // The same error twice in a row, as two blurred frames may have it.
    return n == 4 || n == 5 ? "w" + text.substr(2) : text;
  };
  player.Play();
  EXPECT_GT(readings, 8);
  EXPECT_EQ(player.Of(EventKind::kFinal).size(), 1u);
  EXPECT_TRUE(player.Of(EventKind::kChanged).empty());
}

// Blurred by so many pixels.
image::Image Blurred(const image::Image& frame, int pixels) {
  image::Image small =
      image::Image::Create(frame.width() / pixels, frame.height() / pixels)
          .value();
  image::Image out =
      image::Image::Create(frame.width(), frame.height()).value();
  EXPECT_TRUE(image::ResizeArea(frame.view(), small).ok());
  EXPECT_TRUE(image::Resize(small.view(), out).ok());
  return out;
}

// A camera that finds its focus. While it looks for it, a line is seen in part
// and misread, and another one is not seen.
TEST(LiveText, TextOfABlurredImage_IsReadAgainWhenItIsSharp) {
  Scene scene(1280, 720);
  scene.Add({300, 300, 600, 40, "INVOICE DATE 2020"});
  scene.Add({300, 500, 300, 40, "TOTAL 19.08"});
  const Affine still = CameraAt(640, 360, 0, 1, 1280, 720);
  const image::Image sharp = scene.Frame(still, 1280, 720);
  Recording recording;
  for (int i = 0; i < 40; ++i)
    recording.Add(Blurred(sharp, std::max(8 - i / 4, 1)), still,
                  i < 20
                      ? std::vector<SceneLine>{{300, 300, 380, 40, "INUOICE"}}
                      : scene.lines());
  Player player(recording);
  std::map<uint64_t, std::string> held;
  player.on_event = [&](const Event& e) {
    if (e.kind == EventKind::kGone)
      held.erase(e.id);
    else
      held[e.id] = e.text;
  };
  player.Play();
  std::set<std::string> texts;
  for (const auto& [id, text] : held) texts.insert(text);
  EXPECT_EQ(texts, (std::set<std::string>{"INVOICE DATE 2020", "TOTAL 19.08"}));
  // And then it rests.
  EXPECT_LT(player.live->Statistics().read, 30u);
}

TEST(LiveText, TextThatTurnsOutToLieAnotherWay_IsReadAnew) {
  const Recording recording = MovingRecording(12);
  Player player(recording);
  // Upside down until the fourth search.
  player.log.is_turned = [](int search) { return search >= 3; };
  player.log.misread = [&](const std::string& text, int) {
    return player.log.searches <= 3 ? "~" + text : text;
  };
  player.Play();
  ASSERT_GT(player.log.searches, 4);
  std::map<uint64_t, std::string> texts;
  for (const Event& e : player.events) texts[e.id] = e.text;
  const std::vector<TrackedBox> boxes = player.live->Boxes();
  ASSERT_FALSE(boxes.empty());
  for (const TrackedBox& box : boxes) {
    EXPECT_NE(texts[box.id][0], '~');
    EXPECT_LT(box.quad[1].x, box.quad[0].x);
  }
}

TEST(LiveText, SameRecording_GivesTheSameEvents) {
  const Recording recording = MovingRecording(12);
  Player a(recording), b(recording);
  a.Play();
  b.Play();
  ASSERT_EQ(a.events.size(), b.events.size());
  for (size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].kind, b.events[i].kind);
    EXPECT_EQ(a.events[i].id, b.events[i].id);
    EXPECT_EQ(a.events[i].text, b.events[i].text);
    EXPECT_EQ(a.events[i].quad, b.events[i].quad);
  }
}

TEST(LiveText, NoisyReadings_AgreedOnBeatSingleOnes) {
  const Recording recording = StillRecording(12);
  LiveOptions options;
  options.rules.agree_readings = 5;
  Player player(recording, options);
  size_t single_errors = 0;
  player.log.misread = [&](const std::string& text, int n) {
    // One wrong character at a place that differs from reading to reading.
    std::string wrong = text;
    const size_t place = (static_cast<size_t>(n) * 2654435761u >> 7);
    wrong[place % wrong.size()] = '#';
    ++single_errors;
    return wrong;
  };
  player.Play();
  std::map<uint64_t, std::string> last;
  for (const Event& e : player.events) last[e.id] = e.text;
  std::set<std::string> truth;
  for (const auto& [text, quad] :
       recording.LinesOf(recording.TruthOf(recording.frame(0).view())))
    truth.insert(text);
  EXPECT_GT(single_errors, 0u);
  for (const auto& [id, text] : last) EXPECT_TRUE(truth.count(text)) << text;
}

TEST(LiveText, CaptionThatComesAndGoes_HasItsTimes) {
  Recording recording;
  Scene scene(1300, 740);
  for (int i = 0; i < 30; ++i) {
    if (i == 10) scene.Add({300, 600, 600, 50, "first caption"});
    if (i == 20) scene.Remove();
    recording.Add(scene, {});
  }
  Player player(recording);
  player.Play();
  ASSERT_EQ(player.events.size(), 3u);
  EXPECT_EQ(player.events[0].kind, EventKind::kNew);
  EXPECT_EQ(player.events[1].kind, EventKind::kFinal);
  EXPECT_EQ(player.events[2].kind, EventKind::kGone);
  const Event& gone = player.events[2];
  EXPECT_EQ(gone.text, "first caption");
  EXPECT_DOUBLE_EQ(gone.first_time, 10 * kFrame);
  EXPECT_DOUBLE_EQ(gone.last_time, 19 * kFrame);
}

TEST(LiveText, OtherCaptionInTheSamePlace_IsAnotherLine) {
  Recording recording;
  Scene scene(1300, 740);
  scene.Add({300, 600, 600, 50, "what was said first"});
  for (int i = 0; i < 30; ++i) {
    if (i == 10) {
      scene.Remove();
      scene.Add({300, 600, 600, 50, "REPLY 12"});
    }
    recording.Add(scene, {});
  }
  Player player(recording);
  player.Play();
  const std::vector<Event> lines = player.Of(EventKind::kNew);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].id, lines[1].id);
  EXPECT_DOUBLE_EQ(lines[1].first_time, 10 * kFrame);
  ASSERT_EQ(player.Of(EventKind::kGone).size(), 1u);
  EXPECT_EQ(player.Of(EventKind::kGone)[0].id, lines[0].id);
  EXPECT_DOUBLE_EQ(player.Of(EventKind::kGone)[0].last_time, 9 * kFrame);
}

TEST(LiveText, CharacterThatChanges_IsAChangedText) {
  Recording recording;
  Scene scene(1300, 740);
  scene.Add({300, 300, 600, 50, "time 12:03"});
  for (int i = 0; i < 30; ++i) {
    if (i == 10) {
      scene.Remove();
      scene.Add({300, 300, 600, 50, "time 12:04"});
    }
    recording.Add(scene, {});
  }
  Player player(recording);
  player.Play();
  ASSERT_EQ(player.Of(EventKind::kChanged).size(), 1u);
  EXPECT_EQ(player.Of(EventKind::kChanged)[0].text, "time 12:04");
  EXPECT_EQ(player.Of(EventKind::kChanged)[0].id,
            player.Of(EventKind::kNew)[0].id);
  EXPECT_EQ(player.Of(EventKind::kFinal).size(), 2u);
  EXPECT_TRUE(player.Of(EventKind::kGone).empty());
}

TEST(LiveText, SearchThatMissesALineOnce_DoesNotEndIt) {
  const Recording recording = MovingRecording(20);
  Player player(recording);
  player.log.misses = [](int search) { return search == 4; };
  player.Play();
  std::map<std::string, int> seen;
  for (const Event& e : player.Of(EventKind::kNew)) ++seen[e.text];
  for (const auto& [text, times] : seen) EXPECT_EQ(times, 1) << text;
}

TEST(LiveText, AppearAfterTwoSearches_HidesWhatIsFoundOnce) {
  const Recording recording = MovingRecording(20);
  LiveOptions options;
  options.rules.appear_after = 2;
  Player player(recording, options);
  player.log.misses = [](int search) { return search % 2 == 1; };
  player.Play();
  EXPECT_TRUE(player.events.empty());
}

TEST(LiveText, SmallBudget_IsKeptBySmallerSearchesAndFewerLines) {
  const Recording recording = MovingRecording(20);
  LiveOptions options;
  options.frame_ms = 20;
  Player player(recording, options);
  int most = 0, before = 0;
  // A search of 640 pixels takes 20 ms, a line 4 ms.
  player.log.during = [&] {
    const int side = player.log.side;
    player.now = player.now.load() + 0.020 * side * side / (640.0 * 640.0);
  };
  player.log.misread = [&](const std::string& text, int) {
    player.now = player.now.load() + 0.004;
    return text;
  };
  for (size_t i = 0; i < recording.size(); ++i) {
    ASSERT_TRUE(player.Feed(i).ok());
    most = std::max(most, player.log.lines - before);
    before = player.log.lines;
  }
  EXPECT_LE(player.log.side, 480);
  EXPECT_LE(most, 4);
  EXPECT_GT(player.Of(EventKind::kFinal).size(), 3u);
}

TEST(LiveText, TimeShare_LeavesFramesUnread) {
  const Recording recording = MovingRecording(30);
  LiveOptions options;
  options.time_share = 0.25;
  Player player(recording, options);
  int calls = 0;
  player.log.during = [&] {
    ++calls;
    player.now = player.now.load() + 0.0125;
  };
  player.Play();
  EXPECT_GT(player.live->Statistics().over_budget, 0u);
  // The last frame's pause may lie behind the end.
  EXPECT_LE(0.0125 * calls, 0.25 * (player.now - 100) + 0.025);
}

TEST(LiveText, ResolutionOrTimeThatDoesNotGoOn_RestartsAndSaysWhy) {
  const Recording recording = StillRecording(4);
  Recording other(640, 480);
  other.Add(PageScene(), CameraAt(1200, 800, 0, 2, 640, 480));
  Player player(recording);
  ASSERT_TRUE(player.Feed(0).ok());
  const size_t lines = player.Of(EventKind::kNew).size();
  ASSERT_TRUE(player.live->Feed(PixelsOf(other.frame(0)), 0, 0.5).ok());
  ASSERT_EQ(player.Of(EventKind::kRestarted).size(), 1u);
  EXPECT_NE(player.Of(EventKind::kRestarted)[0].text.find("640 x 480"),
            std::string::npos);
  EXPECT_EQ(player.Of(EventKind::kGone).size(), lines);
  ASSERT_TRUE(player.live->Feed(PixelsOf(other.frame(0)), 0, 0.4).ok());
  ASSERT_TRUE(player.live->Feed(PixelsOf(other.frame(0)), 0, 100).ok());
  EXPECT_EQ(player.Of(EventKind::kRestarted).size(), 3u);
  EXPECT_EQ(player.live->Statistics().restarts, 3u);
}

TEST(LiveText, ImpossibleFramesAndOptions_AreRefused) {
  const Recording recording = StillRecording(1);
  Player player(recording);
  const image::PixelView pixels = PixelsOf(recording.frame(0));
  EXPECT_EQ(player.live->Feed(pixels, 0, NAN).code(), Code::kInvalidArgument);
  EXPECT_EQ(player.live->Feed({}, 0, 0).code(), Code::kInvalidArgument);
  EXPECT_EQ(player.live->Statistics().frames, 0u);
  for (const auto& change : std::vector<std::function<void(LiveOptions&)>>{
           [](LiveOptions& o) { o.rules.best_frames = 51; },
           [](LiveOptions& o) { o.rules.agree_readings = 6; },
           [](LiveOptions& o) { o.rules.leave_after = 0; },
           [](LiveOptions& o) { o.frame_ms = -1; },
           [](LiveOptions& o) { o.time_share = 2; },
           [](LiveOptions& o) { o.max_gap = NAN; }}) {
    LiveOptions options;
    change(options);
    ReaderLog log;
    const auto made =
        LiveText::Create(std::make_unique<TruthReader>(recording, log), options,
                         [](const Event&) {});
    EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
  }
}

TEST(LiveText, Region_IsTheOnlyPartThatMatters) {
  Recording recording;
  Scene scene(1300, 740);
  scene.Add({300, 600, 600, 50, "inside"});
  for (int i = 0; i < 12; ++i) {
    if (i >= 6) scene.Add({300, 60, 600, 50, "outside" + std::to_string(i)});
    recording.Add(scene, {});
  }
  LiveOptions options;
  options.region = {0, Recording::kRegionTop, 1280, 720};
  Player player(recording, options);
  player.Play();
  EXPECT_EQ(player.log.searches, 1);
}

TEST(LiveText, FailedSearch_IsAStatusAndTheNextFrameIsRead) {
  const Recording recording = StillRecording(3);
  Player player(recording);
  player.log.fails = [] { return OutOfMemory("no room"); };
  EXPECT_EQ(player.Feed(0).code(), Code::kOutOfMemory);
  player.log.fails = [] { return Status(); };
  EXPECT_TRUE(player.Feed(1).ok());
  EXPECT_FALSE(player.Of(EventKind::kNew).empty());
  EXPECT_EQ(player.live->Statistics().failures, 1u);
}

TEST(LiveText, Cancelled_RefusesFramesUntilReset) {
  const Recording recording = StillRecording(3);
  Player player(recording);
  player.log.during = [&] { player.live->Cancel(); };
  EXPECT_EQ(player.Feed(0).code(), Code::kCancelled);
  player.log.during = [] {};
  EXPECT_EQ(player.Feed(1).code(), Code::kCancelled);
  EXPECT_EQ(player.live->Finish().code(), Code::kCancelled);
  EXPECT_TRUE(player.live->Reset().ok());
  EXPECT_TRUE(player.Feed(2).ok());
  EXPECT_FALSE(player.Of(EventKind::kNew).empty());
}

TEST(LiveText, CancelledAtAnyCall_GoesOnAfterReset) {
  const Recording recording = MovingRecording(6);
  for (int call = 0; call < 8; ++call) {
    Player player(recording);
    int calls = 0;
    player.log.during = [&] {
      if (calls++ == call) player.live->Cancel();
    };
    Status status;
    for (size_t i = 0; i < recording.size() && status.ok(); ++i)
      status = player.Feed(i);
    EXPECT_EQ(status.code(), Code::kCancelled) << call;
    player.events.clear();
    ASSERT_TRUE(player.live->Reset().ok());
    player.Play();
    EXPECT_TRUE(player.live->Finish().ok());
    EXPECT_FALSE(player.Of(EventKind::kNew).empty());
    EXPECT_EQ(player.Of(EventKind::kGone).size(),
              player.Of(EventKind::kNew).size());
  }
}

// One line in all frames, however they look.
class OneLineReader : public TextReader {
 public:
  Result<std::vector<FoundBox>> Search(const image::ImageView& frame, int,
                                       bool) override {
    EXPECT_EQ(frame.width, 640);
    return std::vector<FoundBox>{{kBox}};
  }
  Result<std::vector<LineReading>> Read(
      const image::ImageView&, std::span<const FoundBox> boxes) override {
    return std::vector<LineReading>(boxes.size(), {"one line", 0.9f});
  }

 private:
  static constexpr geometry::Quad kBox = {
      {{100, 200}, {500, 200}, {500, 250}, {100, 250}}};
};

TEST(LiveText, FormatsInTurns_AreOneStream) {
  Scene scene(700, 500);
  scene.Add({100, 200, 400, 50, "one line"});
  const image::Image rgb = scene.Frame({}, 640, 480);
  const image::PixelView pixels = PixelsOf(rgb);
  std::vector<uint8_t> four, gray(640 * 480), chroma(640 * 480 / 2, 128);
  for (int y = 0; y < 480; ++y)
    for (int x = 0; x < 640; ++x) {
      const uint8_t level = rgb.row(y)[3 * x];
      four.insert(four.end(), {level, level, level, 255});
      gray[static_cast<size_t>(y * 640 + x)] = level;
    }
  std::vector<Event> events;
  auto live = LiveText::Create(std::make_unique<OneLineReader>(), {},
                               [&](const Event& e) { events.push_back(e); });
  ASSERT_TRUE(live.ok());
  using image::PixelFormat;
  const PixelFormat kFormats[] = {PixelFormat::kRgb,   PixelFormat::kBgr,
                                  PixelFormat::kRgba,  PixelFormat::kBgra,
                                  PixelFormat::kGray8, PixelFormat::kNv12};
  for (int i = 0; i < 24; ++i) {
    image::PixelView view = pixels;
    view.format = kFormats[i % 6];
    if (i % 6 == 2 || i % 6 == 3) {
      view.planes[0] = four.data();
      view.strides[0] = size_t{4} * 640;
    } else if (i % 6 >= 4) {
      view.planes[0] = gray.data();
      view.planes[1] = chroma.data();
      view.strides[0] = view.strides[1] = 640;
    }
    ASSERT_TRUE((*live)->Feed(view, 0, i * kFrame).ok()) << i;
  }
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::kNew);
  EXPECT_EQ(events[1].kind, EventKind::kFinal);
  EXPECT_EQ((*live)->Statistics().restarts, 0u);
}

TEST(LiveText, TenMinutes_TakeNoMoreMemoryThanOne) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep memory of their own";
  // A camera that goes to and fro: lines leave and come back all the time.
  Recording recording(640, 480);
  const Scene scene = PageScene();
  for (int i = 0; i < 20; ++i)
    recording.Add(
        scene, CameraAt(900 + 30 * std::min(i, 20 - i), 800, 0, 2, 640, 480));
  Player player(recording);
  uint64_t last_id = 0;
  player.on_event = [&](const Event& e) {
    last_id = std::max(last_id, e.id);
    player.events.clear();
  };
  size_t after_one = 0;
  constexpr int kFrames = 10 * 60 * 4;  // Four a second.
  for (int i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(player.live
                    ->Feed(PixelsOf(recording.frame(static_cast<size_t>(i) %
                                                    recording.size())),
                           0, i / 4.0)
                    .ok());
    if (i == kFrames / 10) after_one = mallinfo2().uordblks;
  }
  EXPECT_GT(last_id, 100u);
  // The allocator's own noise.
  EXPECT_LT(mallinfo2().uordblks, after_one + 200'000);
}

// Waits until something is so, as long as a machine may take at most.
template <class Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

LiveOptions Asynchronous() {
  LiveOptions options;
  options.asynchronous = true;
  return options;
}

TEST(AsynchronousLiveText, SlowReader_GetsTheNewestFrame) {
  const Recording recording = MovingRecording(10);
  std::atomic<bool> is_held{true}, is_reading{false};
  Player player(recording, Asynchronous());
  player.log.during = [&] {
    is_reading = true;
    while (is_held) std::this_thread::yield();
  };
  ASSERT_TRUE(player.Feed(0).ok());
  ASSERT_TRUE(Eventually([&] { return is_reading.load(); }));
  // None of these waits for the reader.
  for (size_t i = 1; i < 10; ++i) ASSERT_TRUE(player.Feed(i).ok());
  // Until a line is known, a frame that shows nothing new is not worth one.
  const LiveStatistics held = player.live->Statistics();
  EXPECT_EQ(held.dropped + held.unchanged, 8u);
  EXPECT_GT(held.dropped, 5u);
  is_held = false;
  ASSERT_TRUE(player.live->Finish().ok());
  EXPECT_EQ(player.log.searches, 2);
  const std::vector<Event> events = player.Of(EventKind::kNew);
  ASSERT_FALSE(events.empty());
  std::set<double> times;
  for (const Event& e : player.events)
    if (e.kind != EventKind::kGone && e.kind != EventKind::kMoved)
      times.insert(e.time);
  EXPECT_EQ(times, (std::set<double>{0, 9 * kFrame}));
}

TEST(AsynchronousLiveText, Events_ComeFromOneThread) {
  const Recording recording = MovingRecording(10);
  Player player(recording, Asynchronous());
  std::set<std::thread::id> threads;
  player.on_event = [&](const Event&) {
    threads.insert(std::this_thread::get_id());
  };
  player.Play();
  ASSERT_TRUE(player.live->Finish().ok());
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
  EXPECT_EQ(player.Of(EventKind::kGone).size(),
            player.Of(EventKind::kNew).size());
}

TEST(AsynchronousLiveText, Failure_IsAnEvent) {
  const Recording recording = StillRecording(2);
  Player player(recording, Asynchronous());
  player.log.fails = [] { return Unavailable("the device is lost"); };
  ASSERT_TRUE(player.Feed(0).ok());
  ASSERT_TRUE(player.live->Finish().ok());
  ASSERT_EQ(player.Of(EventKind::kFailed).size(), 1u);
  EXPECT_EQ(player.Of(EventKind::kFailed)[0].code, Code::kUnavailable);
  EXPECT_EQ(player.Of(EventKind::kFailed)[0].text, "the device is lost");
}

TEST(AsynchronousLiveText, CancelledAndFreedWhileReading_Ends) {
  const Recording recording = MovingRecording(6);
  Player player(recording, Asynchronous());
  std::atomic<bool> is_reading{false};
  player.log.during = [&] {
    is_reading = true;
    while (!IsStopped()) std::this_thread::yield();
  };
  ASSERT_TRUE(player.Feed(0).ok());
  ASSERT_TRUE(Eventually([&] { return is_reading.load(); }));
  std::thread other([&] { player.live->Cancel(); });
  EXPECT_EQ(player.live->Finish().code(), Code::kCancelled);
  other.join();
  EXPECT_EQ(player.Feed(1).code(), Code::kCancelled);
  ASSERT_TRUE(player.live->Reset().ok());
  is_reading = false;
  ASSERT_TRUE(player.Feed(2).ok());
  ASSERT_TRUE(Eventually([&] { return is_reading.load(); }));
  player.live = nullptr;
  EXPECT_TRUE(player.events.empty());
}

TEST(AsynchronousLiveText, LookedAtByManyThreads_CountsAllFrames) {
  const Recording recording = MovingRecording(20);
  Player player(recording, Asynchronous());
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!ends) {
        (void)player.live->Boxes();
        (void)player.live->Statistics();
        std::this_thread::yield();
      }
    });
  player.Play();
  ASSERT_TRUE(player.live->Finish().ok());
  ends = true;
  for (std::thread& thread : threads) thread.join();
  const LiveStatistics s = player.live->Statistics();
  EXPECT_EQ(s.frames, 20u);
  EXPECT_EQ(s.read + s.unchanged + s.unusable + s.over_budget + s.dropped, 20u);
}

}  // namespace
}  // namespace munja::track
