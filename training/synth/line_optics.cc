#include "synth/line_optics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "synth/jpeg_artifacts.h"
#include "synth/noise_field.h"

namespace munja::train {
namespace {

// The weighted sum of the picture's rows (or columns) around each; weights sum
// up to 1.
void Convolve(FloatPicture& picture, bool across,
              const std::vector<float>& weights) {
  const int radius = static_cast<int>(weights.size()) / 2;
  const int w = picture.width, h = picture.height;
  std::vector<float> out(picture.size()),
      line(static_cast<size_t>(w + 2 * radius));
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < h; ++y) {
      float* to = out.data() + static_cast<size_t>(y) * static_cast<size_t>(w);
      if (across) {
        const float* from = picture.row(c, y);
        for (int i = 0; i < w + 2 * radius; ++i)
          line[static_cast<size_t>(i)] = from[std::clamp(i - radius, 0, w - 1)];
      }
      for (int i = -radius; i <= radius; ++i) {
        const float weight = weights[static_cast<size_t>(i + radius)];
        const float* from = across
                                ? line.data() + i + radius
                                : picture.row(c, std::clamp(y + i, 0, h - 1));
        for (int x = 0; x < w; ++x) to[x] += weight * from[x];
      }
    }
    std::swap(picture.planes[static_cast<size_t>(c)], out);
    std::fill(out.begin(), out.end(), 0.0f);
  }
}

std::vector<float> GaussianWeights(float sigma) {
  const int radius =
      std::clamp(static_cast<int>(std::ceil(2.2f * sigma)), 1, 12);
  std::vector<float> weights;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float t = static_cast<float>(i) / sigma;
    weights.push_back(std::exp(-0.5f * t * t));
    sum += weights.back();
  }
  for (float& v : weights) v /= sum;
  return weights;
}

// `width` >= 1 pixels, not necessarily whole.
std::vector<float> BoxWeights(float width) {
  const int radius = static_cast<int>(std::ceil((width - 1) / 2));
  std::vector<float> weights(static_cast<size_t>(2 * radius + 1), 1 / width);
  const float edge = (width - static_cast<float>(2 * radius - 1)) / 2 / width;
  weights.front() = weights.back() = radius == 0 ? 1 : edge;
  return weights;
}

void BlurGaussian(FloatPicture& picture, float sigma_x, float sigma_y) {
  if (sigma_x > 0.2f) Convolve(picture, true, GaussianWeights(sigma_x));
  if (sigma_y > 0.2f) Convolve(picture, false, GaussianWeights(sigma_y));
}

// Camera shake along a slanted path: as many shifted pictures as pixels of way.
void BlurMotion(FloatPicture& picture, float dx, float dy) {
  const int steps = std::max(
      2, static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))) + 1);
  const int w = picture.width, h = picture.height;
  std::vector<float> out(picture.size());
  for (int c = 0; c < 3; ++c) {
    std::fill(out.begin(), out.end(), 0.0f);
    for (int i = 0; i < steps; ++i) {
      const float t =
          static_cast<float>(i) / static_cast<float>(steps - 1) - 0.5f;
      const int sx = static_cast<int>(std::lround(t * dx)),
                sy = static_cast<int>(std::lround(t * dy));
      for (int y = 0; y < h; ++y) {
        const float* from = picture.row(c, std::clamp(y + sy, 0, h - 1));
        float* to =
            out.data() + static_cast<size_t>(y) * static_cast<size_t>(w);
        const int begin = std::clamp(-sx, 0, w),
                  end = std::clamp(w - sx, begin, w);
        for (int x = 0; x < begin; ++x) to[x] += from[0];
        for (int x = begin; x < end; ++x) to[x] += from[x + sx];
        for (int x = end; x < w; ++x) to[x] += from[w - 1];
      }
    }
    const float scale = 1 / static_cast<float>(steps);
    std::vector<float>& plane = picture.planes[static_cast<size_t>(c)];
    for (size_t i = 0; i < plane.size(); ++i) plane[i] = out[i] * scale;
  }
}

