// Outlines drawn into images, for overlays of what was found.
#ifndef MUNJA_IMAGE_DRAW_H_
#define MUNJA_IMAGE_DRAW_H_

#include <array>
#include <cstdint>
#include <span>

#include "image/image.h"

namespace munja::image {

struct LineStyle {
  std::array<uint8_t, 3> rgb = {255, 0, 0};
  float thickness = 2.0f;  // Pixels, clamped to [0.5, 1000].
  bool antialias = true;
};

// Draws the segments between consecutive points {x, y} (pixel centers at
// integers), with round ends; `closed` joins the last point to the first.
// Segments are clipped to the image; points that are not finite are skipped.
// One point draws a dot.
void DrawPolyline(Image& image, std::span<const std::array<float, 2>> points,
                  bool closed, const LineStyle& style);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_DRAW_H_
