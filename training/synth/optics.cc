#include "synth/optics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "image/resize.h"
#include "synth/jpeg_artifacts.h"

namespace munja::train {
namespace {

// Inner loops run over chunks of constant length, which compilers turn into
// vectors also at -O2.
constexpr int kChunk = 48;
constexpr int kReach = 24;  // Farthest tap.

std::vector<BlurTap> Normalized(
    const std::vector<std::array<float, 3>>& points) {
  float sum = 0, largest = 0;
  for (const auto& p : points) {
    sum += p[2];
    largest = std::max(largest, p[2]);
  }
  std::vector<BlurTap> taps;
  int left = 256;
  size_t strongest = 0;
  for (const auto& p : points) {
    const int weight = static_cast<int>(p[2] / sum * 256 + 0.5f);
    if (weight == 0) continue;
    const BlurTap tap{std::clamp(static_cast<int>(p[0]), -kReach, kReach),
                      std::clamp(static_cast<int>(p[1]), -kReach, kReach),
                      weight};
    if (p[2] == largest) strongest = taps.size();
    taps.push_back(tap);
    left -= weight;
  }
  if (taps.empty()) return {{0, 0, 256}};
  taps[strongest].weight += left;
  if (taps[strongest].weight < 0) return {{0, 0, 256}};
  return taps;
}

// Normal deviates * 64, drawn once; grain of a row starts at a random place of
// it.
constexpr int kGrainSize = 1 << 14;
const std::vector<int8_t>& GrainTable() {
  static const std::vector<int8_t> table = [] {
    std::vector<int8_t> values(kGrainSize + 2 * kChunk);
    Random random(0x6772616E);
    for (int8_t& v : values)
      v = static_cast<int8_t>(
          std::clamp(random.Normal() * 36, -127.0f, 127.0f));
    return values;
  }();
  return table;
}
constexpr float kGrainDeviation = 36;

void MapLevels(image::Image& picture, const std::array<uint8_t, 256>& table) {
  for (int y = 0; y < picture.height(); ++y) {
    uint8_t* row = picture.row(y);
    for (int i = 0; i < 3 * picture.width(); ++i) row[i] = table[row[i]];
  }
}

// Smaller, then as large as before: a small sensor, a thumbnail. `fraction` of
// the resolution is kept.
Status LoseResolution(image::Image& picture, float fraction, bool smooth) {
  const int w = std::max(
      static_cast<int>(static_cast<float>(picture.width()) * fraction), 8);
  const int h = std::max(
      static_cast<int>(static_cast<float>(picture.height()) * fraction), 8);
  MUNJA_ASSIGN_OR_RETURN(image::Image small, image::Image::Create(w, h));
  if (smooth) {
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(picture.view(), small));
  } else {
    MUNJA_RETURN_IF_ERROR(image::Resize(picture.view(), small));
  }
  return image::Resize(small.view(), picture);
}

}  // namespace

std::vector<BlurTap> DefocusTaps(float radius) {
  const int reach = std::min(static_cast<int>(std::ceil(radius)), kReach);
  std::vector<std::array<float, 3>> points;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      const float distance =
          std::hypot(static_cast<float>(x), static_cast<float>(y));
      const float weight = std::clamp(radius - distance + 0.5f, 0.0f, 1.0f);
      if (weight > 0)
        points.push_back(
            {static_cast<float>(x), static_cast<float>(y), weight});
    }
  }
  return Normalized(points);
}

std::vector<BlurTap> MotionTaps(float dx, float dy) {
  const int steps = std::clamp(
      static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))), 1,
      2 * kReach);
  std::vector<std::array<float, 3>> points;
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps) - 0.5f;
    points.push_back({std::round(dx * t), std::round(dy * t), 1});
  }
  return Normalized(points);
}

std::vector<BlurTap> GaussianTaps(float sigma) {
  const int reach = std::min(static_cast<int>(std::ceil(2.2f * sigma)), kReach);
  std::vector<std::array<float, 3>> points;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      const float d2 = static_cast<float>(x * x + y * y) / (2 * sigma * sigma);
      if (d2 < 3.2f)
        points.push_back(
            {static_cast<float>(x), static_cast<float>(y), std::exp(-d2)});
    }
  }
  return Normalized(points);
}