// The detail that `factor` times fewer pixels can hold (> 1): seen from afar,
// then enlarged.
void Coarsen(FloatPicture& picture, float factor, bool smooth) {
  if (smooth) {
    Convolve(picture, true, BoxWeights(factor));
    Convolve(picture, false, BoxWeights(factor));
  }
  const int w = picture.width, h = picture.height;
  const int small_w =
      std::max(2, static_cast<int>(static_cast<float>(w) / factor));
  const int small_h =
      std::max(2, static_cast<int>(static_cast<float>(h) / factor));
  const float step_x = static_cast<float>(w) / static_cast<float>(small_w);
  const float step_y = static_cast<float>(h) / static_cast<float>(small_h);
  const auto pixel = [](float at, int count) {
    return std::clamp(static_cast<int>(at), 0, count - 1);
  };
  std::vector<float> small(static_cast<size_t>(small_w) *
                           static_cast<size_t>(small_h));
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < small_h; ++y) {
      const float* from =
          picture.row(c, pixel((static_cast<float>(y) + 0.5f) * step_y, h));
      for (int x = 0; x < small_w; ++x)
        small[static_cast<size_t>(y * small_w + x)] =
            from[pixel((static_cast<float>(x) + 0.5f) * step_x, w)];
    }
    for (int y = 0; y < h; ++y) {
      const float sy =
          std::clamp((static_cast<float>(y) + 0.5f) / step_y - 0.5f, 0.0f,
                     static_cast<float>(small_h - 1));
      const int y0 = static_cast<int>(sy), y1 = std::min(y0 + 1, small_h - 1);
      const float fy = sy - static_cast<float>(y0);
      const float* a =
          small.data() + static_cast<size_t>(y0) * static_cast<size_t>(small_w);
      const float* b =
          small.data() + static_cast<size_t>(y1) * static_cast<size_t>(small_w);
      float* to = picture.row(c, y);
      for (int x = 0; x < w; ++x) {
        const float sx =
            std::clamp((static_cast<float>(x) + 0.5f) / step_x - 0.5f, 0.0f,
                       static_cast<float>(small_w - 1));
        const int x0 = static_cast<int>(sx), x1 = std::min(x0 + 1, small_w - 1);
        const float fx = sx - static_cast<float>(x0);
        const float top = a[x0] + (a[x1] - a[x0]) * fx,
                    bottom = b[x0] + (b[x1] - b[x0]) * fx;
        to[x] = top + (bottom - top) * fy;
      }
    }
  }
}

// Halos of a camera that sharpens.
void Sharpen(FloatPicture& picture, float sigma, float amount) {
  const FloatPicture before = picture;
  BlurGaussian(picture, sigma, sigma);
  for (size_t c = 0; c < 3; ++c) {
    float* plane = picture.planes[c].data();
    for (size_t i = 0; i < before.size(); ++i) {
      const float level = before.planes[c][i];
      plane[i] = std::clamp(level + amount * (level - plane[i]), 0.0f, 255.0f);
    }
  }
}

// Shadow with a soft edge, light that falls off, glare: gain over the picture.
void Shade(FloatPicture& picture, float em, float strength, Random& random) {
  const int w = picture.width, h = picture.height;
  std::vector<float> gain(static_cast<size_t>(w), 1.0f),
      lift(static_cast<size_t>(w), 0.0f);
  const bool is_glare = random.Chance(0.25f);
  const float at = random.Uniform(-0.1f, 1.1f) * static_cast<float>(w),
              lean = random.Normal() * 0.6f;
  const float width =
      em * (is_glare ? random.Uniform(0.7f, 5) : random.LogUniform(0.1f, 6));
  const float dark = 1 - random.Uniform(0.15f, 0.6f) * strength,
              side = random.Chance(0.5f) ? 1.0f : -1.0f;
  const float bright = random.Uniform(30, 110) * strength;
  for (int y = 0; y < h; ++y) {
    const float center = at + lean * static_cast<float>(y);
    for (int x = 0; x < w; ++x) {
      const float d = (static_cast<float>(x) - center) / width;
      if (is_glare) {
        lift[static_cast<size_t>(x)] = bright / (1 + d * d * 2);
      } else {
        gain[static_cast<size_t>(x)] =
            dark + (1 - dark) * std::clamp(0.5f + side * d, 0.0f, 1.0f);
      }
    }
    for (int c = 0; c < 3; ++c) {
      float* row = picture.row(c, y);
      for (int x = 0; x < w; ++x)
        row[x] = row[x] * gain[static_cast<size_t>(x)] +
                 lift[static_cast<size_t>(x)];
    }
  }
}

