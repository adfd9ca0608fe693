#include "train/synth/line_optics.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

// Along one axis; `step` is from one value to the next, `stride` from one row (or column) to the next.
void BlurAxis(FloatPicture& picture, bool across, float sigma) {
  const int radius = std::clamp(static_cast<int>(std::ceil(2.2f * sigma)), 1, 12);
  float weights[25];
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float t = static_cast<float>(i) / sigma;
    sum += weights[i + radius] = std::exp(-0.5f * t * t);
  }
  for (int i = 0; i <= 2 * radius; ++i) weights[i] /= sum;
  const int w = picture.width, h = picture.height;
  std::vector<float> out(picture.size()), line(static_cast<size_t>(w + 2 * radius));
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < h; ++y) {
      float* to = out.data() + static_cast<size_t>(y) * static_cast<size_t>(w);
      if (across) {
        const float* from = picture.row(c, y);
        for (int i = 0; i < w + 2 * radius; ++i) line[static_cast<size_t>(i)] = from[std::clamp(i - radius, 0, w - 1)];
        std::fill(to, to + w, 0.0f);
        for (int i = 0; i <= 2 * radius; ++i) {
          const float weight = weights[i];
          const float* shifted = line.data() + i;
          for (int x = 0; x < w; ++x) to[x] += weight * shifted[x];
        }
      } else {
        std::fill(to, to + w, 0.0f);
        for (int i = -radius; i <= radius; ++i) {
          const float weight = weights[i + radius];
          const float* from = picture.row(c, std::clamp(y + i, 0, h - 1));
          for (int x = 0; x < w; ++x) to[x] += weight * from[x];
        }
      }
    }
    std::swap(picture.planes[static_cast<size_t>(c)], out);
  }
}

void AddGrain(FloatPicture& picture, float strength, bool colored, Random& random) {
  // Four signed bytes of every random number: coarse, but summed in pairs close enough to a bell.
  const size_t n = picture.size();
  const float scale = strength / 104.0f;  // Deviation of the sum of two bytes.
  for (size_t c = 0; c < 3; ++c) {
    float* plane = picture.planes[c].data();
    if (c > 0 && !colored) {
      break;
    }
    for (size_t i = 0; i < n; i += 4) {
      uint64_t bits = random.Bits();
      for (size_t k = i; k < std::min(i + 4, n); ++k, bits >>= 16) {
        const float v = scale * (static_cast<float>(static_cast<int8_t>(bits & 0xFF)) +
                                 static_cast<float>(static_cast<int8_t>((bits >> 8) & 0xFF)));
        plane[k] += v;
        if (!colored) {
          picture.planes[1][k] += v;
          picture.planes[2][k] += v;
        }
      }
    }
  }
}

}  // namespace

void Degrade(FloatPicture& picture, float em, Scenery scenery, float strength, Random& random) {
  const bool is_scene = scenery == Scenery::kScene;
  if (random.Chance(is_scene ? 0.6f : 0.5f)) {
    // Strokes are about a tenth of the em wide.
    const float sigma = em * random.Uniform(0.01f, is_scene ? 0.06f : 0.045f) * std::min(strength, 1.5f);
    if (sigma > 0.25f) {
      BlurAxis(picture, true, sigma);
      BlurAxis(picture, false, sigma);
    }
  }
  if (random.Chance(0.5f)) AddGrain(picture, random.Uniform(1, is_scene ? 16.0f : 9.0f) * strength, is_scene, random);
}

}  // namespace munja::train
