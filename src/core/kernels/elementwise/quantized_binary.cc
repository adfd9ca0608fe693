#include "kernels/elementwise/quantized_binary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/quant/fixed_point_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/quantized_binary.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/elementwise/quantized_binary-inl.h"
#include "kernels/quant/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// kAdd, kSub and kMul of 8 bits in float: x * a + y * b + c of quantized
// values, or x * y * a without their zero points, `nudge` further from 0 and
// the output's zero point not added yet. `error`: by how much it may miss what
// the roundings of the fixed-point arithmetic are about.
struct Guess {
  bool is_sound = false;
  float a = 0.0f, b = 0.0f, nudge = 0.0f;
  double c = 0.0, error = 0.0;
};
using Rounder = ByteRounder<hn::ScalableTag<float>>;

// Error bound of rounding a value up to `most` to float.
inline double Rounding(double most) {
  return std::ldexp(1.0, std::ilogb(most) - 24);
}

inline Guess MakeGuess(const QuantizedBinaryParams& p) {
  Guess guess;
  // Nothing is shifted to the left, so that nothing wraps.
  if (p.out_scale.exponent > 0) return guess;
  const double unit = RealOf(p.out_scale);
  // The result is rounded to an integer, then shifted to the right and rounded
  // again, half away from 0: how far the first rounding may move it across a
  // half.
  const double moved =
      p.out_scale.exponent == 0 ? 0.0 : std::ldexp(0.5, p.out_scale.exponent);
  // `most` bounds the terms of the sum; quantized values are at most 256.
  // Results beyond 512 are clamped either way. Sums are counted with what a
  // rounder adds; the last one it counts itself, if that result is not clamped.
  constexpr double kBase = 1537.0;
  double most = 0.0;
  if (p.kind == Kind::kMul) {
    guess.a = static_cast<float>(unit);
    guess.nudge = static_cast<float>(moved);
    most = 65536.0 * unit;
    // The factor is rounded twice, the result before and after the nudge, and
    // the product of the factor with a zero point.
    guess.error = 4.0 * Rounding(512.0) + Rounding(most + 1.0);
  } else {
    if (p.a_scale.exponent > 0 || p.b_scale.exponent > 0 || p.shift > 20)
      return guess;
    const double a = std::ldexp(RealOf(p.a_scale) * unit, p.shift);
    double b = std::ldexp(RealOf(p.b_scale) * unit, p.shift);
    most = 256.0 * (a + b);
    if (p.kind == Kind::kSub) b = -b;
    guess.a = static_cast<float>(a);
    guess.b = static_cast<float>(b);
    guess.c = p.out_zero - a * p.a_zero - b * p.b_zero;
    // Each operand is rounded twice, by at most a half each time; then both
    // factors, the summand and the first sum.
    const double summand = kBase + std::abs(guess.c);
    guess.error = moved + 2.0 * unit + 2.0 * Rounding(most + 1.0) +
                  Rounding(summand) + Rounding(summand + 256.0 * std::abs(b));
  }
  guess.is_sound = most < 2e6 && Rounder(guess.error).is_sound();
  return guess;
}

// As many whole groups of four vectors as there are; gives the columns done.
// guess_of(i) is the real result of the columns from i on (for kMul without the
// zero point, else based on that), exact_of(i) the whole one.
template <Kind kKind, class T, class GuessOf, class ExactOf>
HWY_INLINE size_t GuessGroups(const Guess& guess, Rounder rounder,
                              const QuantizedBinaryParams& params, size_t cols,
                              T* out, const GuessOf& guess_of,
                              const ExactOf& exact_of) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  using V = hn::Vec<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Repartition<T, D32> bytes;
  const size_t lanes = hn::Lanes(d);
  const V nudge = hn::Set(d, guess.nudge),
          zero = hn::Set(d, rounder.Base(params.out_zero));
  const auto low = hn::Set(bytes, static_cast<T>(params.low)),
             high = hn::Set(bytes, static_cast<T>(params.high));
  size_t i = 0;
  for (; i + 4 * lanes <= cols; i += 4 * lanes) {
    hn::Vec<D32> q[4];
    rounder.Begin();
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      V r = guess_of(i + v * lanes);
      if constexpr (kKind == Kind::kMul)
        r = hn::Add(hn::Add(r, hn::CopySign(nudge, r)), zero);
      q[v] = rounder.Round(r);
    }
    if (HWY_UNLIKELY(!rounder.AreSure())) {
      for (size_t v = 0; v < 4; ++v) q[v] = exact_of(i + v * lanes);
    }
    const auto narrow = NarrowFour<T>(d32, q[0], q[1], q[2], q[3]);
    hn::StoreU(hn::Min(hn::Max(narrow, low), high), bytes, out + i);
  }
  return i;
}

