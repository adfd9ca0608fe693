#include "ops/support/rnn/rnn_matrix.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kernels/cpu/cache.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

bool IsByte(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUInt8;
}

void SumRows(const int8_t* bytes, size_t rows, size_t depth, int32_t* sums) {
  for (size_t r = 0; r < rows; ++r)
    sums[r] = kernels::Sum(bytes + r * depth, depth);
}

}  // namespace

Result<Arithmetic> ArithmeticOf(const NodeInfo& info, int input, int weights) {
  if (info.input(input) == nullptr) return Malformed("has no input");
  if (info.input(weights) == nullptr) return Malformed("has no weights");
  const ElementType in = info.input(input)->type;
  const ElementType w = info.input(weights)->type;
  if (in == ElementType::kFloat32) {
    if (w == ElementType::kFloat32 || w == ElementType::kFloat16)
      return Arithmetic::kFloat;
    // Old converters called their signed weights uint8.
    if (IsByte(w)) return Arithmetic::kHybrid;
  }
  if (in == ElementType::kInt8 && w == ElementType::kInt8)
    return Arithmetic::kInteger;
  return Unsupported(std::string("an input of ") + ElementTypeName(in) +
                     " with weights of " + ElementTypeName(w) +
                     " is not implemented");
}

QuantizedRows QuantizedRows::Take(ScratchPieces& scratch, size_t rows,
                                  size_t depth) {
  QuantizedRows q;
  q.values = scratch.Take<int8_t>(rows * depth);
  q.scales = scratch.Take<kernels::RowScale>(rows);
  q.depth = depth;
  return q;
}

void QuantizedRows::Fill(const float* x, size_t stride, size_t rows,
                         bool is_asymmetric) {
  for (size_t r = 0; r < rows; ++r) {
    int8_t* row = values + r * depth;
    scales[r] = is_asymmetric
                    ? kernels::QuantizeRowAsymmetric(x + r * stride, depth, row)
                    : kernels::QuantizeRow(x + r * stride, depth, row);
  }
}

void BoundMatrix::Multiply(const float* x, size_t ldx, size_t m,
                           const float* bias, const float* residual, float* out,
                           size_t ldo, ThreadPool& pool) const {
  const kernels::Epilogue epilogue{bias, residual, {}};
  if (plain != nullptr) {
    kernels::reference::Gemm(x, ldx, m, plain, depth, rows, 1, depth, epilogue,
                             out, ldo);
  } else {
    kernels::Gemm(x, ldx, m, packed, epilogue, out, ldo, pool);
  }
}

void BoundMatrix::AddHybrid(const QuantizedRows& x, size_t m, float* out,
                            size_t ldo, ThreadPool& pool) const {
  const size_t grain = kernels::kSmallTask / (depth * m + 1) + 1;
  pool.ParallelFor(rows, grain, [&](size_t begin, size_t end, int) {
    for (size_t u = begin; u < end; ++u) {
      for (size_t r = 0; r < m; ++r) {
        const kernels::RowScale& in = x.scales[r];
        const int64_t sum =
            kernels::Dot(x.values + r * depth, bytes + u * depth, depth) -
            int64_t{in.zero} * row_sums[u];
        out[r * ldo + u] += static_cast<float>(sum) * (in.scale * scale);
      }
    }
  });
}

template <class T>
void BoundMatrix::MultiplyInteger(const int8_t* x, size_t ldx, size_t m,
                                  int32_t zero, const int32_t* bias,
                                  kernels::Multiplier multiplier,
                                  int32_t out_zero, bool adds, T* out,
                                  size_t ldo, ThreadPool& pool) const {
  const size_t grain = kernels::kSmallTask / (depth * m + 1) + 1;
  pool.ParallelFor(rows, grain, [&](size_t begin, size_t end, int) {
    for (size_t u = begin; u < end; ++u) {
      // Wraps as the sums of other implementations do.
      uint32_t offset = static_cast<uint32_t>(zero) *
                        static_cast<uint32_t>(-int64_t{row_sums[u]});
      if (bias != nullptr) offset += static_cast<uint32_t>(bias[u]);
      for (size_t r = 0; r < m; ++r) {
        const auto sum = static_cast<int32_t>(
            offset + static_cast<uint32_t>(
                         kernels::Dot(x + r * ldx, bytes + u * depth, depth)));
        T& cell = out[r * ldo + u];
        const int64_t total = int64_t{kernels::Multiply(sum, multiplier)} +
                              out_zero + (adds ? cell : 0);
        cell = static_cast<T>(
            std::clamp<int64_t>(total, std::numeric_limits<T>::min(),
                                std::numeric_limits<T>::max()));
      }
    }
  });
}

template void BoundMatrix::MultiplyInteger(const int8_t*, size_t, size_t,
                                           int32_t, const int32_t*,
                                           kernels::Multiplier, int32_t, bool,
                                           int8_t*, size_t, ThreadPool&) const;
template void BoundMatrix::MultiplyInteger(const int8_t*, size_t, size_t,
                                           int32_t, const int32_t*,
                                           kernels::Multiplier, int32_t, bool,
                                           int16_t*, size_t, ThreadPool&) const;

