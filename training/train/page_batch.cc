#include "train/page_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "train/schedule.h"
#include "train/text_maps.h"

namespace munja::train {
namespace {

using geometry::Point;

// From a crop's pixels to the page's, and back.
struct CropPlace {
  Point center;  // On the page.
  float cosine = 1, sine = 0;
  float scale = 1;  // Crop pixels of one page pixel.
  float half = 0;   // Half of the crop's side.

  Point ToPage(float x, float y) const {
    const float u = (x - half) / scale, v = (y - half) / scale;
    return {center.x + cosine * u - sine * v, center.y + sine * u + cosine * v};
  }
  Point ToCrop(Point p) const {
    const Point q = p - center;
    return {half + scale * (cosine * q.x + sine * q.y),
            half + scale * (-sine * q.x + cosine * q.y)};
  }
};

Point CenterOf(const geometry::Polygon& outline) {
  Point sum;
  for (const Point& p : outline) sum = sum + p;
  return sum * (1.0f / static_cast<float>(outline.size()));
}

CropPlace DrawPlace(const PageSample& page, const PageCropSettings& settings,
                    Random& random) {
  CropPlace place;
  place.scale = random.LogUniform(settings.smallest, settings.largest);
  place.half = 0.5f * static_cast<float>(settings.side);
  float degrees = random.Uniform(-settings.turn, settings.turn);
  if (random.Chance(settings.quarter))
    degrees += random.Chance(0.5f) ? 90 : -90;
  const float angle = degrees * std::numbers::pi_v<float> / 180;
  place.cosine = std::cos(angle);
  place.sine = std::sin(angle);
  const auto width = static_cast<float>(page.picture.width());
  const auto height = static_cast<float>(page.picture.height());
  const float reach = place.half / place.scale;
  place.center = {random.Uniform(0, width), random.Uniform(0, height)};
  // Mostly where there is something to find.
  if (!page.lines.empty() && random.Chance(0.8f)) {
    const auto& outline = page.lines[random.Below(page.lines.size())].outline;
    if (!outline.empty()) {
      place.center = CenterOf(outline) + Point{random.Uniform(-reach, reach),
                                               random.Uniform(-reach, reach)};
    }
  }
  // Little beyond the page's border, where it is larger than the crop.
  const auto inside = [&](float v, float length) {
    const float low = 0.9f * reach, high = length - 0.9f * reach;
    return low < high ? std::clamp(v, low, high) : length / 2;
  };
  place.center = {inside(place.center.x, width),
                  inside(place.center.y, height)};
  return place;
}

using LevelTables = std::array<std::array<float, 256>, 3>;

LevelTables DrawLevels(const PageCropSettings& s, Random& random) {
  const float slope = random.Uniform(1 - s.contrast, 1 + s.contrast);
  const float base = random.Uniform(-s.brightness, s.brightness);
  const float gamma = random.Uniform(1 - s.gamma, 1 + s.gamma);
  const bool invert = random.Chance(s.invert);
  LevelTables levels;
  for (auto& channel : levels) {
    const float shift = base + random.Uniform(-s.tint, s.tint);
    for (int i = 0; i < 256; ++i) {
      float level = std::pow(static_cast<float>(i) / 255.0f, gamma);
      level = std::clamp((level - 0.5f) * slope + 0.5f + shift, 0.0f, 1.0f);
      channel[static_cast<size_t>(i)] = 2 * (invert ? 1 - level : level) - 1;
    }
  }
  return levels;
}

// Bilinear; mid-gray beyond the page, as the pipeline pads.
void DrawPixels(const image::Image& page, const CropPlace& place, int side,
                const LevelTables& levels, bool gray, float* out) {
  const int width = page.width(), height = page.height();
  const Point origin = place.ToPage(0, 0);
  const Point dx = place.ToPage(1, 0) - origin;
  const Point dy = place.ToPage(0, 1) - origin;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x, out += 3) {
      const Point p =
          origin + dx * static_cast<float>(x) + dy * static_cast<float>(y);
      const float fx = std::floor(p.x), fy = std::floor(p.y);
      const int left = static_cast<int>(fx), top = static_cast<int>(fy);
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) {
        out[0] = out[1] = out[2] = 0;
        continue;
      }
      const float u = p.x - fx, v = p.y - fy;
      const uint8_t* a = page.row(top) + 3 * left;
      const uint8_t* b = page.row(top + 1) + 3 * left;
      for (size_t c = 0; c < 3; ++c) {
        const auto& level = levels[c];
        const float upper = level[a[c]] + u * (level[a[c + 3]] - level[a[c]]);
        const float lower = level[b[c]] + u * (level[b[c + 3]] - level[b[c]]);
        out[c] = upper + v * (lower - upper);
      }
      if (gray) {
        const float mean = 0.3f * out[0] + 0.59f * out[1] + 0.11f * out[2];
        out[0] = out[1] = out[2] = mean;
      }
    }
  }
}

}  // namespace