// Two rows, either of which may be a single element that repeats. That it does
// not is known when this is compiled, if kIsPlain.
template <Kind kKind, bool kIsPlain, class T>
size_t GuessRowOf(const Guess& guess, const QuantizedBinaryParams& params,
                  const T* a, bool a_repeats, const T* b, bool b_repeats,
                  size_t cols, T* out) {
  const hn::ScalableTag<float> d;
  using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
  using V = hn::Vec<hn::ScalableTag<float>>;
  const D32 d32;
  const hn::Rebind<T, D32> dt;
  const Vectors<D32> exact(d32, params);
  const Rounder rounder(guess.error);
  const V a_scale = hn::Set(d, guess.a);
  [[maybe_unused]] const V b_scale = hn::Set(d, guess.b),
                           offset = hn::Set(d, rounder.Base(guess.c));
  const auto a_set = hn::Set(d32, int32_t{a[0]}),
             b_set = hn::Set(d32, int32_t{b[0]});
  const auto load_a = [&](size_t i) HWY_ATTR {
    if constexpr (!kIsPlain) {
      if (a_repeats) return a_set;
    }
    return hn::PromoteTo(d32, hn::LoadU(dt, a + i));
  };
  const auto load_b = [&](size_t i) HWY_ATTR {
    if constexpr (!kIsPlain) {
      if (b_repeats) return b_set;
    }
    return hn::PromoteTo(d32, hn::LoadU(dt, b + i));
  };
  return GuessGroups<kKind>(
      guess, rounder, params, cols, out,
      [&](size_t i) HWY_ATTR {
        if constexpr (kKind == Kind::kMul) {
          const V x = hn::ConvertTo(d, hn::Sub(load_a(i), exact.a_zero)),
                  y = hn::ConvertTo(d, hn::Sub(load_b(i), exact.b_zero));
          return hn::Mul(hn::Mul(x, y), a_scale);
        } else {
          const V x = hn::ConvertTo(d, load_a(i)),
                  y = hn::ConvertTo(d, load_b(i));
          return hn::MulAdd(x, a_scale, hn::MulAdd(y, b_scale, offset));
        }
      },
      [&](size_t i)
          HWY_ATTR { return One<kKind>(d32, exact, load_a(i), load_b(i)); });
}

template <Kind kKind, class T>
size_t GuessRow(const Guess& guess, const QuantizedBinaryParams& params,
                const T* a, bool a_repeats, const T* b, bool b_repeats,
                size_t cols, T* out) {
  const auto row = a_repeats || b_repeats ? GuessRowOf<kKind, false, T>
                                          : GuessRowOf<kKind, true, T>;
  return row(guess, params, a, a_repeats, b, b_repeats, cols, out);
}

// One operand is the same in all rows: what it adds, and by what it
// multiplies, is made once. Short rows run several at a time, beside copies.
template <Kind kKind, class T>
class FixedOperand {
 public:
  static constexpr size_t kElements = 2048;
  // The element or the row of at most kElements.
  FixedOperand(const Guess& guess, const QuantizedBinaryParams& params,
               const T* fixed, bool is_a, bool repeats, size_t cols,
               size_t rows)
      : guess_(guess),
        params_(params),
        rounder_(guess.error),
        is_a_(is_a),
        cols_(cols) {
    // Groups of vectors come out even where that is possible.
    const size_t group = 4 * hn::Lanes(hn::ScalableTag<float>());
    rows_ = kElements / cols;
    const size_t step = group / std::gcd(group, cols);
    if (rows_ > step) rows_ -= rows_ % step;
    rows_ = HWY_MIN(rows_, rows);
    for (size_t i = 0; i < cols; ++i) {
      const T value = fixed[repeats ? 0 : i];
      stored_[i] = value;
      if constexpr (kKind == Kind::kMul) {
        const int32_t own = is_a ? params.a_zero : params.b_zero,
                      other = is_a ? params.b_zero : params.a_zero;
        scale_[i] = static_cast<float>(value - own) * guess.a;
        offset_[i] = static_cast<float>(-other) * scale_[i];
      } else {
        const double factor = is_a ? guess.a : guess.b;
        offset_[i] = rounder_.Base(value * factor + guess.c);
      }
    }
    // Twice as many rows each time.
    const size_t all = rows_ * cols;
    for (size_t done = cols; done < all;) {
      const size_t count = HWY_MIN(done, all - done);
      std::copy_n(stored_, count, stored_ + done);
      std::copy_n(offset_, count, offset_ + done);
      if constexpr (kKind == Kind::kMul)
        std::copy_n(scale_, count, scale_ + done);
      done += count;
    }
  }

