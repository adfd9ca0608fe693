#include "kernels/reduce/column_sums.h"

#include <numeric>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/column_sums.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

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

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(AddInt8);
HWY_EXPORT(AddUInt8);
HWY_EXPORT(AddInt16);

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

namespace reference {

template <class T>
void AddColumns(const T* in, size_t rows, size_t columns, int64_t* sums) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) sums[c] += in[r * columns + c];
}
template void AddColumns(const int8_t*, size_t, size_t, int64_t*);
template void AddColumns(const uint8_t*, size_t, size_t, int64_t*);
template void AddColumns(const int16_t*, size_t, size_t, int64_t*);

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
