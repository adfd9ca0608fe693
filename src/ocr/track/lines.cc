#include "track/lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "geometry/iou.h"
#include "geometry/rect.h"
#include "track/vote.h"

namespace munja::track {
namespace {

using geometry::Quad;

// Boxes of one line overlap at least so much from search to search.
constexpr double kSameBox = 0.3;
// A text more like another than this is the same line with errors.
constexpr float kSameText = 0.5f;
// Readings of a line that moved to where no motion puts it agree so much.
constexpr float kSameLine = 0.8f;
// One reading that has so little in common with the text replaces it.
constexpr float kOtherText = 0.3f, kConfident = 0.8f;
// Readings of an image that do not agree are settled after so many more than
// are combined.
constexpr int kMoreReadings = 4;
// An image that is sharper by this factor is worth another reading, and
// readings of such as are less sharp than this part of it have no vote.
constexpr float kSharper = 1.2f, kAsSharp = 0.75f;
// A box that overlaps less with the line's holds another part of it.
constexpr double kOtherPart = 0.7;

double Overlap(const Quad& a, const Quad& b) {
  std::array<geometry::PointD, 4> p, q;
  for (size_t i = 0; i < 4; ++i) {
    p[i] = {static_cast<double>(a[i].x), static_cast<double>(a[i].y)};
    q[i] = {static_cast<double>(b[i].x), static_cast<double>(b[i].y)};
  }
  return geometry::IntersectionOverUnion(p, q);
}

// The share of `inner` that lies in `outer`.
double ShareInside(const Quad& inner, const Quad& outer) {
  const double iou = Overlap(inner, outer);
  const auto a = static_cast<double>(geometry::Area(inner)),
             b = static_cast<double>(geometry::Area(outer));
  return a > 0 ? iou * (a + b) / (1 + iou) / a : 0;
}

geometry::Point CenterOf(const Quad& quad) {
  return (quad[0] + quad[1] + quad[2] + quad[3]) * 0.25f;
}

// Whether both quads run in about the same direction.
bool StartAlike(const Quad& a, const Quad& b) {
  const geometry::Point p = a[1] - a[0], q = b[1] - b[0];
  return p.x * q.x + p.y * q.y > 0;
}

Quad Between(const Quad& a, const Quad& b) {
  Quad mean;
  for (size_t i = 0; i < 4; ++i) mean[i] = (a[i] + b[i]) * 0.5f;
  return mean;
}

}  // namespace

bool Lines::IsIn(const Place& frame, const Quad& quad) {
  const geometry::Point c = CenterOf(quad);
  return c.x >= 0 && c.y >= 0 && c.x < static_cast<float>(frame.width) &&
         c.y < static_cast<float>(frame.height);
}

Lines::Line* Lines::Find(uint64_t id) {
  for (Line& line : lines_)
    if (line.id == id) return &line;
  return nullptr;
}

void Lines::Emit(EventKind kind, const Place& frame, Line* line,
                 std::vector<Event>* events) {
  Event event;
  event.kind = kind;
  event.id = line->id;
  event.time = frame.time;
  event.first_time = line->first_time;
  event.last_time = std::min(line->last_time, frame.time);
  event.text = line->text;
  event.confidence = line->confidence;
  event.quad = Inverse(frame.to_world)(line->world);
  event.is_final = line->is_final;
  event.readings = static_cast<int>(line->kept.size());
  line->reported_at = CenterOf(event.quad);
  events->push_back(std::move(event));
}

void Lines::OnFrame(const Place& frame, const ChangeMap* changes,
                    std::vector<Event>* events) {
  const Affine from_world = Inverse(frame.to_world);
  const geometry::Rect<float> whole = {0, 0, static_cast<float>(frame.width),
                                       static_cast<float>(frame.height)};
  std::erase_if(lines_, [&](Line& line) {
    const Quad quad = from_world(line.world);
    const geometry::Rect<float> bounds = geometry::BoundsOf(quad);
    if (geometry::Intersection(bounds, whole).area() <= 0) {
      if (line.is_reported) Emit(EventKind::kGone, frame, &line, events);
      return true;
    }
    if (changes != nullptr) {
      if (changes->AnyIn(bounds)) {
        if (!line.is_stale) line.reads = 0;
        line.is_stale = true;
        line.is_settled = false;
      } else if (!line.is_stale) {
        line.last_time = frame.time;
      }
    }
    const geometry::Point moved = CenterOf(quad) - line.reported_at;
    if (line.is_reported &&
        geometry::Length(moved) > geometry::ShorterSide(quad) / 2)
      Emit(EventKind::kMoved, frame, &line, events);
    return false;
  });
}

void Lines::OnSearch(const Place& frame, std::span<const FoundBox> found,
                     std::vector<Event>* events) {
  const Affine from_world = Inverse(frame.to_world);
  struct Pair {
    double overlap;
    size_t line, quad;
  };
  std::vector<Quad> here;
  for (const Line& line : lines_) here.push_back(from_world(line.world));
  std::vector<Pair> pairs;
  for (size_t i = 0; i < here.size(); ++i)
    for (size_t j = 0; j < found.size(); ++j) {
      const double overlap = Overlap(here[i], found[j].quad);
      if (overlap >= kSameBox) pairs.push_back({overlap, i, j});
    }
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const Pair& a, const Pair& b) { return a.overlap > b.overlap; });
  std::vector<char> has_quad(lines_.size(), 0), is_taken(found.size(), 0);
  for (const Pair& pair : pairs) {
    if (has_quad[pair.line] != 0 || is_taken[pair.quad] != 0) continue;
    has_quad[pair.line] = is_taken[pair.quad] = 1;
    Line& line = lines_[pair.line];
    // Boxes of a line whose image is the same differ by noise only.
    const Quad& quad = found[pair.quad].quad;
    const bool is_turned = !StartAlike(here[pair.line], quad);
    line.world =
        frame.to_world(pair.overlap > 0.8 && !line.is_stale && !is_turned
                           ? Between(here[pair.line], quad)
                           : quad);
    // Its text turns out to lie another way, or to be longer.
    if (is_turned || pair.overlap < kOtherPart) {
      line.is_stale = true;
      line.is_settled = false;
      line.reads = 0;
    }
    line.is_low_score = found[pair.quad].is_low_score;
    ++line.found;
    line.missed = 0;
    if (!line.is_stale) line.last_time = std::max(line.last_time, frame.time);
  }
  size_t index = 0;
  std::erase_if(lines_, [&](Line& line) {
    const size_t i = index++;
    if (has_quad[i] != 0 || !IsIn(frame, here[i])) return false;
    // The detector may miss a line whose image is the same.
    if (line.is_reported && !line.is_stale) return false;
    ++line.missed;
    if (line.is_reported && line.missed < rules_.leave_after) return false;
    if (line.is_reported) Emit(EventKind::kGone, frame, &line, events);
    return true;
  });
  const size_t known = lines_.size();
  for (size_t j = 0; j < found.size(); ++j) {
    if (is_taken[j] != 0) continue;
    // A piece of a line that is known as a whole is none.
    const bool is_piece = std::any_of(
        lines_.begin(), lines_.begin() + static_cast<ptrdiff_t>(known),
        [&](const Line& line) {
          return line.missed == 0 &&
                 ShareInside(found[j].quad, from_world(line.world)) > 0.6;
        });
    if (is_piece) continue;
    Line line;
    line.id = ++last_id_;
    line.world = frame.to_world(found[j].quad);
    line.is_low_score = found[j].is_low_score;
    line.first_time = line.last_time = frame.time;
    line.found = 1;
    lines_.push_back(std::move(line));
  }
}

