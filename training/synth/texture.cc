#include "synth/texture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace munja::train {
namespace {

constexpr int kStepBits =
    12;  // Fraction of positions between two random values.

// Adds one octave; `sum` holds 8 fractional bits of levels.
void AddOctave(Random& random, int width, int height, const Octave& octave,
               float weight, std::vector<int>& sum) {
  const float cell_x = std::max(octave.cell_x, 1.0f),
              cell_y = std::max(octave.cell_y, 1.0f);
  const int columns = static_cast<int>(static_cast<float>(width) / cell_x) + 3;
  const int rows = static_cast<int>(static_cast<float>(height) / cell_y) + 3;
  std::vector<int> grid(static_cast<size_t>(columns) *
                        static_cast<size_t>(rows));
  for (size_t i = 0; i < grid.size(); i += 8) {  // Eight values of one draw.
    uint64_t bits = random.Bits();
    for (size_t k = i; k < std::min(i + 8, grid.size()); ++k, bits >>= 8)
      grid[k] = static_cast<int>((static_cast<float>(bits & 255) - 127.5f) *
                                 weight * 256);
  }
  const float shift_x = random.Unit(), shift_y = random.Unit();
  const int step =
      static_cast<int>(static_cast<float>(1 << kStepBits) / cell_x);
  const int start =
      static_cast<int>(shift_x * static_cast<float>(1 << kStepBits));
  std::vector<int> line(static_cast<size_t>(columns));
  for (int y = 0; y < height; ++y) {
    const float at = shift_y + static_cast<float>(y) / cell_y;
    const int row = static_cast<int>(at);
    const int part =
        static_cast<int>((at - static_cast<float>(row)) * (1 << kStepBits));
    const int* above =
        grid.data() + static_cast<size_t>(row) * static_cast<size_t>(columns);
    const int* below = above + columns;
    for (int i = 0; i < columns; ++i)
      line[static_cast<size_t>(i)] =
          above[i] +
          static_cast<int>((static_cast<int64_t>(below[i] - above[i]) * part) >>
                           kStepBits);
    int* out = sum.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
    int position = start;
    for (int x = 0; x < width; ++x, position += step) {
      const size_t i = static_cast<size_t>(position >> kStepBits);
      const int f = position & ((1 << kStepBits) - 1);
      out[x] +=
          line[i] + (((line[i + 1] - line[i]) >> 4) * f >> (kStepBits - 4));
    }
  }
}

Color Gray(float level) {
  const uint8_t v = static_cast<uint8_t>(std::clamp(level, 0.0f, 255.0f));
  return {v, v, v};
}

void Modulate(uint8_t* pixel, int change) {
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<uint8_t>(std::clamp(pixel[c] + change, 0, 255));
}

std::vector<Octave> Fractal(Random& random, float coarsest, float finest,
                            float roughness) {
  std::vector<Octave> octaves;
  float weight = 1;
  for (float cell = coarsest; cell >= finest;
       cell *= random.Uniform(0.35f, 0.5f)) {
    octaves.push_back({cell, cell, weight});
    weight *= roughness;
  }
  return octaves;
}

void PaintGradient(Canvas& canvas, Random& random) {
  const Color from = RandomColor(random), to = RandomColor(random);
  const std::vector<Color> ramp = RandomRamp(random, from, to, 0, false);
  PaintPlane(canvas,
             SmoothNoise(random, canvas.width(), canvas.height(),
                         {{900, random.Uniform(200, 900), 1}}),
             ramp);
}

void PaintClouds(Canvas& canvas, Random& random) {
  const Color from = RandomColor(random), to = random.Chance(0.5f)
                                                   ? RandomColor(random)
                                                   : Mix(from, Gray(128), 0.5f);
  const float decay = random.Uniform(0.3f, 0.8f),
              finest = random.Uniform(2, 20),
              coarsest = random.Uniform(60, 300);
  const std::vector<Octave> octaves = Fractal(random, coarsest, finest, decay);
  const int stops = random.Integer(0, 2);
  const std::vector<Color> ramp = RandomRamp(random, from, to, stops, false);
  PaintPlane(canvas,
             SmoothNoise(random, canvas.width(), canvas.height(), octaves),
             ramp);
}

// Leaves, gravel, camouflage: blotches with hard edges.
void PaintBlotches(Canvas& canvas, Random& random) {
  const float hue = random.Unit();
  const float from_value = random.Uniform(0.05f, 0.4f),
              from_saturation = random.Uniform(0.1f, 0.8f);
  const Color from = FromHsv(hue, from_saturation, from_value);
  const float to_value = random.Uniform(0.4f, 1),
              to_saturation = random.Uniform(0, 0.8f);
  const Color to =
      FromHsv(hue + random.Uniform(-0.08f, 0.08f), to_saturation, to_value);
  const float cell = random.LogUniform(4, 40);
  const bool hard = random.Chance(0.6f);
  const int stops = random.Integer(2, 6);
  const std::vector<Color> ramp = RandomRamp(random, from, to, stops, hard);
  PaintPlane(canvas,
             SmoothNoise(random, canvas.width(), canvas.height(),
                         {{cell * 6, cell * 6, 1.2f},
                          {cell, cell, 1},
                          {cell / 2.7f, cell / 2.7f, 0.7f}}),
             ramp);
}

// Grain along one direction: wood, brushed metal, curtains, shutters.
void PaintGrain(Canvas& canvas, Random& random) {
  const bool upright = random.Chance(0.4f);
  const float along = random.Uniform(150, 600),
              across = random.LogUniform(2, 14);
  const auto octave = [&](float a, float b, float weight) {
    return upright ? Octave{b, a, weight} : Octave{a, b, weight};
  };
  const float hue =
      random.Chance(0.6f) ? random.Uniform(0.05f, 0.12f) : random.Unit();
  const float saturation = random.Uniform(0, 0.7f),
              value = random.Uniform(0.25f, 1);
  const int stops = random.Integer(0, 1);
  const float darker = value * random.Uniform(0.4f, 0.9f);
  const std::vector<Color> ramp =
      RandomRamp(random, FromHsv(hue, saturation, darker),
                 FromHsv(hue + 0.02f, saturation * 0.8f, value), stops, false);
  PaintPlane(canvas,
             SmoothNoise(random, canvas.width(), canvas.height(),
                         {octave(along, across * 5, 1),
                          octave(along * 0.6f, across, 0.8f),
                          octave(along / 8, 1.5f, 0.3f)}),
             ramp);
}

// Masonry, tiles, panels: rows of boxes over mortar.
void PaintBricks(Canvas& canvas, Random& random) {
  const Color mortar = RandomColor(random, 60, 220),
              brick = RandomColor(random, 30, 220);
  canvas.Clear(mortar);
  const float w = random.LogUniform(24, 160),
              h = w * random.Uniform(0.25f, 1.0f), gap = random.Uniform(1, 5);
  const float stagger = random.Chance(0.7f) ? 0.5f : 0,
              variety = random.Uniform(0, 0.35f);
  const float width = static_cast<float>(canvas.width()),
              height = static_cast<float>(canvas.height());
  PageMap map;
  if (random.Chance(0.6f)) {
    const auto jitter = [&] { return random.Uniform(-0.3f, 0.05f); };
    map = PageMap(width, height,
                  {Point{jitter() * width, jitter() * height},
                   Point{(1 - jitter()) * width, jitter() * height},
                   Point{(1 - jitter()) * width, (1 - jitter()) * height},
                   Point{jitter() * width, (1 - jitter()) * height}});
  }
  Path tones[3];
  int row = 0;
  for (float y = 0; y < height; y += h, ++row) {
    for (float x = -w * stagger * static_cast<float>(row & 1); x < width;
         x += w)
      tones[random.Below(3)].AddBox({x, y, x + w - gap, y + h - gap});
  }
  for (const Path& tone : tones) {
    const float other = random.Uniform(0, variety);
    canvas.Fill(tone, map, {.color = Mix(brick, RandomColor(random), other)});
  }
  const float strength = random.Uniform(0.05f, 0.4f);
  ModulateAll(canvas,
              SmoothNoise(random, canvas.width(), canvas.height(),
                          Fractal(random, 60, 3, 0.7f)),
              strength);
}

// Houses, windows, ground and sky, as far as blurred background shows of them.
void PaintStreet(Canvas& canvas, Random& random) {
  const float width = static_cast<float>(canvas.width()),
              height = static_cast<float>(canvas.height());
  const float horizon = height * random.Uniform(0.3f, 0.9f);
  const Color low = RandomColor(random, 160, 255),
              high = RandomColor(random, 120, 255);
  const std::vector<Color> sky = RandomRamp(random, high, low, 0, false);
  PaintPlane(canvas,
             SmoothNoise(random, canvas.width(), canvas.height(),
                         Fractal(random, 250, 30, 0.5f)),
             sky);
  const PageMap map;
  for (float x = random.Uniform(-80, 0); x < width;) {
    const float w = random.LogUniform(60, 260),
                top = random.Uniform(-0.3f, 0.8f) * horizon;
    Path house;
    house.AddBox({x, top, x + w, horizon});
    const Color wall = RandomColor(random, 30, 230);
    canvas.Fill(house, map,
                {.color = wall,
                 .to = Mix(wall, Gray(random.Uniform(0, 255)), 0.25f),
                 .gradient = true});
    const int columns = random.Integer(2, 7);
    const float cell = w / static_cast<float>(columns),
                cell_y = cell * random.Uniform(0.7f, 1.8f);
    const float margin_x = cell * random.Uniform(0.1f, 0.35f),
                margin_y = cell_y * random.Uniform(0.1f, 0.35f);
    Path panes;
    for (float y = top + margin_y; y + cell_y < horizon; y += cell_y) {
      for (int i = 0; i < columns; ++i) {
        const float left = x + cell * static_cast<float>(i);
        panes.AddFrame({left + margin_x, y, left + cell - margin_x,
                        y + cell_y - 2 * margin_y},
                       random.Chance(0.7f) ? cell : 1.5f);
      }
    }
    canvas.Fill(panes, map,
                {.color = RandomContrast(random, wall, 20),
                 .opacity = random.Uniform(0.5f, 1)});
    x += w + (random.Chance(0.3f) ? random.Uniform(0, 60) : 0);
  }
  Path ground;
  ground.AddBox({0, horizon, width, height});
  const Color road = RandomColor(random, 40, 190);
  canvas.Fill(
      ground, map,
      {.color = road, .to = Mix(road, Gray(60), 0.4f), .gradient = true});
  const float strength = random.Uniform(0.05f, 0.35f);
  ModulateAll(canvas,
              SmoothNoise(random, canvas.width(), canvas.height(),
                          Fractal(random, 120, 4, 0.8f)),
              strength);
}

// Woven threads, corrugated sheet, halftone: regular waves.
void PaintWaves(Canvas& canvas, Random& random) {
  const float period_x = random.LogUniform(3, 60),
              period_y = random.Chance(0.5f) ? 1e6f : random.LogUniform(3, 60);
  const float slant = random.Uniform(-0.5f, 0.5f);
  Plane plane{canvas.width(), canvas.height(), {}};
  plane.levels.resize(static_cast<size_t>(plane.width) *
                      static_cast<size_t>(plane.height));
  uint8_t wave[256];
  for (int i = 0; i < 256; ++i)
    wave[i] = static_cast<uint8_t>(
        127.5f + 127 * std::sin(static_cast<float>(i) * 6.2831853f / 256));
  const int step_x = static_cast<int>(65536 / period_x);
  for (int y = 0; y < plane.height; ++y) {
    const float fy = static_cast<float>(y);
    const int across = wave[static_cast<int>(256 * fy / period_y) & 255];
    uint32_t phase = static_cast<uint32_t>(
        static_cast<int64_t>(65536 * slant * fy / period_x));
    uint8_t* row = plane.levels.data() +
                   static_cast<size_t>(y) * static_cast<size_t>(plane.width);
    for (int x = 0; x < plane.width;
         ++x, phase += static_cast<uint32_t>(step_x))
      row[x] = static_cast<uint8_t>((wave[(phase >> 8) & 255] + across) >> 1);
  }
  const Color from = RandomColor(random);
  const bool hard = random.Chance(0.3f);
  const int stops = random.Integer(0, 1);
  const float other = random.Uniform(0.1f, 0.8f);
  const Color to = Mix(from, RandomColor(random), other);
  PaintPlane(canvas, plane, RandomRamp(random, from, to, stops, hard));
}

void PaintPlain(Canvas& canvas, Random& random) {
  canvas.Clear(RandomColor(random));
}

struct WeightedPainter {
  float weight;
  void (*paint)(Canvas&, Random&);
};
template <size_t kCount>
void PaintOneOf(const std::array<WeightedPainter, kCount>& painters,
                Canvas& canvas, Random& random) {
  std::array<float, kCount> weights;
  std::ranges::transform(painters, weights.begin(), &WeightedPainter::weight);
  painters[random.Weighted(weights)].paint(canvas, random);
}

}  // namespace

