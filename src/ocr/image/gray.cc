#include "image/gray.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/gray.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void GrayPixels(const uint8_t* in, size_t pixels, uint8_t* out) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint8_t> d;
  using V = hn::Vec<decltype(d)>;
  // Half of a sum, rounded down, of which bytes hold no more.
  const auto middle = [](V a, V b) HWY_ATTR {
    return hn::Add(hn::And(a, b), hn::ShiftRight<1>(hn::Xor(a, b)));
  };
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= pixels; i += lanes) {
    V red, green, blue;
    hn::LoadInterleaved3(d, in + 3 * i, red, green, blue);
    // Rounding errors inside are smaller than what the last average takes off.
    hn::StoreU(middle(middle(red, blue), green), d, out + i);
  }
#endif
  for (; i < pixels; ++i) {
    const uint8_t* p = in + 3 * i;
    out[i] = static_cast<uint8_t>((p[0] + 2 * p[1] + p[2]) / 4);
  }
}

}  // namespace munja::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::image {

HWY_EXPORT(GrayPixels);

void ToGray(const uint8_t* in, size_t pixels, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(GrayPixels)(in, pixels, out);
}

int LevelOfRank(std::span<const uint32_t, 256> counts, size_t rank) {
  size_t level = 0;
  for (size_t below = counts[0]; below <= rank && level < 255;)
    below += counts[++level];
  return static_cast<int>(level);
}

void CountLevels(std::span<const uint8_t> levels,
                 std::span<uint32_t, 256> counts) {
  // Neighbors are often equal, and a count waits for the one before: each of
  // four has its own.
  constexpr size_t kTables = 4;
  if (levels.size() < 256) {
    for (const uint8_t level : levels) ++counts[level];
    return;
  }
  uint32_t tables[kTables][256] = {};
  size_t i = 0;
  for (; i + kTables <= levels.size(); i += kTables)
    for (size_t t = 0; t < kTables; ++t) ++tables[t][levels[i + t]];
  for (; i < levels.size(); ++i) ++tables[0][levels[i]];
  for (size_t v = 0; v < 256; ++v)
    for (const auto& table : tables) counts[v] += table[v];
}

}  // namespace munja::image
#endif  // HWY_ONCE