Status BlurPicture(image::Image& picture, std::span<const BlurTap> taps) {
  const int width = picture.width(), height = picture.height();
  const int row_bytes = 3 * width;
  const size_t stride = static_cast<size_t>(row_bytes + 6 * kReach + kChunk);
  int reach = 0;
  for (const BlurTap& t : taps)
    reach = std::max({reach, std::abs(t.dx), std::abs(t.dy)});
  if (reach > kReach) return InvalidArgument("a blur reaches too far");
  std::vector<uint8_t> source(stride * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y) {
    uint8_t* row = source.data() + static_cast<size_t>(y) * stride;
    const uint8_t* in = picture.row(y);
    for (int i = 0; i < kReach; ++i) {
      std::memcpy(row + 3 * i, in, 3);
      std::memcpy(row + 3 * (kReach + width + i), in + 3 * (width - 1), 3);
    }
    std::memcpy(row + 3 * kReach, in, static_cast<size_t>(row_bytes));
  }
  std::vector<const uint8_t*> starts(taps.size());
  for (int y = 0; y < height; ++y) {
    for (size_t t = 0; t < taps.size(); ++t) {
      const int from = std::clamp(y + taps[t].dy, 0, height - 1);
      starts[t] = source.data() + static_cast<size_t>(from) * stride +
                  3 * (kReach + taps[t].dx);
    }
    uint8_t* out = picture.row(y);
    for (int x = 0; x < row_bytes; x += kChunk) {
      uint16_t sum[kChunk];
      for (int i = 0; i < kChunk; ++i) sum[i] = 128;
      for (size_t t = 0; t < taps.size(); ++t) {
        const uint8_t* in = starts[t] + x;
        const uint16_t weight = static_cast<uint16_t>(taps[t].weight);
        // 255 * 256 + 128 fits: the weights sum up to 256.
        for (int i = 0; i < kChunk; ++i)
          sum[i] = static_cast<uint16_t>(sum[i] + in[i] * weight);
      }
      uint8_t levels[kChunk];
      for (int i = 0; i < kChunk; ++i)
        levels[i] = static_cast<uint8_t>(sum[i] >> 8);
      std::memcpy(out + x, levels,
                  static_cast<size_t>(std::min(kChunk, row_bytes - x)));
    }
  }
  return {};
}

LightField::LightField() {
  for (auto& row : gain) std::fill(std::begin(row), std::end(row), 1.0f);
}

void LightField::Vignette(float strength) {
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const float dx = 2.0f * static_cast<float>(x) / (kSide - 1) - 1,
                  dy = 2.0f * static_cast<float>(y) / (kSide - 1) - 1;
      gain[y][x] *= 1 - strength * 0.5f * (dx * dx + dy * dy);
    }
  }
}

void LightField::Shadow(Random& random, float darkness) {
  const float angle = random.Uniform(0, 6.2831853f), nx = std::cos(angle),
              ny = std::sin(angle);
  const float edge = random.Uniform(-0.5f, 0.5f),
              softness = random.LogUniform(0.04f, 0.8f);
  // A curved edge: the shadow of something round.
  const float bow = random.Uniform(-0.6f, 0.6f);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const float dx = 2.0f * static_cast<float>(x) / (kSide - 1) - 1,
                  dy = 2.0f * static_cast<float>(y) / (kSide - 1) - 1;
      const float across = dx * nx + dy * ny, along = dx * ny - dy * nx;
      const float inside = std::clamp(
          (across - edge + bow * along * along) / softness + 0.5f, 0.0f, 1.0f);
      gain[y][x] *= 1 - darkness * inside * inside * (3 - 2 * inside);
    }
  }
}

void LightField::Slope(Random& random, float strength) {
  const float angle = random.Uniform(0, 6.2831853f), nx = std::cos(angle),
              ny = std::sin(angle);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const float dx = 2.0f * static_cast<float>(x) / (kSide - 1) - 1,
                  dy = 2.0f * static_cast<float>(y) / (kSide - 1) - 1;
      gain[y][x] *= 1 + strength * 0.7f * (dx * nx + dy * ny);
    }
  }
}

