// Pooling over windows of an NHWC float image.
#ifndef MUNJA_KERNELS_SPATIAL_POOL_H_
#define MUNJA_KERNELS_SPATIAL_POOL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/elementwise/activation.h"

namespace munja::kernels {

enum class PoolKind {
  kMaximum,
  kAverage,  // Over the part of the window inside the image.
  kL2,       // sqrt(average of squares), same part.
};

// One image: in [in_h, in_w, channels], out [out_h, out_w, channels]. Output
// pixel (y, x) covers input rows y * stride_h - pad_top + [0, kernel_h), and
// columns likewise; every window must meet the image.
struct PoolShape {
  int32_t in_h = 0, in_w = 0, out_h = 0, out_w = 0, channels = 0;
  int32_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int32_t pad_top = 0, pad_left = 0;
};

// Output rows [y_begin, y_end); in and out point at the whole image.
void Pool(PoolKind kind, const PoolShape& shape, const Activation& activation,
          const float* in, int32_t y_begin, int32_t y_end, float* out);

// kMaximum without an activation, of bfloat16.
void MaximumOfBFloat16(const PoolShape& shape, const uint16_t* in,
                       int32_t y_begin, int32_t y_end, uint16_t* out);

namespace reference {
void Pool(PoolKind kind, const PoolShape& shape, const Activation& activation,
          const float* in, int32_t y_begin, int32_t y_end, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_SPATIAL_POOL_H_
