#include "synth/canvas.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

uint8_t Level(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f) + 0.5f);
}

// a + (b - a) * part / 255, rounded; exact at both ends.
inline uint8_t Lerp(int a, int b, int part) {
  const int t = (b - a) * part;
  return static_cast<uint8_t>(a + ((t + (t >= 0 ? 127 : -127)) / 255));
}

}  // namespace

Color Mix(Color a, Color b, float b_part) {
  const auto mix = [b_part](uint8_t x, uint8_t y) {
    return Level(static_cast<float>(x) +
                 (static_cast<float>(y) - static_cast<float>(x)) * b_part);
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

Color FromHsv(float hue, float saturation, float value) {
  const float sector = (hue - std::floor(hue)) * 6;
  const auto channel = [&](float n) {
    const float k = std::fmod(n + sector, 6.0f);
    return Level(255 *
                 (value - value * saturation *
                              std::clamp(std::min(k, 4 - k), 0.0f, 1.0f)));
  };
  return {channel(5), channel(3), channel(1)};
}

Color RandomColor(Random& random, float darkest, float brightest) {
  const float target = random.Uniform(darkest, brightest);
  const float value = random.Unit();
  const float saturation =
      random.Chance(0.3f) ? random.Uniform(0, 0.15f) : random.Unit();
  const float hue = random.Unit();
  Color color = FromHsv(hue, saturation, value);
  const float luma =
      Luma(color);  // Toward white or black until it is as bright as wanted.
  if (luma < target)
    return Mix(color, {255, 255, 255}, (target - luma) / (255 - luma));
  return luma > 0 ? Mix(color, {0, 0, 0}, 1 - target / luma) : color;
}

Color RandomContrast(Random& random, Color background, float contrast) {
  const float luma = Luma(background);
  const float dark_room = std::max(luma - contrast, 0.0f),
              bright_room = std::max(255 - luma - contrast, 0.0f);
  if (random.Unit() * (dark_room + bright_room) < dark_room)
    return RandomColor(random, 0, dark_room);
  return RandomColor(random, 255 - bright_room, 255);
}

Result<Canvas> Canvas::Create(int width, int height) {
  MUNJA_ASSIGN_OR_RETURN(image::Image picture,
                         image::Image::Create(width, height));
  return Canvas(std::move(picture));
}

void Canvas::Clear(Color color) {
  for (int y = 0; y < height(); ++y) {
    uint8_t* row = picture_.row(y);
    for (int x = 0; x < width(); ++x) {
      row[3 * x] = color.r;
      row[3 * x + 1] = color.g;
      row[3 * x + 2] = color.b;
    }
  }
}

void Canvas::Fill(const Path& path, const PageMap& map, const Paint& paint) {
  builder_.Add(path, map);
  Fill(builder_.Take(), paint);
}

void Canvas::Fill(const Coverage& coverage, const Paint& paint) {
  const int opacity =
      static_cast<int>(std::clamp(paint.opacity, 0.0f, 1.0f) * 256 + 0.5f);
  for (int y = 0; y < coverage.height; ++y) {
    const uint8_t* cover = coverage.row(y);
    uint8_t* out = picture_.row(coverage.top + y) + 3 * coverage.left;
    Color color = paint.color;
    if (paint.gradient && !paint.gradient_x)
      color = Mix(paint.color, paint.to,
                  static_cast<float>(y) / static_cast<float>(coverage.height));
    for (int x = 0; x < coverage.width; ++x, out += 3) {
      if (cover[x] == 0) continue;
      if (paint.gradient && paint.gradient_x)
        color = Mix(paint.color, paint.to,
                    static_cast<float>(x) / static_cast<float>(coverage.width));
      const int part = (cover[x] * opacity) >> 8;
      if (part == 255) {
        out[0] = color.r;
        out[1] = color.g;
        out[2] = color.b;
      } else {
        out[0] = Lerp(out[0], color.r, part);
        out[1] = Lerp(out[1], color.g, part);
        out[2] = Lerp(out[2], color.b, part);
      }
    }
  }
}

Color Canvas::Average(int left, int top, int width, int height) const {
  const int x0 = std::clamp(left, 0, this->width() - 1),
            x1 = std::clamp(left + width, x0 + 1, this->width());
  const int y0 = std::clamp(top, 0, this->height() - 1),
            y1 = std::clamp(top + height, y0 + 1, this->height());
  const int step_x = std::max((x1 - x0) / 10, 1),
            step_y = std::max((y1 - y0) / 10, 1);
  int sum[3] = {}, count = 0;
  for (int y = y0; y < y1; y += step_y) {
    for (int x = x0; x < x1; x += step_x, ++count) {
      for (int c = 0; c < 3; ++c) sum[c] += picture_.row(y)[3 * x + c];
    }
  }
  return {static_cast<uint8_t>(sum[0] / count),
          static_cast<uint8_t>(sum[1] / count),
          static_cast<uint8_t>(sum[2] / count)};
}

void Dilate(Coverage& coverage, int radius) {
  if (radius <= 0 || coverage.empty()) return;
  const Coverage in = coverage;
  for (int dy = -radius; dy <= radius; ++dy) {
    const int reach = static_cast<int>(
        std::sqrt(static_cast<float>(radius * radius - dy * dy) +
                  0.25f * static_cast<float>(radius)));
    for (int y = std::max(0, -dy); y < std::min(in.height, in.height - dy);
         ++y) {
      const uint8_t* from = in.row(y + dy);
      uint8_t* to = coverage.row(y);
      for (int x = 0; x < in.width; ++x) {
        if (from[x] == 0) continue;
        const int end = std::min(x + reach, in.width - 1);
        for (int i = std::max(x - reach, 0); i <= end; ++i)
          to[i] = std::max(to[i], from[x]);
      }
    }
  }
}

void Blur(Coverage& coverage, int radius) {
  if (radius <= 0 || coverage.empty()) return;
  std::vector<uint8_t> line(
      static_cast<size_t>(std::max(coverage.width, coverage.height)));
  const int size = 2 * radius + 1;
  const auto pass = [&](uint8_t* first, int count, size_t step) {
    for (int i = 0; i < count; ++i)
      line[static_cast<size_t>(i)] = first[static_cast<size_t>(i) * step];
    const auto at = [&](int i) -> int {
      return i >= 0 && i < count ? line[static_cast<size_t>(i)] : 0;
    };
    int sum = 0;
    for (int i = 0; i < radius; ++i) sum += at(i);
    for (int i = 0; i < count; ++i) {
      sum += at(i + radius) - at(i - radius - 1);
      first[static_cast<size_t>(i) * step] = static_cast<uint8_t>(sum / size);
    }
  };
  for (int round = 0; round < 2; ++round) {
    for (int y = 0; y < coverage.height; ++y)
      pass(coverage.row(y), coverage.width, 1);
    for (int x = 0; x < coverage.width; ++x)
      pass(coverage.values.data() + x, coverage.height,
           static_cast<size_t>(coverage.width));
  }
}

}  // namespace munja::train