void PageCropSettings::Read(bundle::Fields& fields) {
  fields.Read("side", &side);
  fields.Read("smallest", &smallest);
  fields.Read("largest", &largest);
  fields.Read("turn", &turn);
  fields.Read("quarter", &quarter);
  fields.Read("contrast", &contrast);
  fields.Read("brightness", &brightness);
  fields.Read("gamma", &gamma);
  fields.Read("tint", &tint);
  fields.Read("invert", &invert);
  fields.Read("gray", &gray);
  fields.Read("least_text", &least_text);
}

Status PageCropSettings::Validate(const std::string& path) const {
  if (side < 32 || side > 4096 || side % 32 != 0) {
    return Malformed(path + ".side is " + std::to_string(side) +
                     ", wants a multiple of 32 up to 4096");
  }
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "smallest", smallest, 0.1, 10));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "largest", largest, smallest, 10));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "turn", turn, 0, 180));
  const std::pair<const char*, float> parts[] = {
      {"quarter", quarter}, {"contrast", contrast}, {"brightness", brightness},
      {"gamma", gamma},     {"tint", tint},         {"invert", invert},
      {"gray", gray}};
  for (const auto& [name, value] : parts)
    MUNJA_RETURN_IF_ERROR(CheckRange(path, name, value, 0, 1));
  return CheckRange(path, "least_text", least_text, 1, 100);
}

PageBatch MakePageBatch(const std::vector<PageSample>& pages, int count,
                        const PageCropSettings& settings, Random random) {
  PageBatch batch;
  batch.side = settings.side;
  batch.count = static_cast<int>(pages.size()) * count;
  const size_t area = static_cast<size_t>(settings.side) * settings.side;
  const size_t size = area * static_cast<size_t>(batch.count);
  batch.pixels.resize(3 * size);
  for (auto* map :
       {&batch.text, &batch.text_mask, &batch.threshold, &batch.threshold_mask})
    map->resize(size);
  size_t at = 0;
  for (const PageSample& page : pages) {
    for (int i = 0; i < count; ++i, at += area) {
      const CropPlace place = DrawPlace(page, settings, random);
      const LevelTables levels = DrawLevels(settings, random);
      const bool gray = random.Chance(settings.gray);
      DrawPixels(page.picture, place, settings.side, levels, gray,
                 batch.pixels.data() + 3 * at);
      std::vector<OutlinedLine> lines;
      for (const PageLine& line : page.lines) {
        OutlinedLine& out = lines.emplace_back();
        out.ignore = line.ignore;
        for (const Point& p : line.outline)
          out.outline.push_back(place.ToCrop(p));
      }
      DrawTextMaps(
          lines, settings.side, settings.side, settings.least_text,
          {batch.text.data() + at, batch.text_mask.data() + at,
           batch.threshold.data() + at, batch.threshold_mask.data() + at});
    }
  }
  return batch;
}

}  // namespace munja::train