Result<RnnMatrix> RnnMatrix::Make(const NodeInfo& info, int i,
                                  Arithmetic arithmetic,
                                  std::string_view what) {
  RnnMatrix matrix;
  const graph::Value* value = info.input(i);
  if (value == nullptr) return matrix;
  matrix.input_ = i;
  matrix.arithmetic_ = arithmetic;
  matrix.type_ = value->type;
  matrix.is_constant_ = value->constant.has_value();
  matrix.use_reference_ = info.options().reference_kernels;
  matrix.what_ = what;
  const std::string name(what);
  const Shape& shape = value->shape;
  if (arithmetic == Arithmetic::kFloat) {
    if (!matrix.is_constant_) {
      if (value->type == ElementType::kFloat32) return matrix;
      return Unsupported(name + " of " + ElementTypeName(value->type) +
                         " are not implemented beside float32");
    }
    MUNJA_ASSIGN_OR_RETURN(matrix.plain_, FloatConstant::Read(info, i, what));
    if (shape.rank() != 2) return matrix;  // Prepare says why not.
    if (matrix.use_reference_) return matrix;
    const auto depth = static_cast<size_t>(shape[1]);
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedMatrix packed,
        kernels::PackedMatrix::Pack(matrix.plain_.data(), depth,
                                    static_cast<size_t>(shape[0]), 1, depth));
    matrix.packed_ =
        std::make_shared<const kernels::PackedMatrix>(std::move(packed));
    matrix.plain_ = FloatConstant();
    return matrix;
  }
  const bool is_fine = arithmetic == Arithmetic::kHybrid
                           ? IsByte(value->type)
                           : value->type == ElementType::kInt8;
  if (!is_fine) {
    return Unsupported(name + " of " + ElementTypeName(value->type) +
                       " are not implemented beside int8");
  }
  if (matrix.is_constant_ && shape.rank() == 2) {
    std::vector<int32_t> sums(static_cast<size_t>(shape[0]));
    SumRows(reinterpret_cast<const int8_t*>(value->constant->bytes.data()),
            sums.size(), static_cast<size_t>(shape[1]), sums.data());
    matrix.row_sums_ =
        std::make_shared<const std::vector<int32_t>>(std::move(sums));
  }
  return matrix;
}

Status RnnMatrix::Check(const PrepareContext& context, int64_t rows,
                        int64_t depth) const {
  const TensorView& view = context.input(input_);
  const std::string name(what_);
  if (view.shape.rank() != 2 || view.shape[0] != rows ||
      view.shape[1] != depth) {
    return Malformed(name + " have shape " + view.shape.ToString() + ", want " +
                     std::to_string(rows) + "x" + std::to_string(depth));
  }
  if (arithmetic_ == Arithmetic::kFloat) return Status();
  TensorView as_signed = view;
  // Signed weights that are called uint8.
  as_signed.type = ElementType::kInt8;
  MUNJA_ASSIGN_OR_RETURN(const Affine affine, PerTensor(as_signed, name));
  if (affine.zero != 0)
    return Malformed(name + " have zero point " + std::to_string(affine.zero));
  return Status();
}

BoundMatrix RnnMatrix::Bind(const EvalContext& context,
                            ScratchPieces& scratch) const {
  BoundMatrix bound;
  if (!exists()) return bound;
  const TensorView& view = context.input(input_);
  bound.rows = static_cast<size_t>(view.shape[0]);
  bound.depth = static_cast<size_t>(view.shape[1]);
  if (arithmetic_ == Arithmetic::kFloat) {
    if (packed_ != nullptr) {
      bound.packed = packed_->view();
    } else if (use_reference_) {
      bound.plain = plain_.exists() ? plain_.data() : view.as<float>();
    } else {
      bound.packed = {nullptr, bound.depth, bound.rows};
      auto* const packed =
          scratch.Take<uint8_t>(kernels::PackedMatrixBytes(bound.packed));
      kernels::PackMatrix(view.as<float>(), bound.packed, 1, bound.depth,
                          packed);
      bound.packed.packed = packed;
    }
    return bound;
  }
  bound.bytes = view.as<int8_t>();
  bound.scale = view.scale();
  if (row_sums_ != nullptr) {
    bound.row_sums = row_sums_->data();
  } else {
    auto* sums = scratch.Take<int32_t>(bound.rows);
    SumRows(bound.bytes, bound.rows, bound.depth, sums);
    bound.row_sums = sums;
  }
  return bound;
}

void RnnMatrix::CountScratch(const PrepareContext& context,
                             ScratchPieces& scratch) const {
  if (!exists() || is_constant_) return;
  const Shape& shape = context.input(input_).shape;
  const auto rows = static_cast<size_t>(shape[0]);
  if (arithmetic_ != Arithmetic::kFloat) {
    scratch.Take<int32_t>(rows);
  } else if (!use_reference_) {
    scratch.Take<uint8_t>(kernels::PackedMatrixBytes(
        {nullptr, static_cast<size_t>(shape[1]), rows}));
  }
}

size_t RnnMatrix::packed_bytes() const {
  return plain_.bytes() + (packed_ != nullptr ? packed_->bytes() : 0) +
         (row_sums_ != nullptr ? row_sums_->size() * sizeof(int32_t) : 0);
}

}  // namespace munja::ops
