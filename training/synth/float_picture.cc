#include "synth/float_picture.h"

#include <algorithm>

namespace munja::train {

Result<image::Image> FloatPicture::Finish() const {
  MUNJA_ASSIGN_OR_RETURN(image::Image out, image::Image::Create(width, height));
  for (int y = 0; y < height; ++y) {
    uint8_t* to = out.row(y);
    const size_t begin = static_cast<size_t>(y) * static_cast<size_t>(width);
    for (size_t c = 0; c < 3; ++c) {
      const float* from = planes[c].data() + begin;
      for (int x = 0; x < width; ++x)
        to[3 * x + static_cast<int>(c)] =
            static_cast<uint8_t>(std::clamp(from[x], 0.0f, 255.0f) + 0.5f);
    }
  }
  return out;
}

void Lay(FloatPicture& picture, const Coverage& coverage, const Levels& color,
         float opacity) {
  const float scale = opacity / 255;
  const int left = std::max(coverage.left, 0),
            right = std::min(coverage.left + coverage.width, picture.width);
  const int top = std::max(coverage.top, 0),
            bottom = std::min(coverage.top + coverage.height, picture.height);
  for (int y = top; y < bottom; ++y) {
    const uint8_t* covered = coverage.row(y - coverage.top) - coverage.left;
    for (int c = 0; c < 3; ++c) {
      float* row = picture.row(c, y);
      const float level = color[static_cast<size_t>(c)];
      for (int x = left; x < right; ++x)
        row[x] += (level - row[x]) * (static_cast<float>(covered[x]) * scale);
    }
  }
}

}  // namespace munja::train
