// A 3x3 convolution over maps that are enlarged by repeating pixels, without
// enlarging them: float32, NHWC, stride 1, one pixel of zeros around.
#ifndef MUNJA_KERNELS_CONV_UPSAMPLED_CONV_H_
#define MUNJA_KERNELS_CONV_UPSAMPLED_CONV_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/elementwise/activation.h"
#include "kernels/gemm/gemm.h"

namespace munja::kernels {

// Pixel (y, x) of the enlarged map is pixel (y / factor_h, x / factor_w) of
// data[batch, out_h / factor_h, out_w / factor_w, channels].
struct UpsampledMap {
  const float* data = nullptr;
  int32_t channels = 1;
  int32_t factor_h = 2, factor_w = 2;  // At least 2; they divide the output.
};

inline constexpr size_t kMaxUpsampledMaps = 16;

struct UpsampledConvShape {
  int32_t batch = 1, out_h = 1, out_w = 1, out_c = 1;
};

// The weights of one map's channels for the SIMD target in use: three matrices
// with a column for each column of the kernel and output channel. Where two or
// three rows of the kernel fall on one row of the map their weights are added,
// in double precision.
class PackedUpsampledConv {
 public:
  // The weight of output channel co, kernel row i, column j and channel c is
  // weights[((co * 3 + i) * 3 + j) * stride + c]. kOutOfMemory.
  static Result<PackedUpsampledConv> Pack(const float* weights, size_t stride,
                                          int32_t channels, int32_t out_c,
                                          Product product = Product::kFloat32);
  // For output rows that begin a row of the map: [row above, this row].
  MatrixView first() const { return first_.view(); }
  MatrixView middle() const { return middle_.view(); }  // [this row]
  // [this row, row below]
  MatrixView last() const { return last_.view(); }
  size_t bytes() const {
    return first_.bytes() + middle_.bytes() + last_.bytes();
  }

 private:
  PackedUpsampledConv(PackedMatrix first, PackedMatrix middle,
                      PackedMatrix last)
      : first_(std::move(first)),
        middle_(std::move(middle)),
        last_(std::move(last)) {}
  PackedMatrix first_, middle_, last_;
};

// Bytes of scratch memory (64-byte aligned) that UpsampledConv wants.
// kOutOfMemory when that does not fit memory.
Result<size_t> UpsampledConvScratchBytes(const UpsampledConvShape& shape,
                                         std::span<const UpsampledMap> maps,
                                         int threads);

// out = activation(bias + the sum of the maps' convolutions); bias may be null.
// There are 1 to kMaxUpsampledMaps maps, and weights[i] is for maps[i].
// `scratch` is that for pool.threads().
void UpsampledConv(const UpsampledConvShape& shape,
                   std::span<const UpsampledMap> maps,
                   std::span<const PackedUpsampledConv* const> weights,
                   const float* bias, const Activation& activation, float* out,
                   void* scratch, ThreadPool& pool);

namespace reference {
// weights[out_c][3][3][all channels of the maps in order]. Factors of 1 are
// taken, too. Sums in double precision.
void UpsampledConv(const UpsampledConvShape& shape,
                   std::span<const UpsampledMap> maps, const float* weights,
                   const float* bias, const Activation& activation, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_UPSAMPLED_CONV_H_
