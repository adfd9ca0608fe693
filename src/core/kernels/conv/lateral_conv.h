// The lateral connection of a feature pyramid in one go: a 1x1 convolution,
// scaled by gates, plus the coarser level enlarged by repeating pixels;
// float32, NHWC.
#ifndef MUNJA_KERNELS_CONV_LATERAL_CONV_H_
#define MUNJA_KERNELS_CONV_LATERAL_CONV_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/elementwise/activation.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

struct LateralConvShape {
  int32_t batch = 1, height = 1, width = 1, in_c = 1, out_c = 1;
  Product product = Product::kFloat32;  // As in PackedMatrix::Pack.
};

// data[batch, height, width, out_c]: pixel (y, x) of the enlarged level is
// (rows[y], columns[x]) of it.
struct CoarseLevel {
  const float* data = nullptr;  // Null: no addend.
  int32_t height = 1, width = 1;
  const int32_t* rows = nullptr;     // As many as the output has.
  const int32_t* columns = nullptr;  // Likewise.
  int32_t first_row = 0;             // Row at which data begins.
};

// Weights of one image, k = in_c, n = out_c, and its bias, or null.
struct LateralWeights {
  MatrixView matrix;
  const float* bias = nullptr;
};

// Bytes (64-byte aligned) in which ScaleLateralWeights works and leaves what
// it gives. kOutOfMemory when that does not fit memory.
Result<size_t> ScaledLateralBytes(const LateralConvShape& shape);
// weights[out_c][in_c] and bias[out_c] (or null), each output channel times
// its gate, in `memory`.
LateralWeights ScaleLateralWeights(const LateralConvShape& shape,
                                   const float* weights, const float* bias,
                                   const float* gate, void* memory);

// The result that ScaleLateralWeights left in `memory`.
LateralWeights ScaledLateralWeights(const LateralConvShape& shape,
                                    bool has_bias, const void* memory);

// Bytes of scratch memory (64-byte aligned) that LateralConv wants.
size_t LateralConvScratchBytes(const LateralConvShape& shape, int threads);

// out = activation(in * weights + bias + level) for image `image` of the batch.
// `in`, `level` and `out` begin at the batch's first.
void LateralConv(const LateralConvShape& shape, size_t image, const float* in,
                 const LateralWeights& weights, const CoarseLevel& level,
                 const Activation& activation, float* out, void* scratch,
                 ThreadPool& pool);

// Whether the same may make a map of 16-bit floats: of products of halves, with
// a level that is half as wide; its data is not read.
bool MakesHalfLateral(const LateralConvShape& shape, const CoarseLevel& level);
void LateralConv(const LateralConvShape& shape, size_t image, const float* in,
                 const LateralWeights& weights, const CoarseLevel& level,
                 const Activation& activation, const MutableRowView& out,
                 void* scratch, ThreadPool& pool);

namespace reference {
// All images. gate[batch][out_c], or null; gate_stride 0: one for all images.
// Sums in double precision.
void LateralConv(const LateralConvShape& shape, const float* in,
                 const float* weights, const float* bias, const float* gate,
                 size_t gate_stride, const CoarseLevel& level,
                 const Activation& activation, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_LATERAL_CONV_H_
