#include "kernels/move/transpose_plane.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/move/transpose_plane.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// A target without vectors.
template <class T>
HWY_INLINE void TransposeSquare(const char* in, int64_t in_stride, char* out,
                                int64_t out_stride) {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t i = 0; i < 16 / kSize; ++i)
    for (int64_t j = 0; j < 16 / kSize; ++j)
      std::memcpy(out + i * out_stride + j * kSize,
                  in + i * kSize + j * in_stride, sizeof(T));
}
#else
// A square of so many elements that a row fills 16 bytes. Interleaving each
// row with that half the square further on, as often as a row can be halved,
// leaves the columns.
template <class T>
HWY_INLINE void TransposeSquare(const char* in, int64_t in_stride, char* out,
                                int64_t out_stride) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  constexpr size_t kLanes = 16 / sizeof(T);
  using V = hn::Vec<decltype(d)>;
  V a[kLanes], b[kLanes];
  HWY_UNROLL(16)
  for (size_t k = 0; k < kLanes; ++k)
    a[k] = hn::LoadU(d, reinterpret_cast<const T*>(
                            in + static_cast<int64_t>(k) * in_stride));
  HWY_UNROLL(4)
  for (size_t width = kLanes; width > 1; width /= 2) {
    HWY_UNROLL(8)
    for (size_t k = 0; k < kLanes / 2; ++k) {
      b[2 * k] = hn::InterleaveLower(d, a[k], a[k + kLanes / 2]);
      b[2 * k + 1] = hn::InterleaveUpper(d, a[k], a[k + kLanes / 2]);
    }
    HWY_UNROLL(16)
    for (size_t k = 0; k < kLanes; ++k) a[k] = b[k];
  }
  HWY_UNROLL(16)
  for (size_t k = 0; k < kLanes; ++k)
    hn::StoreU(
        a[k], d,
        reinterpret_cast<T*>(out + static_cast<int64_t>(k) * out_stride));
}

#endif  // HWY_TARGET == HWY_SCALAR

// The last square of a row or column lies over the one before it.
template <class T>
void TransposeSquares(const PlaneTranspose& p) {
  constexpr int64_t kSide = 16 / sizeof(T);
  constexpr int64_t kSize = sizeof(T);
  for (int64_t j = 0; j < p.m; j += kSide) {
    const int64_t column = std::min(j, p.m - kSide);
    for (int64_t i = 0; i < p.n; i += kSide) {
      const int64_t row = std::min(i, p.n - kSide);
      TransposeSquare<T>(p.in + row * kSize + column * p.in_stride, p.in_stride,
                         p.out + row * p.out_stride + column * kSize,
                         p.out_stride);
    }
  }
}

void Transpose1(const PlaneTranspose& p) { TransposeSquares<uint8_t>(p); }
void Transpose2(const PlaneTranspose& p) { TransposeSquares<uint16_t>(p); }
void Transpose4(const PlaneTranspose& p) { TransposeSquares<uint32_t>(p); }

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Transpose1);
HWY_EXPORT(Transpose2);
HWY_EXPORT(Transpose4);

bool TransposePlane(size_t size, const PlaneTranspose& plane) {
  if (size != 1 && size != 2 && size != 4) return false;
  const int64_t side = 16 / static_cast<int64_t>(size);
  if (plane.n < side || plane.m < side) return false;
  if (size == 1)
    HWY_DYNAMIC_DISPATCH(Transpose1)(plane);
  else if (size == 2)
    HWY_DYNAMIC_DISPATCH(Transpose2)(plane);
  else
    HWY_DYNAMIC_DISPATCH(Transpose4)(plane);
  return true;
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
