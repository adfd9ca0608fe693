// From the scene to the picture a device takes of it: light, lens, sensor.
#ifndef MUNJA_SYNTH_OPTICS_H_
#define MUNJA_SYNTH_OPTICS_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "synth/canvas.h"
#include "synth/random.h"

namespace munja::train {

// One point of a blur: the picture moved by (dx, dy) pixels, as part `weight` /
// 256 of the result.
struct BlurTap {
  int dx = 0, dy = 0;
  int weight = 0;
};
// The pictures of a point: a disk (out of focus), a segment (moved), a
// Gaussian. The weights sum up to 256.
std::vector<BlurTap> DefocusTaps(float radius);
std::vector<BlurTap> MotionTaps(float dx, float dy);
std::vector<BlurTap> GaussianTaps(float sigma);
// Edge pixels are repeated outward. kOutOfMemory.
Status BlurPicture(image::Image& picture, std::span<const BlurTap> taps);

// Brightness factors of a coarse grid over the picture, 1 = as it is;
// interpolated linearly.
struct LightField {
  static constexpr int kSide = 17;
  float gain[kSide][kSide];
  LightField();
  // Cut with everything that was there before.
  void Vignette(float strength);
  // One side of a soft edge is darker: the shadow of a hand, a head, a house.
  void Shadow(Random& random, float darkness);
  // A slope of brightness in any direction.
  void Slope(Random& random, float strength);
};
// gain * color, per channel also times `balance`, then `lift` (0 to 255) mixed
// in: haze, black that is not black.
void ApplyLight(image::Image& picture, const LightField& light,
                const float balance[3], float lift);
// A bright spot washes out what is below it.
void AddGlare(image::Image& picture, Random& random, float strength);
// Grain of deviation `sigma` levels; `color_part` 0: the same in all channels,
// 1: independent.
void AddGrain(image::Image& picture, Random& random, float sigma,
              float color_part);
// 255 - level.
void Invert(image::Image& picture);
void ToGray(image::Image& picture);
// Stretches around 128 by `contrast` and raises to `gamma`.
void AdjustTone(image::Image& picture, float contrast, float gamma);

// How strong the effects of one picture are drawn.
enum class Capture {
  kScreenshot,  // Hardly any.
  kScan,        // Even light, little blur, sometimes gray or two levels.
  kPhone,       // Everything.
};
// The whole way in its physical order; does not move anything. kOutOfMemory,
// kInternal.
Status TakePicture(Canvas& canvas, Random& random, Capture capture,
                   float severity);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_OPTICS_H_
