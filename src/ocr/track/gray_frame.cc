#include "track/gray_frame.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "image/gray.h"

namespace munja::track {
namespace {

// Row `y` as levels of gray: the plane's own, or written to `buffer`.
const uint8_t* GrayRow(const image::PixelView& pixels, int y,
                       std::vector<uint8_t>& buffer) {
  const uint8_t* const row =
      pixels.planes[0] + static_cast<size_t>(y) * pixels.strides[0];
  const auto width = static_cast<size_t>(pixels.width);
  switch (pixels.format) {
    case image::PixelFormat::kRgb:
    case image::PixelFormat::kBgr:  // The weights are symmetric.
      image::ToGray(row, width, buffer.data());
      return buffer.data();
    case image::PixelFormat::kRgba:
    case image::PixelFormat::kBgra:
      for (size_t x = 0; x < width; ++x) {
        const uint8_t* const p = row + 4 * x;
        buffer[x] = static_cast<uint8_t>((p[0] + 2 * p[1] + p[2]) >> 2);
      }
      return buffer.data();
    default:
      return row;  // Gray, or the luma plane.
  }
}

// Averages squares of `factor` pixels; what does not fill one is cut off.
void Shrink(const image::PixelView& pixels, int factor, GrayImage* out) {
  out->width = pixels.width / factor;
  out->height = pixels.height / factor;
  out->pixels.resize(static_cast<size_t>(out->width) *
                     static_cast<size_t>(out->height));
  const auto used = static_cast<size_t>(out->width * factor);
  std::vector<uint8_t> buffer(static_cast<size_t>(pixels.width));
  std::vector<uint32_t> wide(used);
  const auto area = static_cast<uint32_t>(factor * factor);
  for (int y = 0; y < out->height; ++y) {
    std::fill(wide.begin(), wide.end(), 0u);
    for (int k = 0; k < factor; ++k) {
      const uint8_t* const row = GrayRow(pixels, y * factor + k, buffer);
      for (size_t x = 0; x < used; ++x) wide[x] += row[x];
    }
    uint8_t* const to = out->row(y);
    const uint32_t* from = wide.data();
    for (int x = 0; x < out->width; ++x, from += factor) {
      uint32_t sum = area / 2;
      for (int k = 0; k < factor; ++k) sum += from[k];
      to[x] = static_cast<uint8_t>(sum / area);
    }
  }
}

void Turn(int quarter_turns, GrayImage* image) {
  if (quarter_turns == 0) return;
  GrayImage out;
  const int w = image->width, h = image->height;
  out.width = quarter_turns == 2 ? w : h;
  out.height = quarter_turns == 2 ? h : w;
  out.pixels.resize(image->pixels.size());
  for (int y = 0; y < h; ++y) {
    const uint8_t* const from = image->row(y);
    for (int x = 0; x < w; ++x) {
      if (quarter_turns == 1)
        out.row(x)[h - 1 - y] = from[x];
      else if (quarter_turns == 2)
        out.row(h - 1 - y)[w - 1 - x] = from[x];
      else
        out.row(w - 1 - x)[y] = from[x];
    }
  }
  *image = std::move(out);
}

void Halve(const GrayImage& in, GrayImage* out) {
  out->width = in.width / 2;
  out->height = in.height / 2;
  out->pixels.resize(static_cast<size_t>(out->width) *
                     static_cast<size_t>(out->height));
  for (int y = 0; y < out->height; ++y) {
    const uint8_t* const a = in.row(2 * y);
    const uint8_t* const b = in.row(2 * y + 1);
    uint8_t* const to = out->row(y);
    for (int x = 0; x < out->width; ++x)
      to[x] = static_cast<uint8_t>(
          (a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
  }
}

void Measure(GrayFrame* frame) {
  const GrayImage& image = frame->levels[0];
  std::array<uint32_t, 256> gradients = {};
  uint64_t sum = 0;
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* const row = image.row(y);
    for (int x = 0; x + 1 < image.width; ++x) {
      sum += row[x];
      ++gradients[static_cast<size_t>(std::abs(row[x + 1] - row[x]))];
    }
  }
  const auto count = static_cast<uint64_t>(image.width - 1) *
                     static_cast<uint64_t>(image.height);
  frame->mean = static_cast<float>(sum) / static_cast<float>(count);
  // The strongest two percent are edges, mostly of letters.
  const uint64_t wanted = std::max<uint64_t>(count / 50, 1);
  uint64_t taken = 0, strength = 0;
  for (size_t level = 255; level > 0 && taken < wanted; --level) {
    const uint64_t n = std::min<uint64_t>(gradients[level], wanted - taken);
    taken += n;
    strength += n * level;
  }
  frame->sharpness = static_cast<float>(strength) / static_cast<float>(wanted);
}

}  // namespace

int ShrinkFactor(int width, int height) {
  const int longer = std::max(width, height);
  return (longer + GrayFrame::kSide - 1) / GrayFrame::kSide;
}

Status MakeGrayFrame(const image::PixelView& pixels, int quarter_turns,
                     GrayFrame* frame) {
  const int shorter = std::min(pixels.width, pixels.height);
  const int longer = std::max(pixels.width, pixels.height);
  if (shorter < 32 || longer / 20 > shorter)
    return InvalidArgument(
        "a frame of live text has at least 32 pixels in width and height, and "
        "sides of at most 20 to 1, not ",
        pixels.width, " x ", pixels.height);
  frame->factor = ShrinkFactor(pixels.width, pixels.height);
  Shrink(pixels, frame->factor, &frame->levels[0]);
  Turn(quarter_turns, &frame->levels[0]);
  Halve(frame->levels[0], &frame->levels[1]);
  Halve(frame->levels[1], &frame->levels[2]);
  Measure(frame);
  return Status();
}

float SharpnessIn(const GrayFrame& frame, const geometry::Rect<float>& part) {
  const GrayImage& image = frame.levels[0];
  const auto scale = 1 / static_cast<float>(frame.factor);
  const auto bound = [&](float at, int most) {
    return static_cast<int>(
        std::clamp(at * scale, 0.0f, static_cast<float>(most)));
  };
  const int left = bound(part.left, image.width - 1),
            right = bound(part.right, image.width - 1);
  const int top = bound(part.top, image.height),
            bottom = bound(part.bottom, image.height);
  if (left >= right || top >= bottom) return 0;
  uint64_t sum = 0;
  for (int y = top; y < bottom; ++y) {
    const uint8_t* const row = image.row(y);
    for (int x = left; x < right; ++x)
      sum += static_cast<uint64_t>(std::abs(row[x + 1] - row[x]));
  }
  return static_cast<float>(sum) /
         static_cast<float>((right - left) * (bottom - top));
}

}  // namespace munja::track