Plane SmoothNoise(Random& random, int width, int height,
                  const std::vector<Octave>& octaves) {
  Plane plane{width, height, {}};
  float squares = 0;
  for (const Octave& o : octaves) squares += o.weight * o.weight;
  std::vector<int> sum(static_cast<size_t>(width) * static_cast<size_t>(height),
                       128 * 256);
  // Independent octaves add up by their squares; 1.3 stretches what
  // interpolation has flattened.
  for (const Octave& o : octaves)
    AddOctave(random, width, height, o, 1.3f * o.weight / std::sqrt(squares),
              sum);
  plane.levels.resize(sum.size());
  for (size_t i = 0; i < sum.size(); ++i)
    plane.levels[i] = static_cast<uint8_t>(std::clamp(sum[i] >> 8, 0, 255));
  return plane;
}

std::vector<Color> RandomRamp(Random& random, Color from, Color to, int stops,
                              bool hard) {
  std::vector<Color> colors = {from};
  for (int i = 0; i < stops; ++i) {
    const float at = static_cast<float>(i + 1) / static_cast<float>(stops + 1);
    const float other = random.Uniform(0, 0.4f);
    colors.push_back(Mix(Mix(from, to, at), RandomColor(random), other));
  }
  colors.push_back(to);
  std::vector<Color> ramp(256);
  const size_t last = colors.size() - 1;
  for (size_t i = 0; i < 256; ++i) {
    const float at = static_cast<float>(i) / 255 * static_cast<float>(last);
    const size_t k = std::min(static_cast<size_t>(at), last - 1);
    const float part = at - static_cast<float>(k);
    ramp[i] = Mix(colors[k], colors[k + 1],
                  hard ? std::clamp(part * 8 - 3.5f, 0.0f, 1.0f) : part);
  }
  return ramp;
}