std::vector<Lines::Wanted> Lines::ToRead(const Place& frame,
                                         const GrayFrame& gray) const {
  const Affine from_world = Inverse(frame.to_world);
  struct Candidate {
    const Line* line;
    Wanted wanted;
  };
  std::vector<Candidate> candidates;
  for (const Line& line : lines_) {
    const Quad quad = from_world(line.world);
    if (line.missed > 0 || !IsIn(frame, quad)) continue;
    const float sharpness = SharpnessIn(gray, geometry::BoundsOf(quad));
    const bool is_open = !line.is_final && !line.is_settled;
    if (!is_open && !line.is_stale && sharpness < kSharper * line.sharpest)
      continue;
    // A line that was read once is one.
    const bool is_low_score = line.is_low_score && line.text.empty();
    candidates.push_back({&line, {line.id, {quad, is_low_score}, sharpness}});
  }
  const auto urgency = [](const Line& line) {
    if (line.text.empty()) return 0;
    if (line.is_stale) return 1;
    return line.is_settled ? 3 : 2;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     const int x = urgency(*a.line), y = urgency(*b.line);
                     return x != y ? x < y : a.line->reads < b.line->reads;
                   });
  std::vector<Wanted> result;
  for (const Candidate& c : candidates) result.push_back(c.wanted);
  return result;
}

