// FloatPicture: a small picture while light and lens act on it.
#ifndef MUNJA_SYNTH_FLOAT_PICTURE_H_
#define MUNJA_SYNTH_FLOAT_PICTURE_H_

#include <array>
#include <cstddef>
#include <vector>

#include "image/image.h"
#include "synth/canvas.h"

namespace munja::train {

// Three planes of levels, 0 to 255; values may leave that range until Finish().
struct FloatPicture {
  FloatPicture(int w, int h) : width(w), height(h) {
    for (auto& plane : planes) plane.resize(size());
  }
  size_t size() const {
    return static_cast<size_t>(width) * static_cast<size_t>(height);
  }
  float* row(int channel, int y) {
    return planes[static_cast<size_t>(channel)].data() +
           static_cast<size_t>(y) * static_cast<size_t>(width);
  }
  // Clamped and rounded.
  Result<image::Image> Finish() const;

  int width, height;
  std::array<std::vector<float>, 3> planes;
};

// Three colors as levels.
using Levels = std::array<float, 3>;
inline Levels LevelsOf(Color c) {
  return {static_cast<float>(c.r), static_cast<float>(c.g),
          static_cast<float>(c.b)};
}

// Lays a color over what is covered.
void Lay(FloatPicture& picture, const Coverage& coverage, const Levels& color,
         float opacity);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_FLOAT_PICTURE_H_