void PaintPlane(Canvas& canvas, const Plane& plane,
                const std::vector<Color>& ramp) {
  for (int y = 0; y < canvas.height(); ++y) {
    const uint8_t* levels = plane.row(y);
    uint8_t* out = canvas.picture().row(y);
    for (int x = 0; x < canvas.width(); ++x, out += 3) {
      const Color c = ramp[levels[x]];
      out[0] = c.r;
      out[1] = c.g;
      out[2] = c.b;
    }
  }
}

void ModulateWith(Canvas& canvas, const Coverage& coverage, const Plane& plane,
                  float strength) {
  const int factor = static_cast<int>(strength * 256);
  for (int y = 0; y < coverage.height; ++y) {
    const uint8_t* levels = plane.row(coverage.top + y) + coverage.left;
    const uint8_t* cover = coverage.row(y);
    uint8_t* out = canvas.picture().row(coverage.top + y) + 3 * coverage.left;
    for (int x = 0; x < coverage.width; ++x)
      Modulate(out + 3 * x,
               ((levels[x] - 128) * factor * cover[x]) / (255 * 256));
  }
}

void ModulateAll(Canvas& canvas, const Plane& plane, float strength) {
  const int factor = static_cast<int>(strength * 256);
  for (int y = 0; y < canvas.height(); ++y) {
    const uint8_t* levels = plane.row(y);
    uint8_t* out = canvas.picture().row(y);
    for (int x = 0; x < canvas.width(); ++x)
      Modulate(out + 3 * x, ((levels[x] - 128) * factor) >> 8);
  }
}

void PaintBackdrop(Canvas& canvas, Random& random) {
  PaintOneOf<8>({{{1.0f, PaintPlain},
                  {1.0f, PaintGradient},
                  {2.0f, PaintClouds},
                  {2.5f, PaintBlotches},
                  {1.5f, PaintGrain},
                  {1.5f, PaintBricks},
                  {2.5f, PaintStreet},
                  {1.2f, PaintWaves}}},
                canvas, random);
}

void PaintDesk(Canvas& canvas, Random& random) {
  PaintOneOf<5>({{{1.0f, PaintPlain},
                  {0.7f, PaintGradient},
                  {1.0f, PaintClouds},
                  {2.0f, PaintGrain},
                  {0.5f, PaintWaves}}},
                canvas, random);
}

void AgePaper(Canvas& canvas, Random& random, float roughness) {
  const float fine = random.Uniform(1, 4);
  ModulateAll(
      canvas,
      SmoothNoise(random, canvas.width(), canvas.height(),
                  {{random.Uniform(60, 300), random.Uniform(60, 300), 1},
                   {fine, fine, random.Uniform(0.3f, 1)}}),
      0.12f * roughness);
}

}  // namespace munja::train
