// Budget: how much of a frame may be read, by what reading cost so far.
#ifndef MUNJA_TRACK_BUDGET_H_
#define MUNJA_TRACK_BUDGET_H_

#include <cstddef>

namespace munja::track {

class Budget {
 public:
  // Milliseconds for a frame, and the share of the time; 0: any.
  Budget(double frame_ms, double time_share)
      : frame_ms_(frame_ms), time_share_(time_share) {}

  // Seconds of the clock: whether reading may begin.
  bool MayBegin(double now) const { return now >= next_; }
  // The longer side that the detector may get of a frame of this one; 0: as it
  // is.
  int SearchSide(int longer_side) const;
  // Lines that may be read after so many milliseconds; at least one.
  size_t LineCount(double spent_ms) const;

  // The time that it took.
  void OnSearch(int side, double ms);
  void OnLines(size_t count, double ms);
  void OnFrame(double begin, double end);

 private:
  double frame_ms_, time_share_;
  double next_ = -1e300;
  double per_square_ = 0;  // ms per pixel of a square input; 0: not known.
  double per_line_ = 0;
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_BUDGET_H_