  // The other operand's rows lie one after the other.
  void Run(const T* in, size_t rows, T* out) const {
    for (size_t r = 0; r < rows; r += rows_) {
      RunOnce(in + r * cols_, HWY_MIN(rows_, rows - r) * cols_,
              out + r * cols_);
    }
  }

 private:
  void RunOnce(const T* in, size_t cols, T* out) const {
    const hn::ScalableTag<float> d;
    using D32 = hn::RebindToSigned<hn::ScalableTag<float>>;
    const D32 d32;
    const hn::Rebind<T, D32> dt;
    const Vectors<D32> exact(d32, params_);
    [[maybe_unused]] const auto factor =
        hn::Set(d, is_a_ ? guess_.b : guess_.a);
    const auto load = [&](const T* from) HWY_ATTR {
      return hn::PromoteTo(d32, hn::LoadU(dt, from));
    };
    const size_t done = GuessGroups<kKind>(
        guess_, rounder_, params_, cols, out,
        [&](size_t i) HWY_ATTR {
          const auto x = hn::ConvertTo(d, load(in + i));
          const auto offset = hn::Load(d, offset_ + i);
          if constexpr (kKind == Kind::kMul)
            return hn::MulAdd(x, hn::Load(d, scale_ + i), offset);
          else
            return hn::MulAdd(x, factor, offset);
        },
        [&](size_t i) HWY_ATTR {
          const auto x = load(in + i), y = load(stored_ + i);
          return is_a_ ? One<kKind>(d32, exact, y, x)
                       : One<kKind>(d32, exact, x, y);
        });
    ExactRow<kKind>(params_, is_a_ ? stored_ : in, false, is_a_ ? in : stored_,
                    false, done, cols, out);
  }

  const Guess& guess_;
  const QuantizedBinaryParams& params_;
  Rounder rounder_;
  bool is_a_;
  size_t cols_, rows_;
  HWY_ALIGN float scale_[kElements];
  HWY_ALIGN float offset_[kElements];
  T stored_[kElements];
};

// False where no operand is the same in all rows.
template <Kind kKind, class T>
bool RunFixed(const Guess& guess, const QuantizedBinaryParams& params,
              const QuantizedBinaryBlock<T>& block) {
  const size_t cols = block.cols;
  if (cols > FixedOperand<kKind, T>::kElements) return false;
  const bool has_a = block.a_row_stride == 0 && !block.b_repeats &&
                     (block.rows == 1 || block.b_row_stride == cols);
  const bool has_b = block.b_row_stride == 0 && !block.a_repeats &&
                     (block.rows == 1 || block.a_row_stride == cols);
  if (has_a == has_b) return false;
  const FixedOperand<kKind, T> fixed(
      guess, params, has_a ? block.a : block.b, has_a,
      has_a ? block.a_repeats : block.b_repeats, cols, block.rows);
  fixed.Run(has_a ? block.b : block.a, block.rows, block.out);
  return true;
}

#else

struct Guess {
  bool is_sound = false;
};
inline Guess MakeGuess(const QuantizedBinaryParams&) { return {}; }
template <Kind kKind, class T>
size_t GuessRow(const Guess&, const QuantizedBinaryParams&, const T*, bool,
                const T*, bool, size_t, T*) {
  return 0;
}
template <Kind kKind, class T>
bool RunFixed(const Guess&, const QuantizedBinaryParams&,
              const QuantizedBinaryBlock<T>&) {
  return false;
}

#endif

// Kinds and types that Guess is for.
template <Kind kKind, class T>
constexpr bool kIsGuessed = sizeof(T) == 1 && kKind != Kind::kSquaredDifference;

template <Kind kKind, class T>
void Row(const QuantizedBinaryParams& params, const Guess& guess, const T* a,
         bool a_repeats, const T* b, bool b_repeats, size_t cols, T* out) {
  size_t i = 0;
  if constexpr (kIsGuessed<kKind, T>) {
    if (guess.is_sound)
      i = GuessRow<kKind>(guess, params, a, a_repeats, b, b_repeats, cols, out);
  }
  ExactRow<kKind>(params, a, a_repeats, b, b_repeats, i, cols, out);
}

template <Kind kKind, class T>
void Rows(const QuantizedBinaryParams& params,
          const QuantizedBinaryBlock<T>& block) {
  const size_t cols = block.cols;
  if (cols == 0) return;
  Guess guess;
  if constexpr (kIsGuessed<kKind, T>) {
    guess = MakeGuess(params);
    if (guess.is_sound && RunFixed<kKind>(guess, params, block)) return;
  }
  for (size_t r = 0; r < block.rows; ++r) {
    Row<kKind>(params, guess, block.a + r * block.a_row_stride, block.a_repeats,
               block.b + r * block.b_row_stride, block.b_repeats, cols,
               block.out + r * cols);
  }
}

