#include "train/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "image/draw.h"
#include "image/encode.h"
#include "train/stroke_font.h"
#include "train/training_log.h"

namespace munja::train {
namespace {

using Points = std::vector<std::array<float, 2>>;  // (minutes, value)

constexpr int kWidth = 1200, kHeight = 900;
constexpr float kLeft = 90, kRight = 20, kLetters = 9;

struct Curve {
  std::string name;
  Points points;
};

// A part of the picture with its axes.
struct Panel {
  float top = 0, bottom = 0;  // Pixels.
  float minutes = 1;          // At the right end.
  float low = 0, high = 1;    // Values at bottom and top.
  bool logarithmic = false;

  std::array<float, 2> At(float time, float value) const {
    float part;
    if (logarithmic) {
      part = std::log(std::max(value, 1e-12f) / low) / std::log(high / low);
    } else {
      part = (value - low) / (high - low);
    }
    part = std::clamp(part, 0.0f, 1.0f);
    return {kLeft + (kWidth - kLeft - kRight) * time / minutes,
            bottom + (top - bottom) * part};
  }
};

constexpr std::array<std::array<uint8_t, 3>, 8> kColors = {{{31, 119, 180},
                                                            {255, 127, 14},
                                                            {44, 160, 44},
                                                            {214, 39, 40},
                                                            {148, 103, 189},
                                                            {140, 86, 75},
                                                            {227, 119, 194},
                                                            {23, 190, 207}}};

image::LineStyle Style(std::array<uint8_t, 3> color, float thickness) {
  image::LineStyle style;
  style.rgb = color;
  style.thickness = thickness;
  return style;
}

const image::LineStyle kGrid = Style({220, 220, 220}, 1);
const image::LineStyle kText = Style({60, 60, 60}, 1.3f);

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void DrawLabel(image::Image& image, const std::string& text, float right,
               float middle) {
  DrawStrokeText(image, text, right - StrokeTextWidth(text, kLetters),
                 middle - kLetters / 2, kLetters, kText);
}

// A step of 1, 2 or 5 times a power of ten, that gives up to `most` lines.
double GridStep(double range, int most) {
  const double rough = range / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

void DrawGrid(image::Image& image, const Panel& panel) {
  const auto horizontal = [&](double value) {
    const float y = panel.At(0, static_cast<float>(value))[1];
    const Points line = {{kLeft, y}, {kWidth - kRight, y}};
    image::DrawPolyline(image, line, false, kGrid);
    DrawLabel(image, Short(value), kLeft - 8, y);
  };
  if (panel.logarithmic) {
    const double first = std::pow(10, std::floor(std::log10(panel.low)));
    for (double power = first; power <= panel.high * 1.001; power *= 10)
      for (double factor : {1.0, 2.0, 5.0}) {
        const double value = power * factor;
        if (value >= panel.low * 0.999 && value <= panel.high * 1.001)
          horizontal(value);
      }
  } else {
    const double step = GridStep(panel.high - panel.low, 10);
    for (double v = panel.low; v <= panel.high + step / 100; v += step)
      horizontal(v);
  }
  const double step = GridStep(panel.minutes, 10);
  for (double t = 0; t <= panel.minutes * 1.0001; t += step) {
    const float x = panel.At(static_cast<float>(t), panel.low)[0];
    const Points line = {{x, panel.top}, {x, panel.bottom}};
    image::DrawPolyline(image, line, false, kGrid);
    const std::string text = Short(t);
    DrawStrokeText(image, text, x - StrokeTextWidth(text, kLetters) / 2,
                   panel.bottom + 8, kLetters, kText);
  }
}

void DrawCurve(image::Image& image, const Panel& panel, const Curve& curve,
               size_t number, float thickness) {
  const image::LineStyle style =
      Style(kColors[number % kColors.size()], thickness);
  Points pixels;
  for (const auto& [time, value] : curve.points)
    pixels.push_back(panel.At(time, value));
  image::DrawPolyline(image, pixels, false, style);
  // The legend: one line each, from the panel's top right corner down.
  std::string text = curve.name;
  if (!curve.points.empty())
    text += "  " + Short(static_cast<double>(curve.points.back()[1]));
  const float y = panel.top + 12 + 16 * static_cast<float>(number);
  const float x = kWidth - kRight - 10 - StrokeTextWidth(text, kLetters);
  image::DrawPolyline(image, Points{{x - 40, y}, {x - 10, y}}, false, style);
  DrawStrokeText(image, text, x, y - kLetters / 2, kLetters, kText);
}

struct Curves {
  Curve loss, rate;
  std::vector<Curve> figures;
  float minutes = 0;
};

Curves Collect(const std::vector<nlohmann::json>& entries) {
  Curves curves;
  std::map<std::string, Points> figures;
  for (const nlohmann::json& entry : entries) {
    const auto number = [&](const char* name) {
      return entry.contains(name) && entry[name].is_number();
    };
    if (!number("seconds")) continue;
    const float minutes = entry["seconds"].get<float>() / 60;
    curves.minutes = std::max(curves.minutes, minutes);
    if (number("loss"))
      curves.loss.points.push_back({minutes, entry["loss"].get<float>()});
    if (number("learning_rate"))
      curves.rate.points.push_back(
          {minutes, entry["learning_rate"].get<float>()});
    if (!entry.contains("set") || !entry["set"].is_string()) continue;
    for (const char* name : {"accuracy", "cer", "hmean"}) {
      if (!number(name)) continue;
      figures[entry["set"].get<std::string>() + " " + name].push_back(
          {minutes, entry[name].get<float>()});
    }
  }
  for (auto& [name, points] : figures)
    curves.figures.push_back({name, std::move(points)});
  return curves;
}

}  // namespace

Result<image::Image> DrawCurves(const std::vector<nlohmann::json>& entries) {
  Curves curves = Collect(entries);
  if (curves.loss.points.empty() && curves.figures.empty())
    return Malformed("the log holds neither losses nor figures");
  MUNJA_ASSIGN_OR_RETURN(image::Image image,
                         image::Image::Create(kWidth, kHeight));
  for (int y = 0; y < kHeight; ++y)
    std::memset(image.row(y), 255, image.stride());

  Panel above;
  above.top = 20;
  above.bottom = 420;
  above.minutes = std::max(curves.minutes, 1e-3f);
  above.logarithmic = true;
  above.low = 1e9f;
  above.high = 1e-9f;
  for (const auto& point : curves.loss.points) {
    above.low = std::min(above.low, std::max(point[1], 1e-6f));
    above.high = std::max(above.high, point[1]);
  }
  above.low *= 0.8f;
  above.high = std::max(above.high * 1.2f, above.low * 2);
  if (!curves.loss.points.empty()) {
    DrawGrid(image, above);
    curves.loss.name = "loss";
    DrawCurve(image, above, curves.loss, 0, 1.5f);
    // The learning rate has no axis: its peak is the panel's top.
    Panel rates = above;
    rates.logarithmic = false;
    rates.low = 0;
    rates.high = 1e-12f;
    for (const auto& point : curves.rate.points)
      rates.high = std::max(rates.high, point[1]);
    curves.rate.name = "learning rate";
    if (!curves.rate.points.empty()) DrawCurve(image, rates, curves.rate, 1, 1);
  }
  Panel below = above;
  below.top = 470;
  below.bottom = 860;
  below.logarithmic = false;
  below.low = 0;
  below.high = 1;
  DrawGrid(image, below);
  for (size_t i = 0; i < curves.figures.size(); ++i)
    DrawCurve(image, below, curves.figures[i], i, 2);
  DrawLabel(image, "minutes", kWidth - kRight, kHeight - kLetters / 2 - 2);
  return image;
}

Status PlotLog(const std::string& log_path, const std::string& png_path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<nlohmann::json> entries,
                         ReadTrainingLog(log_path));
  auto picture = DrawCurves(entries);
  if (!picture.ok()) return std::move(picture).TakeStatus().With(log_path);
  return image::WritePng(png_path, picture->view());
}

}  // namespace munja::train
