#include "pruning_study/parcels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "synth/random.h"

namespace munja::train {
namespace {

using Levels = std::array<float, 3>;

// A rectangle or an ellipse that lies somehow.
struct Patch {
  float x = 0, y = 0;  // Center, pixels.
  float half_width = 1, half_height = 1;
  float angle = 0;
  bool is_round = false;

  // In units of the half sides.
  std::array<float, 2> Inside(float px, float py) const {
    const float c = std::cos(angle), s = std::sin(angle);
    const float dx = px - x, dy = py - y;
    return {(c * dx + s * dy) / half_width, (c * dy - s * dx) / half_height};
  }
  bool Holds(float px, float py) const {
    const auto [u, v] = Inside(px, py);
    return is_round ? u * u + v * v <= 1
                    : std::fabs(u) <= 1 && std::fabs(v) <= 1;
  }
  float reach() const { return std::hypot(half_width, half_height); }
};

class Scene {
 public:
  Scene(int side, Random random)
      : side_(side),
        random_(random),
        colors_(static_cast<size_t>(side) * static_cast<size_t>(side)),
        owner_(colors_.size(), -1) {}

  void DrawBelt() {
    const float base = random_.Uniform(45, 130);
    const float slope = random_.Uniform(-30, 30);
    const float period = random_.Uniform(6, 24), ribs = random_.Uniform(0, 12);
    const float rail =
        random_.Uniform(0.02f, 0.12f) * static_cast<float>(side_);
    const Levels tint = RandomTint(10);
    const bool is_upright = random_.Chance(0.5f);
    for (int y = 0; y < side_; ++y) {
      for (int x = 0; x < side_; ++x) {
        const auto along = static_cast<float>(is_upright ? y : x);
        const auto across = static_cast<float>(is_upright ? x : y);
        const auto size = static_cast<float>(side_);
        float level = base + slope * (along / size - 0.5f) +
                      ribs * std::sin(along * 6.2832f / period);
        if (across < rail || across > size - rail) level = base * 0.5f + 90;
        for (size_t c = 0; c < 3; ++c) At(x, y)[c] = level + tint[c];
      }
    }
  }

  // Draws objects that lie about and are no parcels.
  void DrawClutter() {
    const int count = random_.Integer(2, 8);
    for (int i = 0; i < count; ++i) {
      Patch patch = RandomPlace();
      const int kind = random_.Integer(0, 3);
      const auto size = static_cast<float>(side_);
      patch.half_width = size * random_.Uniform(0.03f, 0.14f);
      patch.half_height = patch.half_width * random_.Uniform(0.5f, 1.0f);
      Levels color = RandomTint(60);
      const float level = random_.Uniform(40, 210);
      for (float& c : color) c += level;
      if (kind == 0) {  // A cable.
        patch.half_width = size * random_.Uniform(0.2f, 0.6f);
        patch.half_height = size * random_.Uniform(0.004f, 0.012f);
      } else if (kind == 1) {  // A lid.
        patch.is_round = true;
        patch.half_height = patch.half_width;
      } else if (kind == 2) {  // Wrapping in a carton's color, without edges.
        patch.is_round = true;
        color = CartonColor();
      }
      const bool is_shadow = kind == 3;
      Paint(patch, -2, [&](Levels& pixel, float u, float v) {
        const float fade = 1 - 0.2f * (u * u + v * v);
        for (size_t c = 0; c < 3; ++c)
          pixel[c] = is_shadow ? pixel[c] * 0.6f : color[c] * fade;
      });
    }
  }

  void DrawParcel(int number) {
    Patch patch = RandomPlace();
    const auto size = static_cast<float>(side_);
    patch.half_width = size * random_.LogUniform(0.05f, 0.2f);
    patch.half_height = patch.half_width * random_.Uniform(0.45f, 1.0f);
    const bool is_bag = random_.Chance(0.3f);
    Levels color = CartonColor();
    if (is_bag) {
      color = RandomTint(25);
      const float level = random_.Uniform(120, 235);
      for (float& c : color) c += level;
    }
    Patch shadow = patch;
    shadow.x += patch.half_width * 0.12f;
    shadow.y += patch.half_width * 0.12f;
    Paint(shadow, -2, [](Levels& pixel, float, float) {
      for (float& c : pixel) c *= 0.65f;
    });
    const float light = random_.Uniform(-0.15f, 0.15f);
    const bool has_tape = random_.Chance(is_bag ? 0.2f : 0.8f);
    const bool has_label = random_.Chance(0.75f);
    const float label_u = random_.Uniform(-0.5f, 0.5f);
    const float label_v = random_.Uniform(-0.5f, 0.5f);
    Paint(patch, number, [&](Levels& pixel, float u, float v) {
      const float edge = std::max(std::fabs(u), std::fabs(v));
      const float shade = (1 + light * u) * (edge > 0.93f ? 0.75f : 1.0f);
      for (size_t c = 0; c < 3; ++c) pixel[c] = color[c] * shade;
      if (has_tape && std::fabs(v) < 0.12f)
        for (float& c : pixel) c = c * 0.6f + 85;
      const float lu = (u - label_u) / 0.35f, lv = (v - label_v) / 0.3f;
      if (has_label && std::fabs(lu) < 1 && std::fabs(lv) < 1) {
        // Lines of writing on it.
        const bool is_ink = std::fabs(lu) < 0.8f && std::sin(lv * 12) > 0.2f &&
                            std::sin(lu * 23 + lv * 7) > -0.3f;
        for (float& c : pixel) c = is_ink ? 60.0f : 238.0f;
      }
    });
  }

