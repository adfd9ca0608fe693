// Smooth random values over a picture: paper, plaster, uneven light, worn ink.
#ifndef MUNJA_SYNTH_NOISE_FIELD_H_
#define MUNJA_SYNTH_NOISE_FIELD_H_

#include <cstddef>
#include <vector>

#include "synth/random.h"

namespace munja::train {

struct NoiseField {
  int width = 0, height = 0;
  std::vector<float> values;  // About -1 to 1, row by row.
  const float* row(int y) const {
    return values.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

// One random value each cell_x by cell_y pixels (>= 1), interpolated linearly.
NoiseField MakeNoise(int width, int height, float cell_x, float cell_y,
                     Random& random);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_NOISE_FIELD_H_