void ApplyLight(image::Image& picture, const LightField& light,
                const float balance[3], float lift) {
  constexpr int kSide = LightField::kSide;
  const int width = picture.width(), height = picture.height();
  std::vector<int> line(
      static_cast<size_t>(width));  // Gain * 256 of each column.
  int factor[3];
  for (int c = 0; c < 3; ++c) factor[c] = static_cast<int>(balance[c] * 256);
  const int keep = static_cast<int>(256 - lift),
            add = static_cast<int>(lift * 200);
  for (int y = 0; y < height; ++y) {
    const float at =
        static_cast<float>(y) / static_cast<float>(height) * (kSide - 1);
    const int gy = std::min(static_cast<int>(at), kSide - 2);
    const float fy = at - static_cast<float>(gy);
    float row_gain[kSide];
    for (int i = 0; i < kSide; ++i)
      row_gain[i] =
          light.gain[gy][i] + (light.gain[gy + 1][i] - light.gain[gy][i]) * fy;
    const float step =
        static_cast<float>(kSide - 1) / static_cast<float>(width);
    for (int i = 0; i + 1 < kSide; ++i) {
      const int begin = (width * i) / (kSide - 1),
                end = (width * (i + 1)) / (kSide - 1);
      float value = row_gain[i] * 256;
      const float slope = (row_gain[i + 1] - row_gain[i]) * 256 * step;
      for (int x = begin; x < end; ++x, value += slope)
        line[static_cast<size_t>(x)] = static_cast<int>(value);
    }
    uint8_t* out = picture.row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      for (int c = 0; c < 3; ++c) {
        const int level =
            (out[c] * line[static_cast<size_t>(x)] >> 4) * factor[c] >> 12;
        out[c] =
            static_cast<uint8_t>(std::clamp((level * keep + add) >> 8, 0, 255));
      }
    }
  }
}

void AddGlare(image::Image& picture, Random& random, float strength) {
  const float w = static_cast<float>(picture.width()),
              h = static_cast<float>(picture.height());
  const float cx = random.Uniform(0, w), cy = random.Uniform(0, h),
              radius = random.LogUniform(0.08f, 0.5f) * std::max(w, h);
  const float squeeze = random.LogUniform(0.3f, 3.0f);
  const float angle = random.Uniform(0, 3.1415927f),
              c = std::cos(angle) / radius, s = std::sin(angle) / radius;
  const int y0 = std::max(static_cast<int>(cy - 3 * radius), 0),
            y1 = std::min(static_cast<int>(cy + 3 * radius), picture.height());
  const int x0 = std::max(static_cast<int>(cx - 3 * radius), 0),
            x1 = std::min(static_cast<int>(cx + 3 * radius), picture.width());
  for (int y = y0; y < y1; ++y) {
    const float dy = static_cast<float>(y) - cy;
    uint8_t* row = picture.row(y);
    for (int x = x0; x < x1; ++x) {
      const float dx = static_cast<float>(x) - cx;
      const float u = (c * dx + s * dy), v = (c * dy - s * dx) * squeeze,
                  d2 = u * u + v * v;
      if (d2 >= 1) continue;
      const float part = strength * (1 - d2) * (1 - d2);
      for (int k = 0; k < 3; ++k)
        row[3 * x + k] = static_cast<uint8_t>(
            static_cast<float>(row[3 * x + k]) +
            (255 - static_cast<float>(row[3 * x + k])) * part);
    }
  }
}

void AddGrain(image::Image& picture, Random& random, float sigma,
              float color_part) {
  const std::vector<int8_t>& table = GrainTable();
  const int row_bytes = 3 * picture.width();
  const int16_t of_color = static_cast<int16_t>(
      std::min(sigma * color_part * 256 / kGrainDeviation, 255.0f));
  const int16_t of_all = static_cast<int16_t>(std::min(
      sigma * std::sqrt(1 - color_part * color_part) * 256 / kGrainDeviation,
      255.0f));
  for (int y = 0; y < picture.height(); ++y) {
    uint8_t* row = picture.row(y);
    for (int x = 0; x < row_bytes; x += kChunk) {
      // Every chunk from its own place: no pattern repeats.
      const uint64_t bits = random.Bits();
      const int8_t* own = table.data() + (bits & (kGrainSize - 1));
      const int8_t* shared = table.data() + (bits >> 32 & (kGrainSize - 1));
      int16_t change[kChunk];
      for (int i = 0; i < kChunk / 3; ++i)
        change[3 * i] = change[3 * i + 1] = change[3 * i + 2] = shared[i];
      for (int i = 0; i < kChunk; ++i)
        change[i] =
            static_cast<int16_t>((change[i] * of_all + own[i] * of_color) >> 8);
      const int count = std::min(kChunk, row_bytes - x);
      for (int i = 0; i < count; ++i)
        row[x + i] =
            static_cast<uint8_t>(std::clamp(row[x + i] + change[i], 0, 255));
    }
  }
}

void Invert(image::Image& picture) {
  for (int y = 0; y < picture.height(); ++y) {
    uint8_t* row = picture.row(y);
    for (int i = 0; i < 3 * picture.width(); ++i)
      row[i] = static_cast<uint8_t>(255 - row[i]);
  }
}