template <class T>
void Dispatch(const QuantizedBinaryParams& params,
              const QuantizedBinaryBlock<T>& block) {
  switch (params.kind) {
    case Kind::kAdd:
    case Kind::kSub:
      return Rows<Kind::kAdd>(params, block);
    case Kind::kMul:
      return Rows<Kind::kMul>(params, block);
    case Kind::kSquaredDifference:
      return Rows<Kind::kSquaredDifference>(params, block);
    default:  // Rare: plain loops.
      return reference::QuantizedBinary(params, block);
  }
}

void BinaryInt8(const QuantizedBinaryParams& params,
                const QuantizedBinaryBlock<int8_t>& block) {
  Dispatch(params, block);
}
void BinaryUInt8(const QuantizedBinaryParams& params,
                 const QuantizedBinaryBlock<uint8_t>& block) {
  Dispatch(params, block);
}
}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(BinaryInt8);
HWY_EXPORT(BinaryUInt8);

template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int8_t>& block) {
  HWY_DYNAMIC_DISPATCH(BinaryInt8)(params, block);
}
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<uint8_t>& block) {
  HWY_DYNAMIC_DISPATCH(BinaryUInt8)(params, block);
}

namespace reference {
namespace {

using Kind = QuantizedBinaryKind;

// x / y * scale. The quotient is brought to full precision before it is scaled
// down.
int32_t Divide(int32_t x, int32_t y, Multiplier scale) {
  if (y < 0) {
    x = -x;
    y = -y;
  }
  const Multiplier inverse = Reciprocal(y);
  // Bits that x leaves free beside its sign.
  const int headroom =
      std::countl_zero(static_cast<uint32_t>(x < 0 ? ~x : x)) - 1;
  const int32_t quotient = kernels::RoundingDoublingHighMul(
      static_cast<int32_t>(static_cast<uint32_t>(x) << headroom),
      inverse.mantissa);
  const int shift = scale.exponent + inverse.exponent - headroom;
  const int32_t v = kernels::RoundingDoublingHighMul(quotient, scale.mantissa);
  if (shift >= 0) return SaturatingShiftLeft(v, std::min(shift, 31));
  return kernels::RoundingDivideByPowerOfTwo(v, std::min(-shift, 31));
}

int32_t One(const QuantizedBinaryParams& p, int32_t a, int32_t b) {
  const int32_t x = a - p.a_zero, y = b - p.b_zero;
  const auto scaled_x = [&] { return Multiply(x * (1 << p.shift), p.a_scale); };
  const auto scaled_y = [&] { return Multiply(y * (1 << p.shift), p.b_scale); };
  int32_t v = 0;
  Multiplier scale = p.out_scale;
  switch (p.kind) {
    case Kind::kAdd:
      v = scaled_x() + scaled_y();
      break;
    case Kind::kSub:
      v = scaled_x() - scaled_y();
      break;
    case Kind::kSquaredDifference:
      v = scaled_x() - scaled_y();
      v *= v;
      break;
    case Kind::kMul:
      v = x * y;
      break;
    case Kind::kPrelu:
      v = x >= 0 ? x : x * y;
      if (x >= 0) scale = p.a_scale;
      break;
    case Kind::kDiv:
      v = Divide(x, y, p.out_scale);
      return std::clamp(v, p.low - p.out_zero, p.high - p.out_zero) +
             p.out_zero;
    case Kind::kShiftedAdd:
    case Kind::kShiftedSub: {
      const int32_t m = kernels::RoundingDivideByPowerOfTwo(x, p.a_shift);
      const int32_t n = kernels::RoundingDivideByPowerOfTwo(y, p.b_shift);
      return std::clamp(p.kind == Kind::kShiftedAdd ? m + n : m - n, p.low,
                        p.high);
    }
  }
  return Rescale(v, scale, p.out_zero, p.low, p.high);
}

template <class T>
void Rows(const QuantizedBinaryParams& params,
          const QuantizedBinaryBlock<T>& block) {
  for (size_t r = 0; r < block.rows; ++r) {
    const T* a = block.a + r * block.a_row_stride;
    const T* b = block.b + r * block.b_row_stride;
    for (size_t c = 0; c < block.cols; ++c) {
      block.out[r * block.cols + c] = static_cast<T>(
          One(params, a[block.a_repeats ? 0 : c], b[block.b_repeats ? 0 : c]));
    }
  }
}

}  // namespace

template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int8_t>& block) {
  Rows(params, block);
}
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<uint8_t>& block) {
  Rows(params, block);
}
template <>
void QuantizedBinary(const QuantizedBinaryParams& params,
                     const QuantizedBinaryBlock<int16_t>& block) {
  Rows(params, block);
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
