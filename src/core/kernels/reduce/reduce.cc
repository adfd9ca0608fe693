#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

template <ReduceKind kKind, class V>
HWY_INLINE V Join(V a, V b) {
  if constexpr (kKind == ReduceKind::kSum) return hn::Add(a, b);
  if constexpr (kKind == ReduceKind::kProduct) return hn::Mul(a, b);
  if constexpr (kKind == ReduceKind::kMaximum) return hn::Max(a, b);
  if constexpr (kKind == ReduceKind::kMinimum) return hn::Min(a, b);
}

template <ReduceKind kKind>
float RowOf(const float* in, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const float identity = ReduceIdentity(kKind);
  // Four chains, or the latency of an addition would be the speed.
  auto s0 = hn::Set(d, identity), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = Join<kKind>(s0, hn::LoadU(d, in + i));
    s1 = Join<kKind>(s1, hn::LoadU(d, in + i + lanes));
    s2 = Join<kKind>(s2, hn::LoadU(d, in + i + 2 * lanes));
    s3 = Join<kKind>(s3, hn::LoadU(d, in + i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes)
    s0 = Join<kKind>(s0, hn::LoadU(d, in + i));
  if (i < count) {
    const size_t rest = count - i;
    const auto x = hn::IfThenElse(
        hn::FirstN(d, rest), LoadTail(d, in + i, rest), hn::Set(d, identity));
    s1 = Join<kKind>(s1, x);
  }
  const auto s = Join<kKind>(Join<kKind>(s0, s1), Join<kKind>(s2, s3));
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(s, d, lane);
  // Halves upon halves, as a vector would.
  for (size_t width = lanes / 2; width > 0; width /= 2) {
    for (size_t k = 0; k < width; ++k) {
      const float a = lane[k], b = lane[k + width];
      if constexpr (kKind == ReduceKind::kSum) lane[k] = a + b;
      if constexpr (kKind == ReduceKind::kProduct) lane[k] = a * b;
      if constexpr (kKind == ReduceKind::kMaximum) lane[k] = a > b ? a : b;
      if constexpr (kKind == ReduceKind::kMinimum) lane[k] = a < b ? a : b;
    }
  }
  return lane[0];
}

// kVectors columns of vectors side by side: a pixel's cache lines are read
// once, and the chains of their sums hide each other's latency.
template <ReduceKind kKind, size_t kVectors>
void ColumnsOf(const float* in, size_t rows, size_t stride, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> s[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) s[v] = hn::LoadU(d, out + v * lanes);
  for (size_t r = 0; r < rows; ++r, in += stride) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v)
      s[v] = Join<kKind>(s[v], hn::LoadU(d, in + v * lanes));
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(s[v], d, out + v * lanes);
}

template <ReduceKind kKind>
void RowsOf(const float* in, size_t rows, size_t stride, size_t cols,
            float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + 4 * lanes <= cols; c += 4 * lanes)
    ColumnsOf<kKind, 4>(in + c, rows, stride, out + c);
  const size_t vectors = (cols - c) / lanes;
  if (vectors == 3) ColumnsOf<kKind, 3>(in + c, rows, stride, out + c);
  if (vectors == 2) ColumnsOf<kKind, 2>(in + c, rows, stride, out + c);
  if (vectors == 1) ColumnsOf<kKind, 1>(in + c, rows, stride, out + c);
  c += vectors * lanes;
  if (c < cols) {
    auto s = LoadTail(d, out + c, cols - c);
    for (size_t r = 0; r < rows; ++r)
      s = Join<kKind>(s, LoadTail(d, in + r * stride + c, cols - c));
    StoreTail(s, d, out + c, cols - c);
  }
}

float ReduceRow(ReduceKind kind, const float* in, size_t count) {
  switch (kind) {
    case ReduceKind::kSum:
      return RowOf<ReduceKind::kSum>(in, count);
    case ReduceKind::kProduct:
      return RowOf<ReduceKind::kProduct>(in, count);
    case ReduceKind::kMaximum:
      return RowOf<ReduceKind::kMaximum>(in, count);
    case ReduceKind::kMinimum:
      return RowOf<ReduceKind::kMinimum>(in, count);
  }
  return 0.0f;
}

void ReduceRows(ReduceKind kind, const float* in, size_t rows, size_t stride,
                size_t cols, float* out) {
  switch (kind) {
    case ReduceKind::kSum:
      return RowsOf<ReduceKind::kSum>(in, rows, stride, cols, out);
    case ReduceKind::kProduct:
      return RowsOf<ReduceKind::kProduct>(in, rows, stride, cols, out);
    case ReduceKind::kMaximum:
      return RowsOf<ReduceKind::kMaximum>(in, rows, stride, cols, out);
    case ReduceKind::kMinimum:
      return RowsOf<ReduceKind::kMinimum>(in, rows, stride, cols, out);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

float ReduceIdentity(ReduceKind kind) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case ReduceKind::kSum:
      return 0.0f;
    case ReduceKind::kProduct:
      return 1.0f;
    case ReduceKind::kMaximum:
      return -kInfinity;
    case ReduceKind::kMinimum:
      return kInfinity;
  }
  return 0.0f;
}

HWY_EXPORT(ReduceRow);
HWY_EXPORT(ReduceRows);
float ReduceRow(ReduceKind kind, const float* in, size_t count) {
  return HWY_DYNAMIC_DISPATCH(ReduceRow)(kind, in, count);
}
void ReduceRows(ReduceKind kind, const float* in, size_t rows, size_t stride,
                size_t cols, float* out) {
  HWY_DYNAMIC_DISPATCH(ReduceRows)(kind, in, rows, stride, cols, out);
}

namespace reference {
namespace {

double Join(ReduceKind kind, double a, double b) {
  switch (kind) {
    case ReduceKind::kSum:
      return a + b;
    case ReduceKind::kProduct:
      return a * b;
    case ReduceKind::kMaximum:
      return std::max(a, b);
    case ReduceKind::kMinimum:
      return std::min(a, b);
  }
  return a;
}

}  // namespace

float ReduceRow(ReduceKind kind, const float* in, size_t count) {
  double sum = ReduceIdentity(kind);
  for (size_t i = 0; i < count; ++i) sum = Join(kind, sum, in[i]);
  return static_cast<float>(sum);
}

void ReduceRows(ReduceKind kind, const float* in, size_t rows, size_t stride,
                size_t cols, float* out) {
  for (size_t c = 0; c < cols; ++c) {
    double sum = out[c];
    for (size_t r = 0; r < rows; ++r) sum = Join(kind, sum, in[r * stride + c]);
    out[c] = static_cast<float>(sum);
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
