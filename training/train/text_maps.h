// The maps that a detector learns: those of differentiable binarization (Liao
// et al., AAAI 2020, sections 3.4 and 3.5).
#ifndef MUNJA_TRAIN_TEXT_MAPS_H_
#define MUNJA_TRAIN_TEXT_MAPS_H_

#include <span>
#include <vector>

#include "geometry/quad.h"

namespace munja::train {

// A line's outline moved by d = area * (1 - kShrink^2) / perimeter inward is
// text, outward and inward bound the band in which the threshold is learned.
inline constexpr double kShrink = 0.4;
inline constexpr float kLeastThreshold = 0.3f, kMostThreshold = 0.7f;

struct OutlinedLine {
  geometry::Polygon outline;  // Pixels of the map.
  bool ignore = false;
};

// Each height x width floats at caller's memory, zero before.
struct TextMaps {
  float* text;            // 1 inside the shrunk outlines.
  float* text_mask;       // 1 where text counts.
  float* threshold;       // kLeastThreshold to kMostThreshold in the band.
  float* threshold_mask;  // 1 in the band.
};

// Lines that are ignored, or whose text would be thinner than `least_side`
// pixels, are masked out. Outlines may reach beyond the map.
void DrawTextMaps(std::span<const OutlinedLine> lines, int width, int height,
                  float least_side, const TextMaps& maps);

// The distance by which DrawTextMaps() shrinks an outline; 0 without area.
double ShrinkDistance(const geometry::Polygon& outline);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TEXT_MAPS_H_
