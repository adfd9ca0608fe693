// Convolutions and fully connected layers with integer weights. One kernel runs
// them all; CONV_2D, CONCAT_CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and
// FULLY_CONNECTED describe theirs by three parts: which sizes follow from the
// shapes (LinearGeometry), how values are scaled (LinearRules) and which
// functions multiply (IntEngine). Activations are int8, uint8, int16, or floats
// that are quantized dynamically.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_INT_LINEAR_H_
#define MUNJA_OPS_SUPPORT_LINEAR_INT_LINEAR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"
#include "ops/op.h"
#include "ops/support/linear/linear_scheme.h"
#include "ops/support/nearest_map.h"

namespace munja::ops {

// Sizes for one set of input shapes.
struct LinearSizes {
  kernels::Conv2dShape shape;
  Shape output;
  std::vector<NearestMap> maps = {};  // If the input consists of maps.
};

struct LinearGeometry {
  std::function<Result<LinearSizes>(const PrepareContext&)> place;
  // Sizes of constant weights, in a shape of which nothing else is read.
  std::function<Result<kernels::Conv2dShape>(const NodeInfo&, const Shape&)>
      weight_sizes;
  // Input rows are spread over the output, as TRANSPOSE_CONV does, instead of
  // output rows reading the window above them.
  bool is_transposed = false;
  // The input is any number of maps of bytes, resized and joined: input
  // LinearOperands::input and every second one after it.
  bool has_maps = false;
};
inline constexpr size_t kMaxLinearMaps = 16;

// Arguments of one run.
struct IntRun {
  const kernels::Conv2dShape& shape;
  kernels::IntInput in;
  const int16_t* centered;  // Input without zero point, if requested.
  kernels::IntFormat format;
  const void* weights;        // As IntEngine::pack wrote them; else as stored.
  const float* image_scales;  // One for each image, or null.
  const kernels::IntEpilogue& epilogue;
  void* scratch;
  ThreadPool& pool;
};

struct IntEngine {
  using Shape = kernels::Conv2dShape;
  using Format = kernels::IntFormat;
  // Bytes that `pack` writes.
  size_t (*packed_bytes)(const Shape&, Format);
  void (*pack)(const int16_t* weights, const Shape&, Format, void* packed);
  size_t (*scratch_bytes)(const Shape&, Format, int threads);
  void (*run)(const IntRun&);
  // The reference implementation reads IntRun::centered and stored weights.
  void (*run_reference)(const IntRun&);
  // `run` reads IntRun::centered for this shape. Null: never.
  bool (*wants_centered)(const Shape&) = nullptr;
};
// A matrix product of unfolded windows; a fully connected layer is one of
// images of one pixel.
extern const IntEngine kIntMatrixEngine;

struct IntLinear {
  LinearOperands operands = {};
  LinearRules rules = {};
  LinearGeometry geometry = {};
  const IntEngine* engine = &kIntMatrixEngine;
};

// The node's weights are integers: MakeIntLinear runs it.
bool HasIntWeights(const NodeInfo& info, int weights);
// Reads what all have in common and packs constant weights.
Result<std::unique_ptr<Kernel>> MakeIntLinear(const NodeInfo& info,
                                              IntLinear node);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_INT_LINEAR_H_
