#include "kernels/reduce/column_sums.h"

#include <limits>
#include <numeric>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/column_sums.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/quant/fixed_point-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes of twice as many bits hold the sums of this many elements.
template <class T>
using SumOf = std::conditional_t<
    sizeof(T) == 2, int32_t,
    std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>>;
template <class T>
constexpr size_t kNarrowRows = sizeof(T) == 2 ? 65535 : 255;

// kVectors vectors of columns.
template <size_t kVectors, class T>
HWY_INLINE void AddVectors(const T* in, size_t rows, size_t columns,
                           int64_t* sums) {
  using Sum = SumOf<T>;
  const hn::ScalableTag<Sum> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kVectors];
  HWY_ALIGN Sum out[HWY_MAX_BYTES / sizeof(Sum)];
  for (size_t r = 0; r < rows; r += kNarrowRows<T>) {
    const size_t end = HWY_MIN(rows, r + kNarrowRows<T>);
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
    for (size_t i = r; i < end; ++i) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        const auto x = hn::LoadU(narrow, in + i * columns + v * lanes);
        sum[v] = hn::Add(sum[v], hn::PromoteTo(d, x));
      }
    }
    for (size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[v], d, out);
      for (size_t i = 0; i < lanes; ++i) sums[v * lanes + i] += out[i];
    }
  }
}

template <class T>
void AddWideColumns(const T* in, size_t rows, size_t columns, int64_t* sums) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<SumOf<T>>());
  size_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes)
    AddVectors<4>(in + c, rows, columns, sums + c);
  for (; c + lanes <= columns; c += lanes)
    AddVectors<1>(in + c, rows, columns, sums + c);
  for (size_t r = 0; c < columns && r < rows; ++r)
    for (size_t i = c; i < columns; ++i) sums[i] += in[r * columns + i];
}

// Several short rows are one of as many columns as vectors take best.
template <class T>
void AddColumnsOf(const T* in, size_t rows, size_t columns, int64_t* sums) {
  constexpr size_t kMaxWide = 4 * HWY_MAX(HWY_MAX_BYTES, 16) / sizeof(int16_t);
  const size_t wide = 4 * hn::Lanes(hn::ScalableTag<SumOf<T>>());
  if (columns > 0 && columns < wide) {
    // Vectors come out even where that is possible.
    size_t joined = wide / std::gcd(wide, columns);
    if (joined * columns > kMaxWide) joined = wide / columns;
    if (joined > 1 && rows >= 4 * joined) {
      int64_t parts[kMaxWide] = {};
      const size_t count = rows / joined;
      AddWideColumns(in, count, joined * columns, parts);
      for (size_t i = 0; i < joined * columns; ++i)
        sums[i % columns] += parts[i];
      in += count * joined * columns;
      rows -= count * joined;
    }
  }
  AddWideColumns(in, rows, columns, sums);
}

void AddInt8(const int8_t* in, size_t rows, size_t columns, int64_t* sums) {
  AddColumnsOf(in, rows, columns, sums);
}
void AddUInt8(const uint8_t* in, size_t rows, size_t columns, int64_t* sums) {
  AddColumnsOf(in, rows, columns, sums);
}
void AddInt16(const int16_t* in, size_t rows, size_t columns, int64_t* sums) {
  AddColumnsOf(in, rows, columns, sums);
}

// A vector of results at a time, whose sums have twice and four times as many
// bits.
template <class T>
void ScaleSums(const T* in, size_t rows, size_t columns, const SumScale& scale,
               T* out) {
  constexpr int32_t kLow = std::numeric_limits<T>::lowest();
  constexpr int32_t kHigh = std::numeric_limits<T>::max();
  using D = hn::ScalableTag<int32_t>;
  const D d;
  const hn::Rebind<SumOf<T>, D> pairs;
  const hn::Rebind<T, D> bytes;
  const size_t lanes = hn::Lanes(d);
  const VectorMultiplier<D> multiplier(d, scale.multiplier);
  const auto offset = hn::Set(d, scale.offset), zero = hn::Set(d, scale.zero);
  const auto low = hn::Set(d, kLow - scale.zero),
             high = hn::Set(d, kHigh - scale.zero);
  size_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    auto sum = hn::Zero(pairs);
    for (size_t r = 0; r < rows; ++r) {
      const auto x = hn::LoadU(bytes, in + r * columns + c);
      sum = hn::Add(sum, hn::PromoteTo(pairs, x));
    }
    const auto x =
        Multiply(d, hn::Sub(hn::PromoteTo(d, sum), offset), multiplier);
    const auto result = hn::Add(hn::Min(hn::Max(x, low), high), zero);
    hn::StoreU(hn::DemoteTo(bytes, result), bytes, out + c);
  }
  for (; c < columns; ++c) {
    int32_t sum = 0;
    for (size_t r = 0; r < rows; ++r) sum += in[r * columns + c];
    out[c] = static_cast<T>(
        Rescale(sum - scale.offset, scale.multiplier, scale.zero, kLow, kHigh));
  }
}
void ScaleInt8(const int8_t* in, size_t rows, size_t columns,
               const SumScale& scale, int8_t* out) {
  ScaleSums(in, rows, columns, scale, out);
}
void ScaleUInt8(const uint8_t* in, size_t rows, size_t columns,
                const SumScale& scale, uint8_t* out) {
  ScaleSums(in, rows, columns, scale, out);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(AddInt8);
HWY_EXPORT(AddUInt8);
HWY_EXPORT(AddInt16);
HWY_EXPORT(ScaleInt8);
HWY_EXPORT(ScaleUInt8);

template <>
void AddColumns(const int8_t* in, size_t rows, size_t columns, int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(AddInt8)(in, rows, columns, sums);
}
template <>
void AddColumns(const uint8_t* in, size_t rows, size_t columns, int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(AddUInt8)(in, rows, columns, sums);
}
template <>
void AddColumns(const int16_t* in, size_t rows, size_t columns, int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(AddInt16)(in, rows, columns, sums);
}

template <>
void ScaleColumnSums(const int8_t* in, size_t rows, size_t columns,
                     const SumScale& scale, int8_t* out) {
  HWY_DYNAMIC_DISPATCH(ScaleInt8)(in, rows, columns, scale, out);
}
template <>
void ScaleColumnSums(const uint8_t* in, size_t rows, size_t columns,
                     const SumScale& scale, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ScaleUInt8)(in, rows, columns, scale, out);
}

namespace reference {

template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) sums[c] += in[r * columns + c];
}
template void AddColumns(const int8_t*, size_t, size_t, int64_t*);
template void AddColumns(const uint8_t*, size_t, size_t, int64_t*);
template void AddColumns(const int16_t*, size_t, size_t, int64_t*);

template <class T>
void ScaleColumnSums(const T* in, size_t rows, size_t columns,
                     const SumScale& scale, T* out) {
  for (size_t c = 0; c < columns; ++c) {
    int32_t sum = 0;
    for (size_t r = 0; r < rows; ++r) sum += in[r * columns + c];
    out[c] = static_cast<T>(Rescale(
        sum - scale.offset, scale.multiplier, scale.zero,
        std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()));
  }
}
template void ScaleColumnSums(const int8_t*, size_t, size_t, const SumScale&,
                              int8_t*);
template void ScaleColumnSums(const uint8_t*, size_t, size_t, const SumScale&,
                              uint8_t*);

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