void Lines::Keep(const Kept& reading, Line* line) const {
  std::vector<Kept>& kept = line->kept;
  line->sharpest = std::max(line->sharpest, reading.sharpness);
  std::erase_if(kept, [&](const Kept& k) {
    return k.sharpness < kAsSharp * line->sharpest;
  });
  const auto is_better = [](const Kept& a, const Kept& b) {
    return a.confidence * a.sharpness > b.confidence * b.sharpness;
  };
  kept.insert(std::upper_bound(kept.begin(), kept.end(), reading, is_better),
              reading);
  if (kept.size() > static_cast<size_t>(rules_.best_frames)) kept.pop_back();
}

void Lines::Agree(Line* line) const {
  std::vector<std::string> texts;
  float all = 0, equal = 0;
  int agreeing = 0;
  for (const Kept& kept : line->kept) texts.push_back(kept.text);
  line->text = Vote(texts);
  for (const Kept& kept : line->kept) {
    all += kept.confidence;
    if (kept.text != line->text) continue;
    equal += kept.confidence;
    ++agreeing;
  }
  line->confidence = agreeing > 0 ? equal / static_cast<float>(agreeing)
                                  : all / static_cast<float>(line->kept.size());
  line->is_final = agreeing >= rules_.agree_readings;
  line->is_settled =
      line->is_final || line->reads >= rules_.best_frames + kMoreReadings;
}

void Lines::Report(const Place& frame, bool had_text,
                   const std::string& old_text, bool was_final, Line* line,
                   std::vector<Event>* events) {
  if (!line->is_reported) {
    if (line->found < rules_.appear_after || line->text.empty()) return;
    line->is_reported = true;
    Emit(EventKind::kNew, frame, line, events);
  } else if (had_text && line->text != old_text) {
    Emit(EventKind::kChanged, frame, line, events);
  } else if (was_final) {
    return;
  }
  if (line->is_final) Emit(EventKind::kFinal, frame, line, events);
}

// A line that no search found where it should be, and that is elsewhere now.
Lines::Line* Lines::SameLineElsewhere(const Line& line, const Kept& reading) {
  const float height = geometry::ShorterSide(line.world);
  for (Line& other : lines_) {
    const float size = geometry::ShorterSide(other.world);
    if (&other != &line && other.is_reported && other.missed > 0 &&
        size > height * 0.6f && height > size * 0.6f &&
        Similarity(other.text, reading.text) >= kSameLine)
      return &other;
  }
  return nullptr;
}

void Lines::ReadNothing(const Place& frame, Line* line,
                        std::vector<Event>* events) {
  if (!line->is_stale) {
    // A box without text is tried a few times.
    line->is_settled = line->reads >= 2 * rules_.leave_after;
    return;
  }
  if (++line->missed < rules_.leave_after) return;
  if (line->is_reported) Emit(EventKind::kGone, frame, line, events);
  const uint64_t id = line->id;
  std::erase_if(lines_, [&](const Line& other) { return other.id == id; });
}

