// The register tile of depthwise convolutions. Part of line_depthwise.cc,
// included for each SIMD target and each kind of dot product; see
// int_tile-inl.h.

namespace MUNJA_TILE {

// Sums of kPixels pixels next to each other in kLines lines of output, one
// vector of channels.
template <size_t kLines, size_t kPixels>
HWY_INLINE MUNJA_TILE_ATTR void RunPixels(const DepthwiseTile& t, size_t first,
                                          int32_t* sums) {
  const hn::ScalableTag<int32_t> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  V sum0[kLines][kPixels], sum1[kLines][kPixels];
  const V start = hn::LoadU(d, t.start);
  HWY_UNROLL(4)
  for (size_t r = 0; r < kLines; ++r) {
    HWY_UNROLL(16)
    for (size_t p = 0; p < kPixels; ++p) {
      sum0[r][p] = First(start);
      sum1[r][p] = hn::Zero(d);
    }
  }
  const int32_t* HWY_RESTRICT w = t.weights;
  for (size_t g = 0; g < t.groups; ++g) {
    const size_t place =
        kIsOfBytes ? g : GroupPlace(t.first_group, g, t.groups);
    const int32_t* in = t.in + place * t.in_group + first * t.in_pixel;
    for (size_t j = 0; j < t.taps; ++j, in += t.in_tap) {
      V row[kLines];
      HWY_UNROLL(4)
      for (size_t r = 0; r < kLines; ++r) row[r] = hn::Load(d, w + r * lanes);
      w += t.packed_lines * lanes;
      HWY_UNROLL(16)
      for (size_t p = 0; p < kPixels; ++p) {
        const V x = hn::LoadU(d, in + p * t.in_pixel);
        HWY_UNROLL(4)
        for (size_t r = 0; r < kLines; ++r)
          sum0[r][p] = Dot(x, row[r], sum0[r][p], sum1[r][p]);
      }
    }
  }
  if (t.store != nullptr) {
    const auto& store = *static_cast<const ByteStore*>(t.store);
    uint8_t* to = store.out + first * store.step;
    HWY_UNROLL(4)
    for (size_t r = 0; r < kLines; ++r, to += t.line_elements) {
      if (r >= t.lines) break;
      V totals[kPixels][1];
      HWY_UNROLL(16)
      for (size_t p = 0; p < kPixels; ++p)
        totals[p][0] = Total(sum0[r][p], sum1[r][p], start);
      StoreTile<decltype(d)>(store, to, totals);
    }
    return;
  }
#if MUNJA_HAS_INT16_SCALER
  if constexpr (!kIsOfBytes) {
    if (t.int16_store != nullptr) {
      const auto& store = *static_cast<const Int16Store*>(t.int16_store);
      int16_t* to = store.out + first * store.step;
      HWY_UNROLL(4)
      for (size_t r = 0; r < kLines; ++r, to += t.line_elements) {
        if (r >= t.lines) break;
        V totals[kPixels][1];
        HWY_UNROLL(16)
        for (size_t p = 0; p < kPixels; ++p)
          totals[p][0] = Total(sum0[r][p], sum1[r][p], start);
        StoreInt16Tile<hn::ScalableTag<int32_t>>(store, to, totals);
      }
      return;
    }
  }
#endif
  HWY_UNROLL(4)
  for (size_t r = 0; r < kLines; ++r) {
    HWY_UNROLL(16)
    for (size_t p = 0; p < kPixels; ++p) {
      hn::Store(Total(sum0[r][p], sum1[r][p], start), d,
                sums + (r * kLinePixels + first + p) * lanes);
    }
  }
}

template <size_t kLines>
MUNJA_TILE_ATTR void RunLines(const DepthwiseTile& t, size_t pixels,
                              int32_t* sums) {
  constexpr size_t kPixels = MUNJA_TILE_SUMS / kLines;
  size_t p = 0;
  for (; p + kPixels <= pixels; p += kPixels)
    RunPixels<kLines, kPixels>(t, p, sums);
  for (; p < pixels; ++p) RunPixels<kLines, 1>(t, p, sums);
}

inline DepthwiseFunction TileFor(size_t lines) {
  return lines == 1 ? &RunLines<1> : lines == 2 ? &RunLines<2> : &RunLines<4>;
}

}  // namespace MUNJA_TILE

#undef MUNJA_TILE
#undef MUNJA_TILE_ATTR
#undef MUNJA_TILE_SUMS
