// Surfaces without text: paper, walls, wood, leaves, fabric, sky.
#ifndef MUNJA_SYNTH_TEXTURE_H_
#define MUNJA_SYNTH_TEXTURE_H_

#include <cstdint>
#include <vector>

#include "synth/canvas.h"

namespace munja::train {

// One level a pixel of the picture.
struct Plane {
  int width = 0, height = 0;
  std::vector<uint8_t> levels;
  const uint8_t* row(int y) const {
    return levels.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

struct Octave {
  float cell_x, cell_y;  // Distance of the random values in pixels, >= 1.
  float weight;          // Weight in the sum; weights need not sum up to 1.
};
// Smooth random values, summed over the octaves and stretched to about 0 to
// 255.
Plane SmoothNoise(Random& random, int width, int height,
                  const std::vector<Octave>& octaves);

// Colors along 0 to 255: `stops` random ones between the two given, with hard
// steps or smooth.
std::vector<Color> RandomRamp(Random& random, Color from, Color to, int stops,
                              bool hard);

// Fills the whole canvas.
void PaintPlane(Canvas& canvas, const Plane& plane,
                const std::vector<Color>& ramp);
// Adds (level - 128) * strength to what a shape covers.
void ModulateWith(Canvas& canvas, const Coverage& coverage, const Plane& plane,
                  float strength);
void ModulateAll(Canvas& canvas, const Plane& plane, float strength);

// Something that could lie behind a sheet or a sign: a random one of everything
// below.
void PaintBackdrop(Canvas& canvas, Random& random);
// A desk: wood, cloth, stone, a flat color.
void PaintDesk(Canvas& canvas, Random& random);
// Paper fiber and stains over everything; `roughness` 0 to 1.
void AgePaper(Canvas& canvas, Random& random, float roughness);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_TEXTURE_H_
