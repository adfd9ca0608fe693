// Matrices of int8 x int8, int16 x int16, int16 x int8, and float x int8, whose
// rows are quantized dynamically. A product of int8 that is int32 takes the
// quantized values as plain integers.
#include "ops/matmul/batch_matmul_int.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "kernels/cpu/cache.h"
#include "kernels/int_conv/int_conv_2d.h"
#include "kernels/quant/centered.h"
#include "kernels/quant/fixed_point.h"
#include "kernels/quant/row_quantization.h"
#include "ops/support/linear/batch_matmul_plan.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

struct QuantizedMatMulState final : State {
  BatchMatMulPlan plan;
  int32_t x_zero = 0, y_zero = 0;
  std::vector<int32_t> mantissas, exponents;
  std::vector<float> scales;  // Column scales, for float x.
  kernels::IntEpilogue epilogue;
  size_t x_matrices = 0;
  // Scratch memory: rows of x and matrices of y as int16 without zero point,
  // the scales of the rows, one packed matrix and the kernel's own.
  size_t x_at = 0, y_at = 0, scales_at = 0, packed_at = 0, work_at = 0;
  size_t turned_at = 0;  // Float x with adj_x, its matrices transposed.
  size_t quantized_at = 0, zeros_at = 0;  // The quantized values of float x.
};

// Operands are widened to int16.
constexpr auto kInt16 = kernels::IntFormat::kInt16;

// The kernel multiplies rows by a packed matrix as 1x1 images.
kernels::Conv2dShape Product(const kernels::BatchMatMulShape& s) {
  kernels::Conv2dShape shape;
  shape.batch = static_cast<int32_t>(s.m);
  shape.in_c = static_cast<int32_t>(s.k);
  shape.out_c = static_cast<int32_t>(s.n);
  return shape;
}

