// ProbabilityMap: the detector's probability that a pixel belongs to text.
#ifndef MUNJA_READING_FIND_PROBABILITY_MAP_H_
#define MUNJA_READING_FIND_PROBABILITY_MAP_H_

#include <span>

namespace munja::ocr {

// Where a page lies in the detector's input: page = (input - offset) * scale.
struct Placement {
  float offset_x = 0, offset_y = 0;  // Input pixels.
  float scale_x = 1, scale_y = 1;    // Page pixels for one of the input.
};

// Owns nothing. values[y * width + x] in [0, 1].
struct ProbabilityMap {
  std::span<const float> values;
  int width = 0, height = 0;
  Placement placement;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_PROBABILITY_MAP_H_
