// RFFT2D: the discrete Fourier transform of real images, as many frequencies
// of a row as are not the mirror of others.
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/control.h"
#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::rfft2d {
namespace {

using Complex = std::complex<double>;

// exp(-2 pi i k / n) for k < n / 2.
std::vector<Complex> Roots(size_t n) {
  std::vector<Complex> roots(n / 2);
  for (size_t k = 0; k < roots.size(); ++k)
    roots[k] =
        std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) /
                            static_cast<double>(n));
  return roots;
}

// In place; n = 2 * roots.size() or 1 is a power of two.
void Transform(Complex* x, size_t n, const std::vector<Complex>& roots) {
  for (size_t i = 1, mirrored = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; mirrored & bit; bit >>= 1) mirrored ^= bit;
    mirrored |= bit;
    if (i < mirrored) std::swap(x[i], x[mirrored]);
  }
  for (size_t half = 1; half < n; half *= 2) {
    const size_t step = n / (2 * half);
    for (size_t begin = 0; begin < n; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const Complex a = x[begin + k];
        const Complex b = x[begin + half + k] * roots[k * step];
        x[begin + k] = a + b;
        x[begin + half + k] = a - b;
      }
    }
  }
}

struct FourierState final : State {
  size_t images = 0, in_rows = 0, in_columns = 0, rows = 0, columns = 0;
  std::vector<Complex> row_roots, column_roots;
};

class Rfft2dKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& input = context.input(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(input, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kComplex64}));
    const int rank = input.shape.rank();
    if (rank < 2)
      return Malformed("the input has shape " + input.shape.ToString());
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                           KnownIntegers(context, 1, "output size", 2));
    for (const int64_t n : sizes) {
      if (n < 1 || n > (1 << 24) || (n & (n - 1)) != 0)
        return Malformed("a transform of " + std::to_string(n) +
                         " numbers: want a power of two");
    }
    auto state = std::make_unique<FourierState>();
    state->images = static_cast<size_t>(input.shape.elements(0, rank - 2));
    state->in_rows = static_cast<size_t>(input.shape.back(1));
    state->in_columns = static_cast<size_t>(input.shape.back(0));
    state->rows = static_cast<size_t>(sizes[0]);
    state->columns = static_cast<size_t>(sizes[1]);
    std::vector<int64_t> dims(input.shape.dims().begin(),
                              input.shape.dims().end());
    dims[static_cast<size_t>(rank - 2)] = sizes[0];
    dims[static_cast<size_t>(rank - 1)] = sizes[1] / 2 + 1;
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    if (sizes[0] * sizes[1] > (int64_t{1} << 28))
      return Unsupported("a transform of " + std::to_string(sizes[0]) + "x" +
                         std::to_string(sizes[1]) + " is too large");
    state->row_roots = Roots(state->columns);
    state->column_roots = Roots(state->rows);
    context.RequestScratch((state->rows * (state->columns / 2 + 1) +
                            state->columns + state->rows) *
                           sizeof(Complex));
    context.SetState(std::move(state));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const FourierState*>(context.state());
    const auto* in = context.input(0).as<float>();
    auto* out = context.output(0).mutable_as<float>();
    const size_t kept = s.columns / 2 + 1;
    auto* image = static_cast<Complex*>(context.scratch());
    Complex* row = image + s.rows * kept;
    Complex* column = row + s.columns;
    for (size_t i = 0; i < s.images; ++i) {
      for (size_t y = 0; y < s.rows && !IsStopped(); ++y) {
        // Zero-pad or truncate to the FFT size.
        for (size_t x = 0; x < s.columns; ++x) {
          const bool exists = y < s.in_rows && x < s.in_columns;
          row[x] = exists ? in[y * s.in_columns + x] : 0.0f;
        }
        Transform(row, s.columns, s.row_roots);
        std::copy_n(row, kept, image + y * kept);
      }
      for (size_t x = 0; x < kept && !IsStopped(); ++x) {
        for (size_t y = 0; y < s.rows; ++y) column[y] = image[y * kept + x];
        Transform(column, s.rows, s.column_roots);
        for (size_t y = 0; y < s.rows; ++y) {
          out[2 * (y * kept + x)] = static_cast<float>(column[y].real());
          out[2 * (y * kept + x) + 1] = static_cast<float>(column[y].imag());
        }
      }
      in += s.in_rows * s.in_columns;
      out += 2 * s.rows * kept;
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  return std::unique_ptr<Kernel>(std::make_unique<Rfft2dKernel>());
}

}  // namespace munja::ops::rfft2d
