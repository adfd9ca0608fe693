#include "train/synth/line_paint.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

// Smooth random levels of about -1 to 1 with one value each `cell` pixels, added with `strength` to every channel
// times `tint`.
void AddNoiseField(FloatPicture& picture, float cell, const Levels& strength, Random& random) {
  const int columns = static_cast<int>(static_cast<float>(picture.width) / cell) + 3;
  const int rows = static_cast<int>(static_cast<float>(picture.height) / cell) + 3;
  std::vector<float> grid(static_cast<size_t>(columns) * static_cast<size_t>(rows));
  for (float& v : grid) v = random.Uniform(-1, 1);
  const float x0 = random.Unit(), y0 = random.Unit();
  std::vector<float> line(static_cast<size_t>(columns)), wide(static_cast<size_t>(picture.width));
  for (int y = 0; y < picture.height; ++y) {
    const float gy = static_cast<float>(y) / cell + y0;
    const int iy = static_cast<int>(gy);
    const float fy = gy - static_cast<float>(iy);
    const float* a = grid.data() + static_cast<size_t>(iy) * static_cast<size_t>(columns);
    const float* b = a + columns;
    for (int i = 0; i < columns; ++i) line[static_cast<size_t>(i)] = a[i] + (b[i] - a[i]) * fy;
    for (int x = 0; x < picture.width; ++x) {
      const float gx = static_cast<float>(x) / cell + x0;
      const int ix = static_cast<int>(gx);
      const float fx = gx - static_cast<float>(ix);
      const auto i = static_cast<size_t>(ix);
      wide[static_cast<size_t>(x)] = line[i] + (line[i + 1] - line[i]) * fx;
    }
    for (int c = 0; c < 3; ++c) {
      float* row = picture.row(c, y);
      const float s = strength[static_cast<size_t>(c)];
      for (int x = 0; x < picture.width; ++x) row[x] += s * wide[static_cast<size_t>(x)];
    }
  }
}

void FillFlat(FloatPicture& picture, const Levels& color) {
  for (size_t c = 0; c < 3; ++c) std::fill(picture.planes[c].begin(), picture.planes[c].end(), color[c]);
}

void FillGradient(FloatPicture& picture, const Levels& from, const Levels& to, Random& random) {
  const float angle = random.Uniform(0, 6.2832f);
  const float w = static_cast<float>(picture.width), h = static_cast<float>(picture.height);
  const float dx = std::cos(angle) / w, dy = std::sin(angle) / h;
  const float start = 0.5f - (dx * w + dy * h) / 2;
  for (int c = 0; c < 3; ++c) {
    const auto k = static_cast<size_t>(c);
    for (int y = 0; y < picture.height; ++y) {
      float* row = picture.row(c, y);
      const float t0 = start + dy * static_cast<float>(y);
      for (int x = 0; x < picture.width; ++x) row[x] = from[k] + (to[k] - from[k]) * (t0 + dx * static_cast<float>(x));
    }
  }
}

struct Colors {
  Color back, text;
};

Colors DocumentColors(Random& random) {
  Colors colors;
  const int paper = random.Integer(200, 255);
  const int warm = random.Chance(0.3f) ? random.Integer(0, 25) : 0;
  const auto level = [](int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); };
  colors.back = {level(paper), level(paper - warm / 3), level(paper - warm)};
  const int ink = random.Chance(0.7f) ? random.Integer(0, 50) : random.Integer(50, 120);
  colors.text = {level(ink), level(ink), level(ink)};
  if (random.Chance(0.15f)) colors.text = RandomContrast(random, colors.back, 90);
  if (random.Chance(0.06f)) std::swap(colors.back, colors.text);
  return colors;
}

Colors ReceiptColors(Random& random) {
  Colors colors;
  const auto level = [](int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); };
  const int paper = random.Integer(150, 255), ink = random.Integer(0, std::min(150, paper - 70));
  colors.back = {level(paper), level(paper + random.Integer(-6, 6)), level(paper + random.Integer(-14, 6))};
  colors.text = {level(ink), level(ink + random.Integer(-5, 10)), level(ink + random.Integer(-5, 25))};
  return colors;
}

Colors SceneColors(Random& random) {
  Colors colors;
  colors.back = RandomColor(random);
  colors.text = RandomContrast(random, colors.back, random.Uniform(45, 120));
  if (random.Chance(0.3f)) colors.text = Luma(colors.back) < 128 ? Color{255, 255, 255} : Color{10, 10, 10};
  return colors;
}

}  // namespace

FloatPicture PaintLine(const LineInk& ink, Scenery scenery, const LineOptions& options, Random& random) {
  FloatPicture picture(ink.width, ink.height);
  const bool is_scene = scenery == Scenery::kScene || scenery == Scenery::kScreen;
  const Colors colors = is_scene                        ? SceneColors(random)
                        : scenery == Scenery::kReceipt ? ReceiptColors(random)
                                                       : DocumentColors(random);
  const Levels back = LevelsOf(colors.back), text = LevelsOf(colors.text);
  const float fx = options.effects;
  if (random.Chance(is_scene ? 0.5f : 0.3f)) {
    const float change = (is_scene ? 40.0f : 18.0f) * fx;
    Levels to = back;
    const float all = random.Uniform(-change, change);
    for (float& v : to) v += all + random.Uniform(-change, change) * 0.3f;
    FillGradient(picture, back, to, random);
  } else {
    FillFlat(picture, back);
  }
  if (random.Chance(is_scene ? 0.5f : 0.3f)) {
    const float strength = random.Uniform(2, is_scene ? 25.0f : 8.0f) * fx;
    const float cell = random.LogUniform(1.5f, 40);
    AddNoiseField(picture, cell, {strength, strength, strength}, random);
  }
  Lay(picture, ink.others, text, random.Uniform(0.6f, 1));
  Lay(picture, ink.rules, text, random.Uniform(0.6f, 1));
  if (!ink.rim.empty()) {
    Lay(picture, ink.rim, LevelsOf(RandomContrast(random, colors.text, 60)), 1);
  }
  Lay(picture, ink.text, text, 1);
  return picture;
}

}  // namespace munja::train
