// Weight matrices of recurrent operators, in all the ways in which they are
// multiplied: float, int8 with float inputs (hybrid), int8 with int8 inputs.
#ifndef MUNJA_OPS_SUPPORT_RNN_RNN_MATRIX_H_
#define MUNJA_OPS_SUPPORT_RNN_RNN_MATRIX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "kernels/gemm/gemm.h"
#include "kernels/quant/fixed_point.h"
#include "kernels/quant/row_quantization.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/scratch_pieces.h"

namespace munja::ops {

enum class Arithmetic { kFloat, kHybrid, kInteger };

// By the types of an input and of weights; kUnsupported for other pairs.
Result<Arithmetic> ArithmeticOf(const NodeInfo& info, int input, int weights);

// Multiplier of a quotient of scales, which may be infinite.
inline kernels::Multiplier MultiplierOf(float real) {
  return kernels::QuantizeMultiplier(std::min(real, 0x1p30f));
}

// Rows of floats as int8, for the hybrid product.
struct QuantizedRows {
  int8_t* values = nullptr;  // [rows, depth]
  kernels::RowScale* scales = nullptr;
  size_t depth = 0;

  static QuantizedRows Take(ScratchPieces& scratch, size_t rows, size_t depth);
  // Row r is at x + r * stride.
  void Fill(const float* x, size_t stride, size_t rows, bool is_asymmetric);
};

// A matrix [rows, depth], ready for the products of one Eval.
struct BoundMatrix {
  size_t rows = 0, depth = 0;
  kernels::MatrixView packed;         // Float.
  const float* plain = nullptr;       // Float, for the reference kernel.
  const int8_t* bytes = nullptr;      // Hybrid and integer,
  float scale = 1.0f;                 // with this scale,
  const int32_t* row_sums = nullptr;  // and the sum of each row.

  bool exists() const { return rows > 0; }
  // out[r * ldo + u] = x[r] . w[u] + bias[u] + residual[r * ldo + u]; bias and
  // residual may be null, and the residual may be `out`.
  void Multiply(const float* x, size_t ldx, size_t m, const float* bias,
                const float* residual, float* out, size_t ldo,
                ThreadPool& pool) const;
  // out[r * ldo + u] += scales * (x[r] - zero) . w[u]
  void AddHybrid(const QuantizedRows& x, size_t m, float* out, size_t ldo,
                 ThreadPool& pool) const;
  // out[r * ldo + u] = clamp((x[r] - zero) . w[u] + bias[u]) * multiplier +
  // out_zero + out[r * ldo + u] where `adds`), for T int8 or int16.
  template <class T>
  void MultiplyInteger(const int8_t* x, size_t ldx, size_t m, int32_t zero,
                       const int32_t* bias, kernels::Multiplier multiplier,
                       int32_t out_zero, bool adds, T* out, size_t ldo,
                       ThreadPool& pool) const;
};

class RnnMatrix {
 public:
  RnnMatrix() = default;
  // Input i of the node; does not exist when that is absent. A constant is
  // packed or summed up now.
  static Result<RnnMatrix> Make(const NodeInfo& info, int i,
                                Arithmetic arithmetic, std::string_view what);

  bool exists() const { return input_ >= 0; }
  int input() const { return input_; }
  // The shape is [rows, depth], and the type as when it was made.
  Status Check(const PrepareContext& context, int64_t rows,
               int64_t depth) const;
  // With memory from `scratch`, for dynamic weights.
  BoundMatrix Bind(const EvalContext& context, ScratchPieces& scratch) const;
  // Counts the scratch memory that Bind uses.
  void CountScratch(const PrepareContext& context,
                    ScratchPieces& scratch) const;
  size_t packed_bytes() const;

 private:
  int input_ = -1;
  Arithmetic arithmetic_ = Arithmetic::kFloat;
  ElementType type_ = ElementType::kFloat32;
  bool is_constant_ = false, use_reference_ = false;
  std::string_view what_;
  FloatConstant plain_;  // Constant floats of the reference kernels.
  std::shared_ptr<const kernels::PackedMatrix> packed_;
  std::shared_ptr<const std::vector<int32_t>> row_sums_;
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_RNN_RNN_MATRIX_H_
