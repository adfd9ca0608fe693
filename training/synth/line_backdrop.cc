#include "synth/line_backdrop.h"

#include <algorithm>
#include <cmath>

#include "synth/coverage.h"
#include "synth/noise_field.h"

namespace munja::train {
namespace {

void FillGradient(FloatPicture& picture, const Levels& from, const Levels& to,
                  Random& random) {
  const float angle = random.Uniform(0, 6.2832f);
  const float w = static_cast<float>(picture.width),
              h = static_cast<float>(picture.height);
  const float dx = std::cos(angle) / w, dy = std::sin(angle) / h;
  const float start = 0.5f - (dx * w + dy * h) / 2;
  for (int c = 0; c < 3; ++c) {
    const auto k = static_cast<size_t>(c);
    for (int y = 0; y < picture.height; ++y) {
      float* row = picture.row(c, y);
      const float t0 = start + dy * static_cast<float>(y);
      for (int x = 0; x < picture.width; ++x)
        row[x] =
            from[k] + (to[k] - from[k]) * (t0 + dx * static_cast<float>(x));
    }
  }
}

void AddField(FloatPicture& picture, const NoiseField& field,
              const Levels& strength) {
  for (size_t c = 0; c < 3; ++c) {
    float* plane = picture.planes[c].data();
    for (size_t i = 0; i < field.values.size(); ++i)
      plane[i] += strength[c] * field.values[i];
  }
}

// Levels near `back`, at most `change` away, gray-ish or colored.
Levels Near(const Levels& back, float change, float color, Random& random) {
  const float all = random.Uniform(-change, change);
  Levels near = back;
  for (float& v : near)
    v = std::clamp(v + all + color * random.Uniform(-change, change), 0.0f,
                   255.0f);
  return near;
}

// Bars across the picture: ruled or checkered paper, planks, blinds, tiles.
void AddStripes(FloatPicture& picture, float em, const Levels& color,
                float opacity, bool both_ways, Random& random) {
  const float w = static_cast<float>(picture.width),
              h = static_cast<float>(picture.height);
  const bool upright = random.Chance(0.5f);
  CoverageBuilder builder(picture.width, picture.height);
  for (int way = 0; way < (both_ways ? 2 : 1); ++way) {
    const bool is_upright = upright != (way == 1);
    const float pitch = em * random.Uniform(0.3f, 2.0f),
                thickness =
                    std::min(pitch * 0.6f, em * random.LogUniform(0.02f, 0.5f));
    const float lean = random.Normal() * 0.03f, length = is_upright ? w : h;
    Path path;
    for (float at = random.Uniform(-pitch, 0);
         at < length && path.points().size() < 2000; at += pitch) {
      if (is_upright) {
        path.AddSegment({at, -2}, {at + lean * h, h + 2}, thickness);
      } else {
        path.AddSegment({-2, at}, {w + 2, at + lean * w}, thickness);
      }
    }
    builder.Add(path, PageMap());
  }
  Lay(picture, builder.Take(), color, opacity);
}

// Disks and polygons: foliage, goods, lights out of focus, the next sign.
void AddShapes(FloatPicture& picture, float em, const Levels& back,
               float change, Random& random) {
  const float w = static_cast<float>(picture.width),
              h = static_cast<float>(picture.height);
  const int count = random.Integer(1, 6);
  CoverageBuilder builder(picture.width, picture.height);
  for (int i = 0; i < count; ++i) {
    const Point center = {random.Uniform(-0.1f * w, 1.1f * w),
                          random.Uniform(-0.2f * h, 1.2f * h)};
    const float radius = em * random.LogUniform(0.15f, 3.0f);
    Path path;
    if (random.Chance(0.4f)) {
      path.AddEllipse(center, radius, radius * random.Uniform(0.5f, 1));
    } else {
      Point corners[6];
      const int n = random.Integer(3, 6);
      for (int k = 0; k < n; ++k) {
        const float angle = (static_cast<float>(k) + random.Uniform(0, 0.8f)) *
                            6.2832f / static_cast<float>(n);
        corners[k] = center + Point{std::cos(angle), std::sin(angle)} *
                                  (radius * random.Uniform(0.5f, 1.5f));
      }
      path.AddPolygon({corners, static_cast<size_t>(n)});
    }
    builder.Add(path, PageMap());
    Coverage coverage = builder.Take(2);
    if (coverage.empty()) continue;
    if (random.Chance(0.5f)) Blur(coverage, random.Integer(1, 3));
    const float opacity = random.Uniform(0.3f, 1);
    Lay(picture, coverage, Near(back, change, 0.7f, random), opacity);
  }
}

// Edges of what the text stands on: a table's cell, a button, a sign's border,
// a label.
void AddFrame(FloatPicture& picture, float em, const Levels& color,
              float opacity, Random& random) {
  const float w = static_cast<float>(picture.width),
              h = static_cast<float>(picture.height);
  const float thickness = std::max(0.7f, em * random.LogUniform(0.02f, 0.12f)),
              half = thickness / 2;
  const auto inset = [&] { return half + em * random.Uniform(0, 0.07f); };
  CoverageBuilder builder(picture.width, picture.height);
  Path path;
  if (random.Chance(0.5f)) {
    const float to = inset(), from = inset();
    path.AddSegment({-2, from}, {w + 2, to}, thickness);
  }
  if (random.Chance(0.5f)) {
    const float to = inset(), from = inset();
    path.AddSegment({-2, h - from}, {w + 2, h - to}, thickness);
  }
  if (random.Chance(0.3f)) {
    const float to = inset(), from = inset();
    path.AddSegment({from, -2}, {to, h + 2}, thickness);
  }
  if (random.Chance(0.3f)) {
    const float to = inset(), from = inset();
    path.AddSegment({w - from, -2}, {w - to, h + 2}, thickness);
  }
  builder.Add(path, PageMap());
  Lay(picture, builder.Take(), color, opacity);
}

}  // namespace

void PaintLineBackdrop(FloatPicture& picture, const Levels& back,
                       float contrast, float em, Scenery scenery,
                       float strength, Random& random) {
  const bool is_scene = scenery == Scenery::kScene,
             is_screen = scenery == Scenery::kScreen;
  // The range of levels that text still stands out from.
  const float room =
      contrast * (is_scene ? 0.5f : 0.25f) * std::min(strength, 1.3f);
  if (random.Chance(is_scene ? 0.5f : 0.25f)) {
    const Levels to = Near(back, 0.7f * room, 0.4f, random);
    const Levels from = Near(back, 0.7f * room, 0.4f, random);
    FillGradient(picture, from, to, random);
  } else {
    for (size_t c = 0; c < 3; ++c)
      std::fill(picture.planes[c].begin(), picture.planes[c].end(), back[c]);
  }
  if (strength <= 0) return;
  if (is_scene && random.Chance(0.35f))
    AddShapes(picture, em, back, 1.2f * room, random);
  if (random.Chance(is_scene ? 0.1f : is_screen ? 0.05f : 0.06f)) {
    const bool both_ways = random.Chance(0.3f);
    const float opacity = random.Uniform(0.3f, 1);
    AddStripes(picture, em, Near(back, 1.3f * room, 0.5f, random), opacity,
               both_ways, random);
  }
  if (random.Chance(is_screen ? 0.1f : 0.5f)) {
    const float level = random.Uniform(0.05f, is_scene ? 0.5f : 0.25f) * room;
    const float cell = em * random.LogUniform(0.04f, 1.5f),
                longer = random.Chance(0.2f) ? random.Uniform(2, 8) : 1.0f;
    const bool across = random.Chance(0.6f);
    const NoiseField field =
        MakeNoise(picture.width, picture.height,
                  std::max(1.0f, across ? cell * longer : cell),
                  std::max(1.0f, across ? cell : cell * longer), random);
    const float tint = is_scene ? 0.5f : 0.15f;
    AddField(picture, field,
             {level, level * random.Uniform(1 - tint, 1),
              level * random.Uniform(1 - tint, 1)});
  }
  if (random.Chance(is_screen ? 0.15f : is_scene ? 0.08f : 0.1f)) {
    // A frame is ink: as dark as text, but thin and at the edge.
    const float opacity = random.Uniform(0.4f, 1);
    AddFrame(picture, em, Near(back, 1.5f * contrast, 0.3f, random), opacity,
             random);
  }
}

}  // namespace munja::train
