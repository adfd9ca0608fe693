// GrayFrame: a small gray copy of a frame, from which motion and change are
// estimated.
#ifndef MUNJA_TRACK_GRAY_FRAME_H_
#define MUNJA_TRACK_GRAY_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "geometry/rect.h"
#include "image/pixels.h"

namespace munja::track {

struct GrayImage {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;  // Dense rows.

  const uint8_t* row(int y) const {
    return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
  uint8_t* row(int y) {
    return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

struct GrayFrame {
  // The frame, upright, divided by `factor` so that its longer side has at most
  // kSide pixels; then each half as large as the one before.
  static constexpr int kSide = 320;
  std::array<GrayImage, 3> levels;
  int factor = 1;
  float mean = 0;       // All levels of gray.
  float sharpness = 0;  // Mean of the strongest gradients, in levels of gray.
};

// The longer side divided by it has at most GrayFrame::kSide pixels.
int ShrinkFactor(int width, int height);

// `quarter_turns`: clockwise ones that make the pixels upright, 0 to 3.
// `pixels` must have passed image::Check(). kInvalidArgument: a side is shorter
// than 32 pixels, or more than 20 times shorter than the other.
Status MakeGrayFrame(const image::PixelView& pixels, int quarter_turns,
                     GrayFrame* frame);

// The mean step between neighboring pixels, in levels of gray, in this part of
// the frame. The same part is higher in a sharper frame. 0: it is outside.
float SharpnessIn(const GrayFrame& frame, const geometry::Rect<float>& part);

}  // namespace munja::track

#endif  // MUNJA_TRACK_GRAY_FRAME_H_
