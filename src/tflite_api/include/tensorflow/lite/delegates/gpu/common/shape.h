// Sizes of images and of maps.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_SHAPE_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_SHAPE_H_

#include <cstdint>

namespace tflite {
namespace gpu {

struct HW {
  int32_t h = 0, w = 0;

  HW() = default;
  HW(int32_t height, int32_t width) : h(height), w(width) {}
};

struct BHWC {
  int32_t b = 0, h = 0, w = 0, c = 0;

  BHWC() = default;
  BHWC(int32_t batch, int32_t height, int32_t width, int32_t channels)
      : b(batch), h(height), w(width), c(channels) {}
};

}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_SHAPE_H_
