// Levels of pixels as networks get them. Free of libtorch.
#ifndef MUNJA_TRAIN_PIXELS_H_
#define MUNJA_TRAIN_PIXELS_H_

#include <vector>

#include "image/image.h"

namespace munja::train {

// Appends height x width x 3 levels / 127.5 - 1.
void AppendPixels(const image::Image& picture, std::vector<float>* pixels);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PIXELS_H_
