#include "synth/line_paint.h"

#include <algorithm>
#include <cmath>

#include "synth/line_backdrop.h"
#include "synth/noise_field.h"

namespace munja::train {
namespace {

struct Colors {
  Color back, text;
};

uint8_t Level(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

Colors DocumentColors(Random& random) {
  Colors colors;
  const int paper =
      random.Chance(0.8f) ? random.Integer(215, 255) : random.Integer(150, 215);
  const int warm = random.Chance(0.3f) ? random.Integer(0, 25) : 0;
  colors.back = {Level(paper), Level(paper - warm / 3), Level(paper - warm)};
  const int ink = random.Chance(0.75f) ? random.Integer(0, 60)
                                       : random.Integer(60, paper - 75);
  colors.text = {Level(ink), Level(ink), Level(ink)};
  if (random.Chance(0.15f))
    colors.text = RandomContrast(random, colors.back, 80);
  if (random.Chance(0.06f)) std::swap(colors.back, colors.text);
  return colors;
}

Colors ReceiptColors(Random& random) {
  Colors colors;
  const int paper = random.Integer(140, 255),
            ink = random.Integer(0, std::max(20, std::min(150, paper - 75)));
  colors.back = {Level(paper), Level(paper + random.Integer(-6, 6)),
                 Level(paper + random.Integer(-16, 6))};
  colors.text = {Level(ink), Level(ink + random.Integer(-5, 10)),
                 Level(ink + random.Integer(-5, 30))};
  if (random.Chance(0.05f)) std::swap(colors.back, colors.text);
  return colors;
}

Colors SceneColors(Random& random) {
  Colors colors;
  colors.back = RandomColor(random);
  colors.text = RandomContrast(random, colors.back, random.Uniform(45, 120));
  if (random.Chance(0.3f)) {
    // Shop fronts in the shade: little between the letters and their ground.
    const float luma = Luma(colors.back),
                apart = random.LogUniform(25, 75) *
                        (random.Unit() * 255 < luma ? -1.0f : 1.0f);
    const float level = std::clamp(luma + apart, 0.0f, 251.0f);
    colors.text = RandomColor(random, level, level + 4);
  } else if (random.Chance(0.3f))
    colors.text =
        Luma(colors.back) < 128 ? Color{250, 250, 250} : Color{15, 15, 15};
  return colors;
}

Colors ScreenColors(Random& random) {
  Colors colors;
  if (random.Chance(0.5f)) {
    const int back = random.Integer(225, 255);
    colors.back = {Level(back), Level(back), Level(back)};
    colors.text = random.Chance(0.6f) ? Color{Level(random.Integer(0, 90)),
                                              Level(random.Integer(0, 90)), 60}
                                      : RandomContrast(random, colors.back, 90);
  } else if (random.Chance(0.5f)) {
    colors.back = RandomColor(random, 0, 50);
    colors.text = RandomColor(random, 150, 255);
  } else {
    colors.back = RandomColor(random);
    colors.text =
        Luma(colors.back) < 140 ? Color{255, 255, 255} : Color{20, 20, 20};
  }
  return colors;
}

// The same shape elsewhere, softer: a shadow, a glow.
Coverage Spread(const Coverage& text, int width, int height, int dx, int dy,
                int radius) {
  Coverage spread;
  spread.width = width;
  spread.height = height;
  spread.values.assign(static_cast<size_t>(width) * static_cast<size_t>(height),
                       0);
  for (int y = 0; y < text.height; ++y) {
    const int to = y + text.top + dy;
    if (to < 0 || to >= height) continue;
    const int left = text.left + dx, from = std::max(0, -left),
              end = std::min(text.width, width - left);
    for (int x = from; x < end; ++x) spread.row(to)[left + x] = text.row(y)[x];
  }
  if (radius > 0) Blur(spread, radius);
  return spread;
}

// Keeps keep(0 to 1) of the ink of every pixel.
template <class Keep>
void Wear(Coverage& ink, const Keep& keep) {
  for (int y = 0; y < ink.height; ++y) {
    uint8_t* row = ink.row(y);
    for (int x = 0; x < ink.width; ++x) {
      if (row[x] != 0)
        row[x] = static_cast<uint8_t>(
            static_cast<float>(row[x]) *
            std::clamp(keep(ink.left + x, ink.top + y), 0.0f, 1.0f));
    }
  }
}

// Heads that did not heat, ribbons that ran dry, paper that did not take the
// ink.
void WearPrint(Coverage& ink, const LineInk& line, float strength,
               Random& random) {
  const float em = line.em;
  if (random.Chance(0.25f)) {  // Fading along the line.
    const float cell_y = em * random.Uniform(0.5f, 4),
                cell_x = em * random.Uniform(1, 6);
    const NoiseField field =
        MakeNoise(line.width, line.height, cell_x, cell_y, random);
    const float depth = random.Uniform(0.1f, 0.45f) * strength;
    Wear(ink,
         [&](int x, int y) { return 1 - depth + depth * field.row(y)[x]; });
  }
  if (random.Chance(0.2f)) {  // Grainy ink.
    const NoiseField field =
        MakeNoise(line.width, line.height, std::max(1.0f, em * 0.05f),
                  std::max(1.0f, em * 0.05f), random);
    const float depth = random.Uniform(0.2f, 0.9f) * strength,
                shift = random.Uniform(0.5f, 1.0f);
    Wear(ink, [&](int x, int y) { return shift + depth * field.row(y)[x]; });
  }
  // A row of the print head is dead, or some of its lines print weakly.
  if (random.Chance(0.08f) && line.height > 16) {
    const float pitch = em * random.Uniform(0.06f, 0.3f),
                depth = random.Uniform(0.25f, 0.7f) * strength;
    const float shift = random.Uniform(0, pitch),
                open = random.Uniform(0.1f, 0.35f);
    const bool across = random.Chance(0.7f);
    Wear(ink, [&](int x, int y) {
      const float at = (static_cast<float>(across ? y : x) + shift) / pitch;
      return at - std::floor(at) < open ? 1 - depth : 1.0f;
    });
  }
}

// Specks of dirt and of missing ink, scratches, hairs, strokes of a pen.
void AddDirt(FloatPicture& picture, const LineInk& line, const Levels& back,
             const Levels& text, float strength, Random& random) {
  const float w = static_cast<float>(line.width),
              h = static_cast<float>(line.height);
  CoverageBuilder builder(line.width, line.height);
  Path path;
  const bool is_specks = random.Chance(0.6f);
  if (is_specks) {
    const int count = 1 + static_cast<int>(random.Uniform(0, 0.02f) * w * h /
                                           (line.em * 0.5f) * strength);
    for (int i = 0; i < std::min(count, 60); ++i) {
      const float r = line.em * random.LogUniform(0.01f, 0.05f);
      const float ry = r * random.Uniform(0.6f, 1.6f);
      path.AddEllipse({random.Uniform(0, w), random.Uniform(0, h)}, r, ry);
    }
  } else {
    const Point from = {random.Uniform(-0.1f, 1) * w,
                        random.Uniform(-0.1f, 1.1f) * h};
    const float angle =
        random.Chance(0.6f) ? random.Normal() * 0.1f : random.Uniform(0, 3.14f);
    const Point to = from + Point{std::cos(angle), std::sin(angle)} *
                                (random.Uniform(0.3f, 1.2f) * w);
    path.AddSegment(from, to,
                    std::max(0.6f, line.em * random.LogUniform(0.01f, 0.035f)));
  }
  builder.Add(path, PageMap());
  const bool is_ink = random.Chance(0.6f);
  Lay(picture, builder.Take(), is_ink ? text : back,
      random.Uniform(0.3f, is_specks ? 1.0f : 0.7f));
}

// Lays the text, sometimes in a color that changes along it.
void LayText(FloatPicture& picture, const Coverage& ink, const Levels& text,
             const Levels& back, float opacity, bool is_varied,
             Random& random) {
  if (!is_varied) {
    Lay(picture, ink, text, opacity);
    return;
  }
  // Away from the background, or it would vanish in places.
  Levels end = text;
  for (size_t c = 0; c < 3; ++c)
    end[c] = std::clamp(
        text[c] + (text[c] < back[c] ? -1.0f : 1.0f) * random.Uniform(-25, 110),
        0.0f, 255.0f);
  const bool down = random.Chance(0.6f);
  const float scale = opacity / 255;
  for (int y = 0; y < ink.height; ++y) {
    for (size_t c = 0; c < 3; ++c) {
      float* row = picture.row(static_cast<int>(c), ink.top + y) + ink.left;
      for (int x = 0; x < ink.width; ++x) {
        const float t =
            down ? static_cast<float>(y) / static_cast<float>(ink.height)
                 : static_cast<float>(x) / static_cast<float>(ink.width);
        row[x] += (text[c] + (end[c] - text[c]) * t - row[x]) *
                  (static_cast<float>(ink.row(y)[x]) * scale);
      }
    }
  }
}

}  // namespace

FloatPicture PaintLine(LineInk& ink, Scenery scenery,
                       const LineOptions& options, Random& random) {
  FloatPicture picture(ink.width, ink.height);
  const bool is_scene = scenery == Scenery::kScene,
             is_screen = scenery == Scenery::kScreen;
  const bool is_print = !is_scene && !is_screen;
  const float fx = options.effects, soft = std::min(fx, 1.0f);
  Colors colors = is_scene                       ? SceneColors(random)
                  : is_screen                    ? ScreenColors(random)
                  : scenery == Scenery::kReceipt ? ReceiptColors(random)
                                                 : DocumentColors(random);
  if (ink.is_dotted && !is_print) {  // Lamps: bright on dark.
    colors.back = RandomColor(random, 0, 40);
    colors.text = RandomColor(random, 140, 255);
  }
  const Levels back = LevelsOf(colors.back), text = LevelsOf(colors.text);
  PaintLineBackdrop(picture, back,
                    std::abs(Luma(colors.back) - Luma(colors.text)), ink.em,
                    scenery, fx, random);

  Lay(picture, ink.others, text, random.Uniform(0.6f, 1));
  Lay(picture, ink.rules, text, random.Uniform(0.6f, 1));
  if (is_print && random.Chance(0.06f * soft))
    AddDirt(picture, ink, back, text, fx, random);

  const int unit = std::max(1, static_cast<int>(ink.em * 0.05f));
  if (!is_print && random.Chance(is_scene ? 0.2f * soft : 0.06f * soft)) {
    const int dx = random.Integer(-2 * unit, 2 * unit),
              dy = random.Integer(-unit, 2 * unit);
    const Coverage shadow = Spread(ink.text, ink.width, ink.height, dx, dy,
                                   random.Integer(0, unit));
    const bool dark = Luma(colors.text) >
                      90;  // A dark shadow, or a light one of dark letters.
    const float level = dark ? random.Uniform(0, 60) : random.Uniform(170, 255);
    Lay(picture, shadow, {level, level, level}, random.Uniform(0.3f, 0.9f));
  } else if (ink.is_dotted && !is_print) {
    Lay(picture, Spread(ink.text, ink.width, ink.height, 0, 0, unit), text,
        random.Uniform(0.1f, 0.4f));
  }
  bool is_hollow = false;
  if (!ink.rim.empty()) {
    Levels rim = LevelsOf(RandomContrast(random, colors.text, 70));
    is_hollow = random.Chance(0.25f);
    // Letters drawn by their contour only: the rim is the ink, the inside like
    // the background.
    if (is_hollow) rim = text;
    Lay(picture, ink.rim, rim, 1);
  }
  if (is_print) WearPrint(ink.text, ink, soft, random);
  const float opacity = is_print              ? 1.0f
                        : random.Chance(0.8f) ? 1.0f
                                              : random.Uniform(0.65f, 1);
  LayText(picture, ink.text, is_hollow ? back : text, back, opacity,
          is_scene && !is_hollow && random.Chance(0.12f), random);
  if (is_print && random.Chance(0.08f * soft))
    AddDirt(picture, ink, back, text, fx, random);
  return picture;
}

}  // namespace munja::train