  // Boxes of parcels of which enough is seen.
  std::vector<ObjectBox> Boxes(int parcels) const {
    std::vector<ObjectBox> boxes;
    for (int n = 0; n < parcels; ++n) {
      int seen = 0;
      ObjectBox box;
      box.left = box.top = static_cast<float>(side_);
      for (int y = 0; y < side_; ++y) {
        for (int x = 0; x < side_; ++x) {
          if (owner_[Index(x, y)] != n) continue;
          ++seen;
          box.left = std::min(box.left, static_cast<float>(x));
          box.top = std::min(box.top, static_cast<float>(y));
          box.right = std::max(box.right, static_cast<float>(x + 1));
          box.bottom = std::max(box.bottom, static_cast<float>(y + 1));
        }
      }
      const auto painted = static_cast<float>(painted_[static_cast<size_t>(n)]);
      if (static_cast<float>(seen) * 3 >= painted && seen > 12)
        boxes.push_back(box);
    }
    return boxes;
  }

  Result<image::Image> Picture() {
    MUNJA_ASSIGN_OR_RETURN(image::Image picture,
                           image::Image::Create(side_, side_));
    const float noise = random_.Uniform(1, 9),
                gain = random_.Uniform(0.7f, 1.2f);
    for (int y = 0; y < side_; ++y) {
      uint8_t* row = picture.row(y);
      for (int x = 0; x < side_; ++x)
        for (size_t c = 0; c < 3; ++c) {
          const float level = At(x, y)[c] * gain + noise * random_.Normal();
          row[static_cast<size_t>(x) * 3 + c] =
              static_cast<uint8_t>(std::clamp(level, 0.0f, 255.0f));
        }
    }
    return picture;
  }

 private:
  size_t Index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(side_) +
           static_cast<size_t>(x);
  }
  Levels& At(int x, int y) { return colors_[Index(x, y)]; }

  Levels RandomTint(float size) {
    Levels tint;
    for (float& c : tint) c = random_.Uniform(-size, size);
    return tint;
  }
  Levels CartonColor() {
    const float level = random_.Uniform(0.6f, 1.15f);
    return {196 * level, 152 * level, 104 * level};
  }
  Patch RandomPlace() {
    Patch patch;
    const auto size = static_cast<float>(side_);
    patch.x = size * random_.Uniform(0.08f, 0.92f);
    patch.y = size * random_.Uniform(0.08f, 0.92f);
    patch.angle = random_.Uniform(0, std::numbers::pi_v<float>);
    return patch;
  }

  // Owner -2: the owner of the pixels keeps them unless it is covered.
  template <class Shade>
  void Paint(const Patch& patch, int owner, const Shade& shade) {
    const float reach = patch.reach() + 1;
    const int left = std::max(0, static_cast<int>(patch.x - reach));
    const int top = std::max(0, static_cast<int>(patch.y - reach));
    const int right = std::min(side_ - 1, static_cast<int>(patch.x + reach));
    const int bottom = std::min(side_ - 1, static_cast<int>(patch.y + reach));
    int painted = 0;
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const float px = static_cast<float>(x) + 0.5f;
        const float py = static_cast<float>(y) + 0.5f;
        if (!patch.Holds(px, py)) continue;
        const auto [u, v] = patch.Inside(px, py);
        shade(At(x, y), u, v);
        if (owner >= 0) owner_[Index(x, y)] = owner;
        ++painted;
      }
    }
    if (owner >= 0) painted_.push_back(painted);
  }

  int side_;
  Random random_;
  std::vector<Levels> colors_;
  std::vector<int> owner_;    // Number of the parcel that is seen.
  std::vector<int> painted_;  // Pixels of each parcel.
};

}  // namespace

float IntersectionOverUnion(const ObjectBox& a, const ObjectBox& b) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const float common = width * height;
  return common / (a.area() + b.area() - common);
}

Result<ParcelSample> MakeParcels(int side, uint64_t seed, uint64_t index) {
  Random random(seed, index);
  const int parcels = random.Integer(1, 5);
  Scene scene(side, random.Fork());
  scene.DrawBelt();
  scene.DrawClutter();
  for (int n = 0; n < parcels; ++n) scene.DrawParcel(n);
  ParcelSample sample;
  sample.boxes = scene.Boxes(parcels);
  MUNJA_ASSIGN_OR_RETURN(sample.picture, scene.Picture());
  return sample;
}

}  // namespace munja::train
