// A picture that shapes are painted on.
#ifndef MUNJA_SYNTH_CANVAS_H_
#define MUNJA_SYNTH_CANVAS_H_

#include <cstdint>

#include "image/image.h"
#include "synth/coverage.h"
#include "synth/random.h"

namespace munja::train {

struct Color {
  uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

// Brightness as the eye weighs it, 0 to 255.
inline float Luma(Color c) {
  return 0.299f * static_cast<float>(c.r) + 0.587f * static_cast<float>(c.g) +
         0.114f * static_cast<float>(c.b);
}
Color Mix(Color a, Color b, float b_part);
// hue in turns; saturation and value 0 to 1.
Color FromHsv(float hue, float saturation, float value);
// Any color; brightness within the bounds (0 to 255).
Color RandomColor(Random& random, float darkest = 0, float brightest = 255);
// Differs from `background` by at least `contrast` in brightness (at most 127
// can be had on every background).
Color RandomContrast(Random& random, Color background, float contrast);

struct Paint {
  Color color;
  float opacity = 1;
  // Another color at the right (gradient_x) and bottom end of what is painted.
  Color to{};
  bool gradient = false, gradient_x = false;
};

class Canvas {
 public:
  static Result<Canvas> Create(int width, int height);

  int width() const { return picture_.width(); }
  int height() const { return picture_.height(); }
  image::Image& picture() { return picture_; }
  const image::Image& picture() const { return picture_; }
  // To be used for all shapes of this canvas.
  CoverageBuilder& builder() { return builder_; }

  void Clear(Color color);
  void Fill(const Path& path, const PageMap& map, const Paint& paint);
  void Fill(const Coverage& coverage, const Paint& paint);
  // The average of about 100 pixels of a window (cut to the picture).
  Color Average(int left, int top, int width, int height) const;

 private:
  explicit Canvas(image::Image picture)
      : picture_(std::move(picture)),
        builder_(picture_.width(), picture_.height()) {}

  image::Image picture_;
  CoverageBuilder builder_;
};

// Every pixel becomes the greatest within `radius` pixels (a disk): bolder
// shapes.
void Dilate(Coverage& coverage, int radius);
// A box of 2 * radius + 1 pixels, twice: close to a Gaussian.
void Blur(Coverage& coverage, int radius);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_CANVAS_H_