// Brightness, contrast, white balance; what is dark becomes darker or lighter.
void Expose(FloatPicture& picture, float strength, bool colored,
            Random& random) {
  const float contrast = random.Uniform(1 - 0.45f * strength, 1.2f),
              shift = random.Uniform(-45, 35) * strength;
  const float bend = random.Uniform(-0.5f, 0.5f) *
                     strength;  // Parabola through black and white.
  for (size_t c = 0; c < 3; ++c) {
    const float balance =
        colored ? random.Uniform(1 - 0.12f * strength, 1 + 0.08f * strength)
                : 1.0f;
    for (float& v : picture.planes[c]) {
      const float t = std::clamp(v * (1.0f / 255.0f), 0.0f, 1.0f);
      const float bent = 255 * (t + bend * t * (1 - t));
      v = ((bent - 128) * contrast + 128) * balance + shift;
    }
  }
}

// All channels the same.
void ToGrayLevels(FloatPicture& picture) {
  for (size_t i = 0; i < picture.size(); ++i) {
    const float level = 0.299f * picture.planes[0][i] +
                        0.587f * picture.planes[1][i] +
                        0.114f * picture.planes[2][i];
    for (auto& plane : picture.planes) plane[i] = level;
  }
}

// A scanner or fax of two levels: `softness` levels around the middle between
// the darkest and the brightest stay.
void Threshold(FloatPicture& picture, float softness, float bias) {
  ToGrayLevels(picture);
  const auto [low, high] =
      std::minmax_element(picture.planes[0].begin(), picture.planes[0].end());
  const float middle = *low + (*high - *low) * bias;
  for (auto& plane : picture.planes) {
    for (float& v : plane)
      v = std::clamp(128 + (v - middle) * 128 / softness, 0.0f, 255.0f);
  }
}

void AddSensorNoise(FloatPicture& picture, float deviation, bool is_colored,
                    Random& random) {
  // The sum of two signed bytes: close enough to a bell. Its deviation is 104.
  const size_t n = picture.size();
  const float scale = deviation / 104.0f;
  for (size_t c = 0; c < (is_colored ? 3 : 1); ++c) {
    for (size_t i = 0; i < n; i += 4) {
      uint64_t bits = random.Bits();
      for (size_t k = i; k < std::min(i + 4, n); ++k, bits >>= 16) {
        const float v =
            scale *
            (static_cast<float>(static_cast<int8_t>(bits & 0xFF)) +
             static_cast<float>(static_cast<int8_t>((bits >> 8) & 0xFF)));
        picture.planes[c][k] += v;
        if (!is_colored) {
          picture.planes[1][k] += v;
          picture.planes[2][k] += v;
        }
      }
    }
  }
}

// The grid of a display against the grid of a sensor.
void AddMoire(FloatPicture& picture, Random& random) {
  const float kx = random.Uniform(-1.5f, 1.5f),
              ky = random.Uniform(-1.5f, 1.5f),
              depth = random.Uniform(0.03f, 0.12f);
  for (int c = 0; c < 3; ++c) {
    const float phase = random.Uniform(0, 6.28f);
    for (int y = 0; y < picture.height; ++y) {
      float* row = picture.row(c, y);
      for (int x = 0; x < picture.width; ++x)
        row[x] *= 1 + depth * std::sin(kx * static_cast<float>(x) +
                                       ky * static_cast<float>(y) + phase);
    }
  }
}

// Out of focus, moved, enlarged. Strokes are about a tenth of the em wide: a
// reader can bear a blur of half of that.
void BlurSomehow(FloatPicture& picture, float em, bool is_scene, float strength,
                 Random& random) {
  const float most = is_scene ? 0.1f : 0.055f;
  const float extent =
      em * random.Uniform(0.01f, most) *
      std::min(strength, 1.3f);  // Deviation of the blur, pixels.
  const float kind = random.Unit();
  if (kind < 0.4f) {
    BlurGaussian(picture, extent, extent * random.Uniform(0.7f, 1.2f));
  } else if (kind < 0.6f &&
             extent > 0.3f) {  // A disk, close to two boxes; the deviation of a
                               // box is its width / 3.5.
    const float width = std::max(1.1f, 2.6f * extent);
    for (int i = 0; i < 2; ++i) {
      Convolve(picture, true, BoxWeights(width));
      Convolve(picture, false, BoxWeights(width));
    }
  } else if (kind < 0.75f) {
    const float angle = random.Uniform(0, 3.1416f), length = 3.8f * extent;
    if (length > 0.8f)
      BlurMotion(picture, length * std::cos(angle), length * std::sin(angle));
  } else if (em > 14) {
    // No fewer than about 11 pixels for the em.
    const float most_factor = std::min(em / 11, 3.0f);
    if (most_factor > 1.1f) {
      const bool smooth = random.Chance(0.8f);
      Coarsen(picture, random.Uniform(1.1f, most_factor), smooth);
    }
  }
}

}  // namespace

