#include "image/normalize.h"

#include <cstdint>

#include "image/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/normalize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `mean` and `scale` in the order of the output.
void NormalizeRow(const uint8_t* in, size_t width, const float* mean,
                  const float* scale, bool swap, float* out) {
  size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> df;
  const hn::Rebind<int32_t, decltype(df)> d32;
  const hn::Rebind<uint8_t, decltype(df)> d8;
  using Bytes = hn::Vec<decltype(d8)>;
  // Subtract, then multiply: a fused step would round differently where the
  // hardware has none.
  const auto one = [&](Bytes bytes, size_t c) HWY_ATTR {
    const auto value = hn::ConvertTo(df, hn::PromoteTo(d32, bytes));
    return hn::Mul(hn::Sub(value, hn::Set(df, mean[c])), hn::Set(df, scale[c]));
  };
  const size_t lanes = hn::Lanes(df);
  for (; x + lanes <= width; x += lanes) {
    Bytes first, second, third;
    hn::LoadInterleaved3(d8, in + 3 * x, first, second, third);
    hn::StoreInterleaved3(one(swap ? third : first, 0), one(second, 1),
                          one(swap ? first : third, 2), df, out + 3 * x);
  }
#endif
  for (; x < width; ++x) {
    for (size_t c = 0; c < 3; ++c) {
      const uint8_t level = in[3 * x + (swap ? 2 - c : c)];
      out[3 * x + c] = (static_cast<float>(level) - mean[c]) * scale[c];
    }
  }
}

}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::image {

HWY_EXPORT(NormalizeRow);

void NormalizeToFloat(const ImageView& in, const float mean[3],
                      const float scale[3], bool swap_to_bgr, float* out,
                      size_t out_stride, ThreadPool* pool) {
  ForRows(pool, in.height, 32, [&](int begin, int end, int) {
    for (int y = begin; y < end; ++y) {
      HWY_DYNAMIC_DISPATCH(NormalizeRow)
      (in.row(y), static_cast<size_t>(in.width), mean, scale, swap_to_bgr,
       out + static_cast<size_t>(y) * out_stride);
    }
  });
}

}  // namespace munja::image
#endif  // HWY_ONCE
