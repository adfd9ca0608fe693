#include "train/line_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "image/resize.h"
#include "train/ctc_loss.h"
#include "train/schedule.h"

namespace munja::train {
namespace {

constexpr int kWidthMultiple = 16;
constexpr float kMostSqueeze = 1.25f;

int RoundUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int NeededWidth(const ScaledLine& line) {
  return std::max(line.picture.width(),
                  kStepColumns * static_cast<int>(CtcSteps(line.label)));
}

using LevelTable = std::array<std::array<float, 256>, 3>;

LevelTable DrawLevels(const LineChanges& changes, Random& random) {
  const float slope =
      random.Uniform(1 - changes.contrast, 1 + changes.contrast);
  const float base = random.Uniform(-changes.brightness, changes.brightness);
  const float gamma = random.Uniform(1 - changes.gamma, 1 + changes.gamma);
  const bool invert = random.Chance(changes.invert);
  LevelTable table;
  for (auto& channel : table) {
    const float shift = base + random.Uniform(-changes.tint, changes.tint);
    for (int i = 0; i < 256; ++i) {
      float level = static_cast<float>(i) / 255.0f;
      if (changes.gamma > 0) level = std::pow(level, gamma);
      level = std::clamp((level - 0.5f) * slope + 0.5f + shift, 0.0f, 1.0f);
      if (invert) level = 1 - level;
      channel[i] = 2 * level - 1;
    }
  }
  return table;
}

void AddGrain(float deviation, size_t count, Random& random, float* pixels) {
  // Two values a draw; uniform noise serves as well as a normal one.
  size_t i = 0;
  while (i + 4 <= count) {
    const uint64_t bits = random.Bits();
    for (int k = 0; k < 4; ++k) {
      const auto part = static_cast<int16_t>(bits >> (16 * k));
      pixels[i++] += deviation * static_cast<float>(part) * 0x1p-15f;
    }
  }
}

// One picture into `out`, `width` columns wide.
void Draw(const ScaledLine& line, int width, const LineChanges& changes,
          Random& random, float* out) {
  const image::Image& picture = line.picture;
  const int own = picture.width(), height = picture.height();
  const LevelTable levels = DrawLevels(changes, random);
  int dx = 0, dy = 0;
  if (random.Chance(changes.shift)) {
    dx = random.Integer(-2, 2);
    dy = random.Integer(-1, 1);
  }
  const size_t row_size = static_cast<size_t>(width) * 3;
  for (int y = 0; y < height; ++y) {
    const uint8_t* in = picture.row(std::clamp(y + dy, 0, height - 1));
    float* row = out + static_cast<size_t>(y) * row_size;
    for (int x = 0; x < own; ++x) {
      const uint8_t* p = in + 3 * std::clamp(x + dx, 0, own - 1);
      row[3 * x] = levels[0][p[0]];
      row[3 * x + 1] = levels[1][p[1]];
      row[3 * x + 2] = levels[2][p[2]];
    }
  }
  if (random.Chance(changes.erase)) {
    const int w = random.Integer(2, 6), h = random.Integer(2, 6);
    const int left = random.Integer(0, std::max(0, own - w));
    const int top = random.Integer(0, std::max(0, height - h));
    const float level = random.Uniform(-1, 1);
    for (int y = top; y < std::min(top + h, height); ++y) {
      float* row = out + static_cast<size_t>(y) * row_size;
      std::fill(row + 3 * left, row + 3 * std::min(left + w, own), level);
    }
  }
  if (random.Chance(changes.noise)) {
    AddGrain(random.Uniform(0.0f, 0.12f), row_size * height, random, out);
  }
  for (int y = 0; y < height; ++y) {
    float* row = out + static_cast<size_t>(y) * row_size;
    for (size_t i = static_cast<size_t>(own) * 3; i < row_size; ++i)
      row[i] = row[i - 3];
  }
}

}  // namespace

void LineChanges::Read(bundle::Fields& fields) {
  fields.Read("contrast", &contrast);
  fields.Read("brightness", &brightness);
  fields.Read("gamma", &gamma);
  fields.Read("tint", &tint);
  fields.Read("invert", &invert);
  fields.Read("shift", &shift);
  fields.Read("noise", &noise);
  fields.Read("erase", &erase);
}

Status LineChanges::Validate(const std::string& path) const {
  const std::pair<const char*, float> values[] = {
      {"contrast", contrast}, {"brightness", brightness},
      {"gamma", gamma},       {"tint", tint},
      {"invert", invert},     {"shift", shift},
      {"noise", noise},       {"erase", erase}};
  for (const auto& [name, value] : values)
    MUNJA_RETURN_IF_ERROR(CheckRange(path, name, value, 0, 1));
  return Status();
}

Result<image::Image> ScaleLine(const image::ImageView& line, int height,
                               int max_width) {
  const double scaled =
      static_cast<double>(line.width) * height / std::max(1, line.height);
  if (scaled > kMostSqueeze * max_width) {
    return Unsupported("a line of " + std::to_string(line.width) + " x " +
                       std::to_string(line.height) + " pixels is too long");
  }
  const int width = std::clamp(static_cast<int>(std::lround(scaled)),
                               kStepColumns, max_width);
  MUNJA_ASSIGN_OR_RETURN(image::Image out, image::Image::Create(width, height));
  if (line.height > 2 * height) {
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(line, out));
  } else {
    MUNJA_RETURN_IF_ERROR(image::Resize(line, out));
  }
  return out;
}

int BatchWidth(std::span<const ScaledLine* const> lines) {
  int width = kWidthMultiple;
  for (const ScaledLine* line : lines)
    width = std::max(width, NeededWidth(*line));
  return RoundUp(width, kWidthMultiple);
}

LineBatch MakeLineBatch(std::span<const ScaledLine* const> lines, int height,
                        const LineChanges& changes, Random random) {
  LineBatch batch;
  batch.count = static_cast<int>(lines.size());
  batch.height = height;
  batch.width = BatchWidth(lines);
  const size_t size = static_cast<size_t>(height) * batch.width * 3;
  batch.pixels.resize(size * lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    Draw(*lines[i], batch.width, changes, random,
         batch.pixels.data() + i * size);
    batch.labels.push_back(lines[i]->label);
    batch.freedoms.push_back(lines[i]->freedom);
  }
  return batch;
}

std::vector<std::vector<uint32_t>> GroupByWidth(
    std::span<const ScaledLine> lines, int max_columns, int max_lines,
    Random random) {
  // Widths are blurred by a tenth, so that the same lines do not always meet.
  std::vector<std::pair<float, uint32_t>> order;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].picture.width() == 0) continue;
    const auto width = static_cast<float>(NeededWidth(lines[i]));
    order.emplace_back(width * random.Uniform(0.95f, 1.05f),
                       static_cast<uint32_t>(i));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<uint32_t>> groups;
  int widest = 0;
  for (const auto& [_, i] : order) {
    const int width = RoundUp(NeededWidth(lines[i]), kWidthMultiple);
    const int with_it = std::max(widest, width);
    const bool fits =
        !groups.empty() && static_cast<int>(groups.back().size()) < max_lines &&
        with_it * (static_cast<int>(groups.back().size()) + 1) <= max_columns;
    if (!fits) groups.emplace_back();
    widest = fits ? with_it : width;
    groups.back().push_back(i);
  }
  for (size_t i = groups.size(); i > 1; --i)
    std::swap(groups[i - 1], groups[random.Below(i)]);
  return groups;
}

}  // namespace munja::train