Result<image::Image> TakeLinePicture(FloatPicture& picture, float em,
                                     Scenery scenery, float strength,
                                     Random& random) {
  const bool is_scene = scenery == Scenery::kScene,
             is_screen = scenery == Scenery::kScreen;
  const bool is_scan = !is_scene && !is_screen && random.Chance(0.4f);
  const float soft = std::min(strength, 1.0f);
  if (!is_scan && random.Chance(0.25f * soft)) Shade(picture, em, soft, random);
  if (random.Chance(is_screen ? 0.35f * soft : 0.6f * soft))
    BlurSomehow(picture, em, is_scene, strength, random);
  if (random.Chance(0.35f * soft)) Expose(picture, soft, !is_scan, random);
  if (is_screen && random.Chance(0.15f * soft)) AddMoire(picture, random);
  if (random.Chance(0.5f * soft)) {
    const float most = is_scan ? 6.0f : is_scene ? 16.0f : 11.0f;
    const bool is_colored = is_scene && random.Chance(0.6f);
    AddSensorNoise(picture, random.Uniform(1, most) * strength, is_colored,
                   random);
  }
  if (random.Chance(0.15f * soft)) {
    const float amount = random.Uniform(0.3f, 1.5f);
    Sharpen(picture, std::max(0.5f, em * random.Uniform(0.02f, 0.06f)), amount);
  }
  if (is_scan && random.Chance(0.15f * soft)) {
    const float bias = random.Uniform(0.4f, 0.65f);
    Threshold(picture, random.Uniform(2, 60), bias);
  } else if (random.Chance(is_scan ? 0.4f : 0.12f)) {
    ToGrayLevels(picture);
  }
  MUNJA_ASSIGN_OR_RETURN(image::Image taken, picture.Finish());
  if (random.Chance(0.45f * soft)) {
    const int quality = static_cast<int>(random.Uniform(95 - 70 * soft, 95));
    MUNJA_RETURN_IF_ERROR(CompressAsJpeg(taken, quality, random.Chance(0.5f)));
  }
  return taken;
}

bool StandsOut(const image::Image& picture, const Coverage& text, float em) {
  // Windows of about two letters; means of the three channels within and around
  // the letters.
  const int step = std::max(8, static_cast<int>(1.2f * em));
  const int end = std::min(text.left + text.width, picture.width());
  const int top = std::max(text.top, 0),
            bottom = std::min(text.top + text.height, picture.height());
  for (int left = std::max(text.left, 0); left < end; left += step) {
    const int right = std::min(left + step, end);
    float in[3] = {}, out[3] = {}, in_weight = 0, out_weight = 0, noise = 0;
    for (int y = top; y < bottom; ++y) {
      const uint8_t* covered = text.row(y - text.top) - text.left;
      const uint8_t* row = picture.row(y);
      for (int x = left; x < right; ++x) {
        const float w = static_cast<float>(covered[x]) * (1.0f / 255.0f);
        in_weight += w;
        out_weight += 1 - w;
        for (int c = 0; c < 3; ++c) {
          const float level = row[3 * x + c];
          in[c] += w * level;
          out[c] += (1 - w) * level;
        }
        if (x + 1 < right && covered[x] == 0 && covered[x + 1] == 0)
          noise += std::abs(static_cast<float>(row[3 * x + 1]) -
                            static_cast<float>(row[3 * x + 4]));
      }
    }
    // Hardly any ink: a gap or a small sign.
    if (in_weight < 0.02f * (in_weight + out_weight) || out_weight < 1)
      continue;
    float contrast = 0;
    for (int c = 0; c < 3; ++c)
      contrast =
          std::max(contrast, std::abs(in[c] / in_weight - out[c] / out_weight));
    // Neighbors that differ by n on average have noise of about 0.9 n. A letter
    // has dozens of pixels: it is seen even when its contrast is below that.
    noise *= 0.9f / std::max(out_weight, 1.0f);
    if (contrast < 14 || contrast < 0.7f * noise) return false;
  }
  return true;
}

}  // namespace munja::train
