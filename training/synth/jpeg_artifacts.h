// The artifacts that JPEG compression leaves in a picture.
#ifndef MUNJA_SYNTH_JPEG_ARTIFACTS_H_
#define MUNJA_SYNTH_JPEG_ARTIFACTS_H_

#include "base/status.h"
#include "image/image.h"

namespace munja::train {

// Replaces the picture by what is left of it after JPEG of `quality` 1 to 100
// (libjpeg's scale); `subsample` halves the resolution of color in both
// directions, as cameras do. kOutOfMemory, kInternal.
Status CompressAsJpeg(image::Image& picture, int quality, bool subsample);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_JPEG_ARTIFACTS_H_
