// For tests: a synthetic scene, seen by a camera whose place is known.
#ifndef MUNJA_TRACK_TESTING_H_
#define MUNJA_TRACK_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "geometry/quad.h"
#include "image/image.h"
#include "image/pixels.h"
#include "image/transform.h"
#include "track/affine.h"
#include "track/gray_frame.h"

namespace munja::track {

// A line of the scene and the text that a reader sees there.
struct SceneLine {
  int left = 0, top = 0, width = 0, height = 0;
  std::string text;
  geometry::Quad quad() const {
    const auto l = static_cast<float>(left), t = static_cast<float>(top);
    const auto r = static_cast<float>(left + width),
               b = static_cast<float>(top + height);
    return {{{l, t}, {r, t}, {r, b}, {l, b}}};
  }
};

// Gray paper with lines of letter-like strokes, different for each text.
class Scene {
 public:
  Scene(int width, int height)
      : paper_(image::Image::Create(width, height).value()) {
    for (int y = 0; y < height; ++y)
      std::fill_n(paper_.row(y), paper_.stride(), uint8_t{200});
  }
  void Add(const SceneLine& line) {
    lines_.push_back(line);
    Fill(line, 200);
    uint32_t random = 1;
    for (const char c : line.text)
      random = random * 31 + static_cast<unsigned char>(c);
    const int pen = std::max(line.height / 8, 2);
    for (int x = line.left; x + 5 * pen <= line.left + line.width;
         x += 7 * pen) {
      random = random * 1664525u + 1013904223u;
      // Strokes of a letter, on a raster of 3 x 5.
      for (int bit = 0; bit < 15; ++bit)
        if ((random >> (bit + 8)) & 1u)
          Fill({x + bit % 3 * 2 * pen, line.top + bit / 3 * line.height / 5,
                2 * pen, line.height / 5, ""},
               30);
    }
  }
  // Paints the newest line over.
  void Remove() {
    Fill(lines_.back(), 200);
    lines_.pop_back();
  }
  const std::vector<SceneLine>& lines() const { return lines_; }

  // The frame of a camera: `to_scene` maps its pixels to the scene's.
  image::Image Frame(const Affine& to_scene, int width, int height) const {
    image::Image frame = image::Image::Create(width, height).value();
    image::Homography map;
    map.m = {to_scene.a, to_scene.b, to_scene.c, to_scene.d, to_scene.e,
             to_scene.f, 0,          0,          1};
    EXPECT_TRUE(image::WarpPerspective(paper_.view(), map, frame,
                                       image::Interpolation::kBilinear)
                    .ok());
    return frame;
  }

 private:
  void Fill(const SceneLine& place, uint8_t level) {
    for (int y = place.top; y < place.top + place.height; ++y)
      std::fill_n(paper_.row(y) + 3 * place.left, 3 * place.width, level);
  }
  image::Image paper_;
  std::vector<SceneLine> lines_;
};

inline image::PixelView PixelsOf(const image::Image& image) {
  image::PixelView pixels;
  pixels.width = image.width();
  pixels.height = image.height();
  pixels.planes[0] = image.row(0);
  pixels.strides[0] = image.stride();
  return pixels;
}

inline GrayFrame GrayOf(const image::Image& image) {
  GrayFrame gray;
  EXPECT_TRUE(MakeGrayFrame(PixelsOf(image), 0, &gray).ok());
  return gray;
}

// A camera above (x, y) of the scene, in the middle of its frame.
inline Affine CameraAt(double x, double y, double degrees, double scale,
                       int width, int height) {
  const double angle = degrees * 3.14159265358979 / 180;
  const double c = std::cos(angle) * scale, s = std::sin(angle) * scale;
  return {c, -s, x - c * width / 2 + s * height / 2,
          s, c,  y - s * width / 2 - c * height / 2};
}

// Thirty lines in three columns.
inline Scene PageScene() {
  Scene scene(2400, 1600);
  for (int row = 0; row < 10; ++row)
    for (int column = 0; column < 3; ++column)
      scene.Add({300 + column * 620, 250 + row * 110, 520, 44,
                 "line " + std::to_string(row) + " of column " +
                     std::to_string(column)});
  return scene;
}

}  // namespace munja::track

#endif  // MUNJA_TRACK_TESTING_H_