class QuantizedBatchMatMul final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    auto state = std::make_unique<QuantizedMatMulState>();
    const TensorView &x = context.input(0), &y = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckTypes(x, y, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(state->plan,
                           PlanBatchMatMul(x.shape, y.shape, adj_x_, adj_y_));
    MUNJA_RETURN_IF_ERROR(Scale(x, y, context.output(0), *state));
    const kernels::BatchMatMulShape& s = state->plan.shape;
    const auto x_count = static_cast<size_t>(x.shape.elements()),
               y_count = static_cast<size_t>(y.shape.elements());
    state->x_matrices =
        static_cast<size_t>(x.shape.elements(0, x.shape.rank() - 2));
    size_t total = 0;
    const auto append = [&](size_t bytes) {
      const size_t at = total;
      total += RoundUp(bytes, kBufferAlignment);
      return at;
    };
    // Elements are below 2^40 each; the sum of a few such sizes fits.
    state->x_at = append(x_count * sizeof(int16_t));
    state->y_at = append(y_count * sizeof(int16_t));
    if (x.type == ElementType::kFloat32) {
      state->scales_at = append(state->x_matrices * s.m * sizeof(float));
      state->zeros_at = append(state->x_matrices * s.m * sizeof(int32_t));
      state->quantized_at = append(x_count);
      if (adj_x_) state->turned_at = append(x_count * sizeof(float));
    }
    if (!IsPlain(y.type)) {
      const kernels::Conv2dShape product = Product(s);
      state->packed_at = append(kernels::IntConv2dWeightBytes(product, kInt16));
      state->work_at = append(
          kernels::IntConv2dScratchBytes(product, kInt16, context.threads()));
    }
    context.RequestScratch(total);
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, state->plan.output));
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state =
        *static_cast<const QuantizedMatMulState*>(context.state());
    const kernels::BatchMatMulShape& s = state.plan.shape;
    auto* scratch = static_cast<uint8_t*>(context.scratch());
    auto* xs = reinterpret_cast<int16_t*>(scratch + state.x_at);
    auto* ys = reinterpret_cast<int16_t*>(scratch + state.y_at);
    float* scales = nullptr;
    const TensorView &x = context.input(0), &y = context.input(1);
    if (x.type == ElementType::kFloat32)
      scales = reinterpret_cast<float*>(scratch + state.scales_at);
    LoadRows(x, state, scratch, scales, xs, context.pool());
    Widen(y, state.y_zero, ys);
    kernels::IntEpilogue epilogue = state.epilogue;
    epilogue.out = context.output(0).data;
    const size_t y_row = s.adj_y ? 1 : s.n, y_column = s.adj_y ? s.k : 1;
    auto* packed = reinterpret_cast<int32_t*>(scratch + state.packed_at);
    for (size_t b = 0; b < state.plan.x_of.size(); ++b) {
      const size_t x_index = state.plan.x_of[b], y_index = state.plan.y_of[b];
      const int16_t* left = xs + x_index * s.m * s.k;
      const int16_t* right = ys + y_index * s.k * s.n;
      const float* row_scales =
          scales == nullptr ? nullptr : scales + x_index * s.m;
      if (IsPlain(y.type)) {
        PlainProduct(s, left, right, y_row, y_column, row_scales, b * s.m * s.n,
                     epilogue, context.pool());
        continue;
      }
      const kernels::Conv2dShape product = Product(s);
      const kernels::IntConv2dWeights weights =
          kernels::IntConv2dWeightsAt(product, kInt16, packed);
      if (b == 0 || y_index != state.plan.y_of[b - 1])
        kernels::PackIntMatrix(right, weights.matrix, y_row, y_column, packed);
      kernels::OutputStrides strides = kernels::DenseStrides(product);
      strides.first = b * s.m * s.n;
      kernels::IntConv2d(product, {left, ElementType::kInt16, 0}, weights,
                         row_scales, strides, epilogue, scratch + state.work_at,
                         context.pool());
    }
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements() * inputs[0].shape.back(adj_x_ ? 1 : 0);
  }

  bool adj_x_ = false, adj_y_ = false;
  bool is_asymmetric_ = false, use_reference_ = false;

 private:
  // Products of int16 with int16 do not fit the fast kernel.
  bool IsPlain(ElementType y) const {
    return use_reference_ || y == ElementType::kInt16;
  }

  static Status CheckTypes(const TensorView& x, const TensorView& y,
                           const TensorView& out) {
    using enum ElementType;
    MUNJA_RETURN_IF_ERROR(
        CheckType(x, "the left operand", {kFloat32, kInt8, kInt16}));
    if (x.type == kInt16) {
      MUNJA_RETURN_IF_ERROR(CheckType(y, "the right operand", {kInt8, kInt16}));
    } else {
      MUNJA_RETURN_IF_ERROR(CheckType(y, "the right operand", {kInt8}));
    }
    if (x.type == kInt8) return CheckType(out, "the output", {kInt8, kInt32});
    return CheckType(out, "the output", {x.type});
  }

  Status Scale(const TensorView& x, const TensorView& y, const TensorView& out,
               QuantizedMatMulState& state) const {
    kernels::IntEpilogue& epilogue = state.epilogue;
    epilogue.type = out.type;
    if (out.type == ElementType::kInt32) return Status();
    const size_t n = state.plan.shape.n;
    if (x.type == ElementType::kFloat32) {
      MUNJA_RETURN_IF_ERROR(ColumnScales(y, n, state.scales));
      epilogue.scales = state.scales.data();
      return Status();
    }
    MUNJA_ASSIGN_OR_RETURN(const Affine left, PerTensor(x, "the left operand"));
    MUNJA_ASSIGN_OR_RETURN(const Affine right,
                           PerTensor(y, "the right operand"));
    MUNJA_ASSIGN_OR_RETURN(const Affine to, PerTensor(out, "the output"));
    state.x_zero = left.zero;
    state.y_zero = right.zero;
    const StoredRange range = RangeOf(out.type);
    epilogue.is_wide = x.type == ElementType::kInt16;
    epilogue.zero = to.zero;
    epilogue.low = range.low;
    epilogue.high = range.high;
    // The product of the scales is rounded to float, as everywhere else.
    const kernels::Multiplier m = kernels::QuantizeMultiplier(
        double{left.scale * right.scale} / double{to.scale});
    // Sums of 64 bits are never scaled up that far.
    if (epilogue.is_wide && m.exponent > 14)
      return Unsupported("an output scale far below that of the sums");
    state.mantissas.assign(n, m.mantissa);
    state.exponents.assign(n, m.exponent);
    epilogue.mantissas = state.mantissas.data();
    epilogue.exponents = state.exponents.data();
    return Status();
  }

  // For float x: y is symmetric, with one scale or one for each column.
  Status ColumnScales(const TensorView& y, size_t n,
                      std::vector<float>& scales) const {
    const Quantization* q = y.quantization;
    if (q == nullptr || !q->is_quantized())
      return Malformed("the right operand has no scale");
    for (const int64_t zero : q->zero_points)
      if (zero != 0) return Unsupported("a right operand with a zero point");
    if (!q->is_per_axis()) {
      scales.assign(n, q->scales[0]);
      return Status();
    }
    if (q->axis != y.shape.rank() - (adj_y_ ? 2 : 1) || q->scales.size() != n)
      return Malformed("the scales of the right operand are not its columns'");
    scales = q->scales;
    return Status();
  }

  // Quantized values of y without their zero point.
  static void Widen(const TensorView& y, int32_t zero, int16_t* out) {
    const auto count = static_cast<size_t>(y.shape.elements());
    if (y.type == ElementType::kInt16)
      std::copy_n(y.as<int16_t>(), count, out);
    else
      kernels::Center(y.as<int8_t>(), count, zero, out);
  }

  // Matrices of k x m elements as m x k ones, each element changed by f.
  template <class From, class To, class F>
  static void Turn(const BatchMatMulPlan& plan, size_t matrices,
                   const From* from, To* to, const F& f) {
    const size_t m = plan.shape.m, k = plan.shape.k;
    for (size_t i = 0; i < matrices; ++i, from += m * k) {
      for (size_t row = 0; row < m; ++row)
        for (size_t j = 0; j < k; ++j) *to++ = f(from[j * m + row]);
    }
  }

  // Matrices of x as m x k rows.
  void LoadRows(const TensorView& x, const QuantizedMatMulState& state,
                uint8_t* scratch, float* scales, int16_t* out,
                ThreadPool& pool) const {
    const BatchMatMulPlan& plan = state.plan;
    if (x.type == ElementType::kFloat32) {
      const float* rows = x.as<float>();
      if (adj_x_) {
        auto* turned = reinterpret_cast<float*>(scratch + state.turned_at);
        Turn(plan, state.x_matrices, rows, turned, [](float v) { return v; });
        rows = turned;
      }
      const size_t count = state.x_matrices * plan.shape.m, k = plan.shape.k;
      const auto* stored =
          reinterpret_cast<const int8_t*>(scratch + state.quantized_at);
      auto* zeros = reinterpret_cast<int32_t*>(scratch + state.zeros_at);
      kernels::QuantizeRows(
          rows, count, k, is_asymmetric_,
          {scratch + state.quantized_at, false, scales, zeros}, pool);
      for (size_t r = 0; r < count; ++r)
        kernels::Center(stored + r * k, k, zeros[r], out + r * k);
    } else if (!adj_x_) {
      Widen(x, state.x_zero, out);
    } else if (x.type == ElementType::kInt16) {
      Turn(plan, state.x_matrices, x.as<int16_t>(), out,
           [](int16_t v) { return v; });
    } else {
      Turn(plan, state.x_matrices, x.as<int8_t>(), out,
           [&](int8_t v) { return static_cast<int16_t>(v - state.x_zero); });
    }
  }

  static void PlainProduct(const kernels::BatchMatMulShape& s,
                           const int16_t* left, const int16_t* right,
                           size_t y_row, size_t y_column,
                           const float* row_scales, size_t first,
                           const kernels::IntEpilogue& epilogue,
                           ThreadPool& pool) {
    pool.ParallelFor(
        s.m,
        std::max<size_t>(1,
                         kernels::kSmallTask / std::max<size_t>(1, s.k * s.n)),
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            kernels::RowTarget target{first + i * s.n};
            if (row_scales != nullptr) target.scale = row_scales[i];
            for (size_t j = 0; j < s.n; ++j) {
              int64_t sum = 0;
              for (size_t k = 0; k < s.k; ++k)
                sum += int32_t{left[i * s.k + k]} *
                       right[k * y_row + j * y_column];
              kernels::reference::StoreSum(epilogue, sum, target, j);
            }
          }
        });
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> MakeBatchMatMulInt(const NodeInfo& info) {
  if (info.input(0) == nullptr) return Malformed("has no left operand");
  auto kernel = std::make_unique<QuantizedBatchMatMul>();
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_x_,
                         info.attributes().Bool("adj_x", false));
  MUNJA_ASSIGN_OR_RETURN(kernel->adj_y_,
                         info.attributes().Bool("adj_y", false));
  MUNJA_ASSIGN_OR_RETURN(
      kernel->is_asymmetric_,
      info.attributes().Bool("asymmetric_quantize_inputs", false));
  kernel->use_reference_ = info.options().reference_kernels;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops
