// Lines: the lines of a stream, their places, readings and events.
#ifndef MUNJA_TRACK_LINES_H_
#define MUNJA_TRACK_LINES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "geometry/quad.h"
#include "track/affine.h"
#include "track/change.h"
#include "track/gray_frame.h"

namespace munja::track {

// As munja_live_kind.
enum class EventKind : int32_t {
  kNew,
  kChanged,
  kMoved,
  kFinal,
  kGone,
  kRestarted,
  kFailed
};

struct Event {
  EventKind kind = EventKind::kNew;
  Code code = Code::kOk;  // kFailed: why.
  uint64_t id = 0;
  double time = 0, first_time = 0, last_time = 0;
  std::string text;
  float confidence = 0;
  geometry::Quad quad{};  // In the frame of `time`.
  bool is_final = false;
  int readings = 0;
};

struct LineRules {
  int agree_readings = 3;
  int best_frames = 5;
  int appear_after = 1;
  int leave_after = 2;
};

// A frame, and where it lies in the world: the plane that the first frame of
// the stream showed, as far as the camera's motion is known.
struct Place {
  double time = 0;
  Affine to_world;
  int width = 0, height = 0;
};

// A box that a search found.
struct FoundBox {
  geometry::Quad quad{};
  bool is_low_score = false;  // It counts if it is read with confidence.
};

struct LineReading {
  std::string text;  // Empty: there is no text.
  float confidence = 0;
};

// A line's box in the newest frame.
struct TrackedBox {
  uint64_t id = 0;
  geometry::Quad quad{};
  float confidence = 0;
  bool is_final = false;
};

class Lines {
 public:
  explicit Lines(const LineRules& rules) : rules_(rules) {}

  // A new frame; `changes` since the last search, null: the frame tells
  // nothing. Lines outside of it are gone.
  void OnFrame(const Place& frame, const ChangeMap* changes,
               std::vector<Event>* events);
  // All lines found in a frame.
  void OnSearch(const Place& frame, std::span<const FoundBox> found,
                std::vector<Event>* events);
  // The lines of a frame that are worth a reading, the most urgent first.
  struct Wanted {
    uint64_t id = 0;
    FoundBox box;
    float sharpness = 0;  // As SharpnessIn() has it.
  };
  std::vector<Wanted> ToRead(const Place& frame, const GrayFrame& gray) const;
  // Among readings of equal confidence the sharper ones are kept.
  void OnReading(const Place& frame, const Wanted& line,
                 const LineReading& reading, std::vector<Event>* events);
  // A search can tell whether a line appears or leaves.
  bool WantsSearch() const;
  // The end of the stream: all lines are gone.
  void Finish(const Place& last, std::vector<Event>* events);
  void Forget() { lines_.clear(); }

  std::vector<TrackedBox> Boxes(const Place& frame) const;
  size_t reported() const;

 private:
  struct Kept {
    std::string text;
    float confidence = 0, sharpness = 0;
    double time = 0;
  };
  struct Line {
    uint64_t id = 0;
    geometry::Quad world{};
    double first_time = 0, last_time = 0;
    int found = 0, missed = 0;  // By searches; missed: by the last ones.
    int reads = 0;              // Since it changed.
    float sharpest = 0;         // The sharpest of its readings.
    bool is_reported = false, is_final = false;
    bool is_settled = false;    // More readings of the same image tell no more.
    bool is_stale = false;      // Its image changed since it was read.
    bool is_low_score = false;  // Its box, when it was found last.
    std::vector<Kept> kept;     // The best readings, the best first.
    std::vector<Kept> fresh;    // Since it is stale, if they are others.
    std::string text;
    float confidence = 0;
    geometry::Point reported_at{};  // Its center at the last event.
  };

  Line* Find(uint64_t id);
  Line* SameLineElsewhere(const Line& line, const Kept& reading);
  void Keep(const Kept& reading, Line* line) const;
  void Agree(Line* line) const;
  void TakeFresh(const Place& frame, Line* line, std::vector<Event>* events);
  void ReadNothing(const Place& frame, Line* line, std::vector<Event>* events);
  void Report(const Place& frame, bool had_text, const std::string& old_text,
              bool was_final, Line* line, std::vector<Event>* events);
  static void Emit(EventKind kind, const Place& frame, Line* line,
                   std::vector<Event>* events);
  static bool IsIn(const Place& frame, const geometry::Quad& quad);

  LineRules rules_;
  uint64_t last_id_ = 0;
  std::vector<Line> lines_;
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_LINES_H_
