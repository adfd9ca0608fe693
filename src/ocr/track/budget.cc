#include "track/budget.h"

#include <algorithm>
#include <cstdint>

namespace munja::track {
namespace {

// Smaller ones find hardly any text.
constexpr int kSides[] = {960, 768, 640, 480, 320};
constexpr int kFirstSide = 480;
// The part of a frame's budget that finding lines may take.
constexpr double kSearchPart = 0.7;

double Smoothed(double old_value, double new_value) {
  return old_value > 0 ? 0.7 * old_value + 0.3 * new_value : new_value;
}

}  // namespace

int Budget::SearchSide(int longer_side) const {
  if (frame_ms_ <= 0) return 0;
  int best = kSides[4];
  if (per_square_ <= 0) {
    best = kFirstSide;
  } else {
    for (const int side : kSides) {
      if (per_square_ * side * side > kSearchPart * frame_ms_) continue;
      best = side;
      break;
    }
  }
  return best < longer_side ? best : 0;
}

size_t Budget::LineCount(double spent_ms) const {
  if (frame_ms_ <= 0) return SIZE_MAX;
  if (per_line_ <= 0) return 2;
  const double count = (frame_ms_ - spent_ms) / per_line_;
  return static_cast<size_t>(std::clamp(count, 1.0, 1e6));
}

void Budget::OnSearch(int side, double ms) {
  per_square_ = Smoothed(per_square_, ms / (1.0 * side * side));
}

void Budget::OnLines(size_t count, double ms) {
  per_line_ = Smoothed(per_line_, ms / static_cast<double>(count));
}

void Budget::OnFrame(double begin, double end) {
  if (time_share_ > 0 && time_share_ < 1)
    next_ = begin + (end - begin) / time_share_;
}

}  // namespace munja::track
