// LiveText: text in the frames of a stream. Start reading here.
//
// Each frame costs a small gray copy, from which the camera's motion and the
// changed tiles follow. If there is something to read in it, the frame becomes
// a job: a search for lines, then readings of those that changed or are not
// final. Jobs run in the caller's thread, or in one of their own, which takes
// the newest.
#ifndef MUNJA_TRACK_LIVE_TEXT_H_
#define MUNJA_TRACK_LIVE_TEXT_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/control.h"
#include "base/status.h"
#include "geometry/rect.h"
#include "image/image.h"
#include "image/pixels.h"
#include "track/budget.h"
#include "track/camera.h"
#include "track/lines.h"
#include "track/text_reader.h"

namespace munja::track {

struct LiveOptions {
  LineRules rules;
  bool asynchronous = false;
  geometry::Rect<int> region;  // Empty: the whole frame.
  double frame_ms = 0, time_share = 0;
  double max_gap = 10;            // Seconds.
  std::function<double()> clock;  // Seconds; null: the system's.
  // Calls what reads a frame in the thread of its own, and turns exceptions
  // into a failure. Null: there are none.
  std::function<Status(const std::function<Status()>&)> guard;
};

// As munja_live_statistics.
struct LiveStatistics {
  uint64_t frames = 0, read = 0, unchanged = 0, unusable = 0, over_budget = 0;
  uint64_t dropped = 0, searches = 0, lines_read = 0, restarts = 0;
  uint64_t failures = 0;
  double gate_ms = 0, search_ms = 0, recognize_ms = 0;
  int search_side = 0;
  size_t lines = 0;
};

// Feed(), Finish() and Reset() by one thread at a time; the others by any.
class LiveText {
 public:
  using Sink = std::function<void(const Event&)>;
  // kInvalidArgument: an option outside of its range.
  static Result<std::unique_ptr<LiveText>> Create(
      std::unique_ptr<TextReader> reader, LiveOptions options, Sink sink);
  ~LiveText();
  LiveText(const LiveText&) = delete;
  LiveText& operator=(const LiveText&) = delete;

  // `quarter_turns`: clockwise ones that make the pixels upright.
  Status Feed(const image::PixelView& pixels, int quarter_turns, double time);
  Status Finish();
  Status Reset();
  void Cancel();
  std::vector<TrackedBox> Boxes();
  LiveStatistics Statistics();

 private:
  struct Job {
    image::Image image;
    std::shared_ptr<const GrayFrame> gray;
    Place place;
    uint64_t stream = 0;
  };

  LiveText(std::unique_ptr<TextReader> reader, LiveOptions options, Sink sink);
  double Now() const;
  Status CheckCancelled();
  // Starts anew if this frame does not continue the stream.
  void CheckContinuity(int width, int height, double time);
  bool IsUsable(const GrayFrame& gray, const Camera::Pose& pose,
                const ChangeMap& changes, double time);
  // Changes since the last search. With the lock.
  ChangeMap ChangesOf(const GrayFrame& gray, const Place& place) const;
  // Whether a search of this frame may find other lines. With the lock.
  bool IsWorthSearch(const GrayFrame& gray, const ChangeMap& changes) const;
  // Reads a job. The lock is held when it is called and when it returns.
  Status Run(Job& job, std::unique_lock<std::mutex>& lock);
  Status SearchFrame(const Job& job, std::unique_lock<std::mutex>& lock);
  Status ReadLines(const Job& job, double begin,
                   std::unique_lock<std::mutex>& lock);
  // Events to the sink, which is called without the lock.
  void Deliver(std::unique_lock<std::mutex>& lock);
  void Work();
  void ForgetStream();

  const std::unique_ptr<TextReader> reader_;
  const LiveOptions options_;
  const Sink sink_;
  Control control_;
  std::atomic<bool> is_cancelled_{false};

  // The feeding thread's own.
  Camera camera_;
  double sharpest_ = 0;
  double usable_time_ = 0;  // When the last usable frame came.

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  bool ends_ = false, is_busy_ = false;
  std::optional<Job> slot_;  // The newest frame to read.
  uint64_t stream_ = 1;      // Results of jobs of other streams are ignored.
  std::optional<Place> newest_;
  // The frame of the last search, and where it was.
  std::shared_ptr<const GrayFrame> searched_;
  Affine searched_to_world_;
  Lines lines_;
  Budget budget_;
  std::vector<Event> events_;
  LiveStatistics statistics_;
  std::thread worker_;
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_LIVE_TEXT_H_