void Lines::TakeFresh(const Place& frame, Line* line,
                      std::vector<Event>* events) {
  std::vector<std::string> texts;
  for (const Kept& fresh : line->fresh) texts.push_back(fresh.text);
  const bool is_same = Similarity(Vote(texts), line->text) >= kSameText;
  const std::string old_text = line->text;
  if (!is_same) {
    if (line->is_reported) Emit(EventKind::kGone, frame, line, events);
    line->id = ++last_id_;
    line->first_time = line->fresh[0].time;
    line->is_reported = false;
    line->found = std::max(line->found, rules_.appear_after);
  }
  line->kept.clear();
  line->sharpest = 0;
  line->is_stale = false;
  line->last_time = frame.time;
  for (const Kept& fresh : std::exchange(line->fresh, {})) Keep(fresh, line);
  Agree(line);
  Report(frame, true, old_text, false, line, events);
}

void Lines::OnReading(const Place& frame, const Wanted& wanted,
                      const LineReading& reading, std::vector<Event>* events) {
  Line* line = Find(wanted.id);
  if (line == nullptr) return;
  ++line->reads;
  line->sharpest = std::max(line->sharpest, wanted.sharpness);
  if (reading.text.empty()) return ReadNothing(frame, line, events);
  const Kept kept = {reading.text, reading.confidence, wanted.sharpness,
                     frame.time};
  if (line->text.empty()) {
    if (Line* const other = SameLineElsewhere(*line, kept); other != nullptr) {
      other->world = line->world;
      other->missed = 0;
      other->is_stale = true;
      const uint64_t kept_id = other->id;
      std::erase_if(lines_, [&](const Line& l) { return l.id == wanted.id; });
      line = Find(kept_id);  // Erasing moved it.
      ++line->reads;
    }
  }
  const std::string old_text = line->text;
  const bool was_final = line->is_final, had_text = !old_text.empty();
  if (line->is_stale && had_text && reading.text != old_text) {
    const float similarity = Similarity(reading.text, old_text);
    const bool is_other = similarity < kSameText;
    if (is_other || line->is_final) {
      line->fresh.push_back(kept);
      const auto equal =
          std::count_if(line->fresh.begin(), line->fresh.end(),
                        [&](const Kept& f) { return f.text == kept.text; });
      const bool is_sure =
          is_other
              ? equal >= 2 || line->fresh.size() >= 3 ||
                    (similarity < kOtherText && kept.confidence >= kConfident)
              : equal >= std::max(rules_.agree_readings, 2);
      if (is_sure) return TakeFresh(frame, line, events);
      if (is_other) return;
    }
    // Until so many agree, it is more likely an error, which has its vote. The
    // line remains stale, so that it is read on.
    if (line->is_final && line->reads < rules_.best_frames + kMoreReadings) {
      Keep(kept, line);
      Agree(line);
      return Report(frame, had_text, old_text, was_final, line, events);
    }
  }
  line->fresh.clear();
  line->is_stale = false;
  line->last_time = std::max(line->last_time, frame.time);
  Keep(kept, line);
  Agree(line);
  Report(frame, had_text, old_text, was_final, line, events);
}

bool Lines::WantsSearch() const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
    const bool appears = !line.is_reported && !line.text.empty() &&
                         line.found < rules_.appear_after;
    return appears || line.missed > 0;
  });
}

void Lines::Finish(const Place& last, std::vector<Event>* events) {
  for (Line& line : lines_)
    if (line.is_reported) Emit(EventKind::kGone, last, &line, events);
  lines_.clear();
}

std::vector<TrackedBox> Lines::Boxes(const Place& frame) const {
  const Affine from_world = Inverse(frame.to_world);
  std::vector<TrackedBox> boxes;
  for (const Line& line : lines_)
    if (line.is_reported)
      boxes.push_back(
          {line.id, from_world(line.world), line.confidence, line.is_final});
  return boxes;
}

size_t Lines::reported() const {
  return static_cast<size_t>(
      std::count_if(lines_.begin(), lines_.end(),
                    [](const Line& line) { return line.is_reported; }));
}

}  // namespace munja::track
