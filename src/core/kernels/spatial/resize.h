// Resizing of NHWC maps inside a network.
#ifndef MUNJA_KERNELS_SPATIAL_RESIZE_H_
#define MUNJA_KERNELS_SPATIAL_RESIZE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace munja::kernels {

// For one output coordinate of a bilinear resize: two input coordinates and
// the weight of the second.
struct LinearTap {
  int32_t lower = 0, upper = 0;
  float weight = 0.0f;
};

// The taps of one axis. in, out >= 1; half_pixel excludes align_corners.
std::vector<LinearTap> LinearTaps(int32_t in, int32_t out, bool align_corners,
                                  bool half_pixel);
// The same for quantized values: the weight of the second in 1024ths, reckoned
// in integers throughout. It may be negative where both are the same pixel.
struct IntegerTap {
  int32_t lower = 0, upper = 0;
  int32_t weight = 0;
};
std::vector<IntegerTap> IntegerTaps(int32_t in, int32_t out, bool align_corners,
                                    bool half_pixel);

// The input coordinate that each output coordinate copies.
std::vector<int32_t> NearestIndices(int32_t in, int32_t out, bool align_corners,
                                    bool half_pixel);

// Row of the output from its two rows of the input, each
// [in_w, channels]; `columns` has an entry for each output pixel.
void ResizeBilinearRow(const float* upper_row, const float* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, float* out);

// The same for int8_t and int16_t by the integer weights, rounded half away
// from zero.
template <class T>
void ResizeBilinearRow(const T* upper_row, const T* lower_row,
                       int32_t row_weight, const IntegerTap* columns,
                       int32_t out_w, int32_t channels, T* out);
// uint8, which TensorFlow Lite computes in float and rounds half up.
void ResizeBilinearRow(const uint8_t* upper_row, const uint8_t* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, uint8_t* out);

namespace reference {
void ResizeBilinearRow(const float* upper_row, const float* lower_row,
                       float row_weight, const LinearTap* columns,
                       int32_t out_w, int32_t channels, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_SPATIAL_RESIZE_H_
