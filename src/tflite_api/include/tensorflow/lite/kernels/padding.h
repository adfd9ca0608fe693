// Output sizes and padding of windows.
#ifndef MUNJA_TFLITE_KERNELS_PADDING_H_
#define MUNJA_TFLITE_KERNELS_PADDING_H_

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {

inline int ComputeOutSize(TfLitePadding padding, int image_size,
                          int filter_size, int stride, int dilation_rate = 1) {
  const int extent = (filter_size - 1) * dilation_rate + 1;
  if (stride == 0) return 0;
  switch (padding) {
    case kTfLitePaddingSame:
      return (image_size + stride - 1) / stride;
    case kTfLitePaddingValid:
      return (image_size + stride - extent) / stride;
    default:
      return 0;
  }
}

// Padding in front. *offset: one more behind when the sum is odd.
inline int ComputePaddingWithOffset(int stride, int dilation_rate, int in_size,
                                    int filter_size, int out_size,
                                    int* offset) {
  const int extent = (filter_size - 1) * dilation_rate + 1;
  const int needed = (out_size - 1) * stride + extent - in_size;
  const int total = needed > 0 ? needed : 0;
  *offset = total % 2;
  return total / 2;
}
inline int ComputePadding(int stride, int dilation_rate, int in_size,
                          int filter_size, int out_size) {
  int offset = 0;
  return ComputePaddingWithOffset(stride, dilation_rate, in_size, filter_size,
                                  out_size, &offset);
}

inline TfLitePaddingValues ComputePaddingHeightWidth(
    int stride_height, int stride_width, int dilation_rate_height,
    int dilation_rate_width, int in_height, int in_width, int filter_height,
    int filter_width, TfLitePadding padding, int* out_height, int* out_width) {
  *out_width = ComputeOutSize(padding, in_width, filter_width, stride_width,
                              dilation_rate_width);
  *out_height = ComputeOutSize(padding, in_height, filter_height, stride_height,
                               dilation_rate_height);
  TfLitePaddingValues values{};
  values.height = ComputePaddingWithOffset(stride_height, dilation_rate_height,
                                           in_height, filter_height,
                                           *out_height, &values.height_offset);
  values.width =
      ComputePaddingWithOffset(stride_width, dilation_rate_width, in_width,
                               filter_width, *out_width, &values.width_offset);
  return values;
}

inline Padding3DValues ComputePadding3DValues(
    int stride_height, int stride_width, int stride_depth,
    int dilation_rate_height, int dilation_rate_width, int dilation_rate_depth,
    int in_height, int in_width, int in_depth, int filter_height,
    int filter_width, int filter_depth, TfLitePadding padding, int* out_height,
    int* out_width, int* out_depth) {
  Padding3DValues values{};
  const auto along = [padding](int stride, int dilation, int in, int filter,
                               int* out, int16_t* before, int16_t* more) {
    *out = ComputeOutSize(padding, in, filter, stride, dilation);
    int offset = 0;
    *before = static_cast<int16_t>(
        ComputePaddingWithOffset(stride, dilation, in, filter, *out, &offset));
    *more = static_cast<int16_t>(offset);
  };
  along(stride_height, dilation_rate_height, in_height, filter_height,
        out_height, &values.height, &values.height_offset);
  along(stride_width, dilation_rate_width, in_width, filter_width, out_width,
        &values.width, &values.width_offset);
  along(stride_depth, dilation_rate_depth, in_depth, filter_depth, out_depth,
        &values.depth, &values.depth_offset);
  return values;
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_PADDING_H_
