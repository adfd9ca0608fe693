#include "train/pixels.h"

namespace munja::train {

void AppendPixels(const image::Image& picture, std::vector<float>* pixels) {
  for (int y = 0; y < picture.height(); ++y) {
    const uint8_t* row = picture.row(y);
    for (size_t i = 0; i < picture.stride(); ++i)
      pixels->push_back(static_cast<float>(row[i]) / 127.5f - 1);
  }
}

}  // namespace munja::train
