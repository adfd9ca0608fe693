#include "ops/support/quantized/quantized_unary.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernels/quant/fixed_point.h"
#include "kernels/quant/fixed_point_math.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/lookup_table.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops {
namespace {

using kernels::Multiplier;
using kernels::UnaryKind;

StoredFunction Abs(const Affine& in, const Affine& out, StoredRange range) {
  if (in.scale == out.scale) {
    return [=](int32_t q) {
      return std::clamp(std::abs(q - in.zero) + out.zero, range.low,
                        range.high);
    };
  }
  const Multiplier scale = kernels::QuantizeMultiplier(in.scale / out.scale);
  return [=](int32_t q) {
    return kernels::Rescale(std::abs(q - in.zero), scale, out.zero, range.low,
                            range.high);
  };
}

// Cut, not rounded: so is TensorFlow Lite's.
StoredFunction Sqrt(const Affine& in, const Affine& out, StoredRange range) {
  return [=](int32_t q) {
    const float x = in.scale * static_cast<float>(q - in.zero);
    if (x < 0.0f) return kUndefined;
    const float v =
        std::trunc(std::sqrt(x) / out.scale) + static_cast<float>(out.zero);
    if (!(v > static_cast<float>(range.low))) return range.low;
    return v < static_cast<float>(range.high) ? static_cast<int32_t>(v)
                                              : range.high;
  };
}

// An exponent below what a shift can hold leaves nothing.
int32_t MultiplyOrZero(int32_t x, Multiplier m) {
  return m.exponent < -31 ? 0 : kernels::Multiply(x, m);
}

StoredFunction Rsqrt8(const Affine& in, const Affine& out, StoredRange range) {
  const Multiplier scale = kernels::QuantizeMultiplier(
      1.0 / (static_cast<double>(std::sqrt(in.scale)) * out.scale));
  constexpr int kShift = 20;  // Keeps the root's bits in an integer.
  return [=](int32_t q) {
    const int32_t x = q - in.zero;
    if (x < 0) return kUndefined;
    if (x == 0) return range.high;
    Multiplier root = kernels::InverseSquareRoot(x);
    root.exponent += kShift;
    const int32_t fine = MultiplyOrZero(1, root);
    const int64_t v = int64_t{MultiplyOrZero(
                          fine, {scale.mantissa, scale.exponent - kShift})} +
                      out.zero;
    return static_cast<int32_t>(std::clamp<int64_t>(v, range.low, range.high));
  };
}

StoredFunction Rsqrt16(const Affine& in, const Affine& out) {
  const float highest = 32767.0f * out.scale;
  const StoredFunction root = FromReals(
      in, out, ElementType::kInt16,
      [highest](float x) { return x <= 0.0f ? highest : 1.0f / std::sqrt(x); });
  return [root](int32_t q) { return q < 0 ? kUndefined : root(q); };
}

Result<StoredFunction> MakeUnaryFunction(UnaryKind kind,
                                         const TensorView& in_view,
                                         const TensorView& out_view) {
  MUNJA_RETURN_IF_ERROR(CheckType(in_view, "the input",
                                  {ElementType::kInt8, ElementType::kInt16}));
  MUNJA_RETURN_IF_ERROR(CheckSameType(in_view, out_view));
  MUNJA_ASSIGN_OR_RETURN(const Affine in, PerTensor(in_view, "the input"));
  MUNJA_ASSIGN_OR_RETURN(const Affine out, PerTensor(out_view, "the output"));
  const ElementType type = in_view.type;
  const StoredRange range = RangeOf(type);
  switch (kind) {
    case UnaryKind::kAbs:
      return Abs(in, out, range);
    case UnaryKind::kSqrt:
      return Sqrt(in, out, range);
    case UnaryKind::kRsqrt:
      return type == ElementType::kInt16 ? Rsqrt16(in, out)
                                         : Rsqrt8(in, out, range);
    case UnaryKind::kLog: {
      const float lowest = static_cast<float>(range.low - out.zero) * out.scale;
      return FromReals(in, out, type, [lowest](float x) {
        return x <= 0.0f ? lowest
                         : static_cast<float>(std::log(static_cast<double>(x)));
      });
    }
    default:
      return FromReals(in, out, type, [kind](float x) {
        return kernels::reference::UnaryOf(kind, x);
      });
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> MakeQuantizedUnary(const kernels::UnaryRow& row,
                                                   bool reference_kernels) {
  if (row.stored == kernels::UnaryRow::kNoneStored)
    return Unsupported("has no quantized form");
  const UnaryKind kind = row.kind;
  const bool is_root = kind == UnaryKind::kSqrt || kind == UnaryKind::kRsqrt;
  return MakeStoredMap(
      [kind](const TensorView& in, const TensorView& out) {
        return MakeUnaryFunction(kind, in, out);
      },
      reference_kernels, is_root ? "takes the root of a negative number" : "");
}

}  // namespace munja::ops