void ToGray(image::Image& picture) {
  for (int y = 0; y < picture.height(); ++y) {
    uint8_t* row = picture.row(y);
    for (int x = 0; x < picture.width(); ++x, row += 3)
      row[0] = row[1] = row[2] =
          static_cast<uint8_t>((77 * row[0] + 150 * row[1] + 29 * row[2]) >> 8);
  }
}

void AdjustTone(image::Image& picture, float contrast, float gamma) {
  std::array<uint8_t, 256> table{};
  for (size_t i = 0; i < 256; ++i) {
    const float level =
        std::clamp((static_cast<float>(i) - 128) * contrast + 128, 0.0f,
                   255.0f) /
        255;
    table[i] = static_cast<uint8_t>(std::pow(level, gamma) * 255 + 0.5f);
  }
  MapLevels(picture, table);
}

Status TakePicture(Canvas& canvas, Random& random, Capture capture,
                   float severity) {
  image::Image& picture = canvas.picture();
  const bool phone = capture == Capture::kPhone,
             scan = capture == Capture::kScan;
  const float s = severity;
  // Light.
  if (phone && random.Chance(0.75f)) {
    LightField light;
    if (random.Chance(0.5f)) light.Slope(random, random.Uniform(0, 0.4f) * s);
    if (random.Chance(0.4f)) light.Vignette(random.Uniform(0.05f, 0.6f) * s);
    const bool dim = random.Chance(0.12f * s);
    if (!dim && random.Chance(0.35f))
      light.Shadow(random, random.Uniform(0.15f, 0.65f) * s);
    float balance[3], exposure = dim ? random.Uniform(0.3f, 0.7f)
                                     : random.Uniform(0.8f, 1.15f);
    for (float& b : balance) b = exposure * random.Uniform(0.88f, 1.08f);
    ApplyLight(picture, light, balance,
               random.Chance(0.2f) ? random.Uniform(0, 60) * s : 0);
  }
  if (phone && random.Chance(0.12f * s))
    AddGlare(picture, random, random.Uniform(0.2f, 0.85f));
  // Lens.
  const float blur_chance = phone ? 0.5f : scan ? 0.4f : 0.08f;
  if (random.Chance(blur_chance * s)) {
    const float kind = random.Unit();
    if (kind < 0.6f) {
      MUNJA_RETURN_IF_ERROR(BlurPicture(
          picture, GaussianTaps(random.Uniform(0.4f, phone ? 1.3f : 0.8f))));
    } else if (kind < 0.8f) {
      MUNJA_RETURN_IF_ERROR(BlurPicture(
          picture, DefocusTaps(random.Uniform(0.7f, phone ? 2.6f : 1.2f))));
    } else if (phone) {
      const float angle = random.Uniform(0, 6.2831853f),
                  length = random.Uniform(1.5f, 7);
      MUNJA_RETURN_IF_ERROR(BlurPicture(
          picture,
          MotionTaps(length * std::cos(angle), length * std::sin(angle))));
    }
  }
  if (random.Chance((phone ? 0.15f : 0.1f) * s)) {
    const bool smooth = random.Chance(0.7f);
    MUNJA_RETURN_IF_ERROR(
        LoseResolution(picture, random.Uniform(0.5f, 0.9f), smooth));
  }
  // Sensor.
  if (random.Chance((phone ? 0.6f : scan ? 0.35f : 0.03f) * s)) {
    const float color = random.Unit();
    AddGrain(picture, random, random.LogUniform(1, phone ? 14.0f : 7.0f),
             color);
  }
  if (random.Chance(0.3f)) {
    const float gamma = random.LogUniform(0.75f, 1.35f);
    AdjustTone(picture, random.Uniform(0.75f, 1.25f), gamma);
  }
  if (random.Chance(scan ? 0.4f : 0.06f)) ToGray(picture);
  if (scan && random.Chance(0.08f))
    AdjustTone(picture, random.Uniform(2.5f, 9),
               1);  // Copied, faxed: hard edges.
  if (random.Chance(scan ? 0.03f : 0.02f)) Invert(picture);
  if (random.Chance(phone ? 0.7f : 0.4f)) {
    const bool subsample = random.Chance(0.7f);
    MUNJA_RETURN_IF_ERROR(CompressAsJpeg(
        picture, random.Integer(s > 0.5f ? 25 : 60, 95), subsample));
  }
  return {};
}

}  // namespace munja::train
