// MATRIX_DIAG: matrices of zeros with these diagonals. MATRIX_SET_DIAG: the
// matrices given, with these diagonals.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::matrix_diag {
namespace {

void WriteDiagonals(const TensorView& diagonals, const TensorView& out) {
  const size_t size = ElementSize(out.type);
  const auto rows = static_cast<size_t>(out.shape.back(1));
  const auto columns = static_cast<size_t>(out.shape.back());
  const size_t length = std::min(rows, columns);
  if (out.bytes == 0) return;
  const size_t matrices = out.bytes / (rows * columns * size);
  const auto* from = diagonals.as<uint8_t>();
  for (size_t m = 0; m < matrices; ++m) {
    auto* to = out.mutable_as<uint8_t>() + m * rows * columns * size;
    for (size_t i = 0; i < length; ++i) {
      std::memcpy(to, from, size);
      to += (columns + 1) * size;
      from += size;
    }
  }
}

class MatrixDiagKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& diagonals = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(diagonals, context.output(0)));
    MUNJA_RETURN_IF_ERROR(MovableSize(diagonals).TakeStatus());
    Shape out = diagonals.shape;
    if (out.rank() < 1) return Malformed("the diagonal is a scalar");
    if (out.rank() == kMaxRank)
      return Unsupported("the output would have too many dimensions");
    out.Append(out.back());
    return context.SetOutputShape(0, out);
  }
  Status Eval(EvalContext& context) const override {
    const TensorView& out = context.output(0);
    if (out.bytes > 0) std::memset(out.data, 0, out.bytes);
    WriteDiagonals(context.input(0), out);
    return Status();
  }
};

class MatrixSetDiagKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& diagonals = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, diagonals));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_RETURN_IF_ERROR(MovableSize(in).TakeStatus());
    if (in.shape.rank() < 2) return Malformed("the input is no matrix");
    const Shape& shape = in.shape;
    Shape want(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
    want.Append(std::min(shape.back(), shape.back(1)));
    if (diagonals.shape != want) {
      return Malformed("has diagonals of shape " + diagonals.shape.ToString() +
                       " for matrices of " + shape.ToString());
    }
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, shape);
  }
  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    if (out.bytes > 0 && out.data != in.data)
      std::memcpy(out.data, in.data, out.bytes);
    WriteDiagonals(context.input(1), out);
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (info.node().op == "MATRIX_DIAG") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
    return std::unique_ptr<Kernel>(std::make_unique<MatrixDiagKernel>());
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<MatrixSetDiagKernel>());
}

}  // namespace munja::ops::matrix_diag
