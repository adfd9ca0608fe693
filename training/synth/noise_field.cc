#include "synth/noise_field.h"

namespace munja::train {

NoiseField MakeNoise(int width, int height, float cell_x, float cell_y,
                     Random& random) {
  NoiseField field{width, height, {}};
  field.values.resize(static_cast<size_t>(width) * static_cast<size_t>(height));
  const auto columns =
      static_cast<size_t>(static_cast<float>(width) / cell_x) + 3;
  const auto rows =
      static_cast<size_t>(static_cast<float>(height) / cell_y) + 3;
  std::vector<float> grid(columns * rows), line(columns);
  for (float& v : grid) v = random.Uniform(-1, 1);
  const float x0 = random.Unit(), y0 = random.Unit();
  float* out = field.values.data();
  for (int y = 0; y < height; ++y) {
    const float gy = static_cast<float>(y) / cell_y + y0;
    const auto iy = static_cast<size_t>(gy);
    const float fy = gy - static_cast<float>(iy);
    const float* above = grid.data() + iy * columns;
    const float* below = above + columns;
    for (size_t i = 0; i < columns; ++i)
      line[i] = above[i] + (below[i] - above[i]) * fy;
    const float step = 1 / cell_x;
    for (int x = 0; x < width; ++x) {
      const float gx = static_cast<float>(x) * step + x0;
      const auto ix = static_cast<size_t>(gx);
      const float fx = gx - static_cast<float>(ix);
      *out++ = line[ix] + (line[ix + 1] - line[ix]) * fx;
    }
  }
  return field;
}

}  // namespace munja::train
