// The register tile of integer matrix products. Part of int_gemm.cc, included
// for each SIMD target and each kind of dot product: MUNJA_TILE is the
// namespace of kernels/gemm/int_dot-inl.h; MUNJA_TILE_ATTR the instructions,
// MUNJA_TILE_ROWS the height of tiles two vectors wide, MUNJA_TILE_NARROW_ROWS
// of others.

namespace MUNJA_TILE {

// sums[r * kVectors vectors] of kRows rows and one panel: start + a * b, over
// `words` words of each piece.
template <class D, size_t kRows, size_t kVectors>
MUNJA_TILE_ATTR void RunIntTile(const IntTile& t) {
  const D d;
  using V = hn::Vec<D>;
  const size_t lanes = hn::Lanes(d);
  // The second sums stay 0 where pairs are added by the instruction.
  V sum0[kRows][kVectors], sum1[kRows][kVectors];
  {
    V start[kVectors];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      start[v] = hn::Load(d, t.start + v * lanes);
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) {
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) {
        sum0[r][v] = First(start[v]);
        sum1[r][v] = hn::Zero(d);
      }
    }
  }
  const int32_t* HWY_RESTRICT b = t.b;
  for (size_t piece = 0; piece < t.pieces; ++piece) {
    const uint8_t* a[kRows];
    if (!t.a.Find(piece, a)) __builtin_unreachable();  // None is null.
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) a[r] += t.skip;
    for (size_t i = 0; i < t.words; ++i) {
      V row[kVectors];
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v) row[v] = hn::Load(d, b + v * lanes);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        int32_t word;
        std::memcpy(&word, a[r] + i * sizeof(word), sizeof(word));
        const V x = hn::Set(d, word);
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          sum0[r][v] = Dot(x, row[v], sum0[r][v], sum1[r][v]);
      }
      b += kVectors * lanes;
    }
  }
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      const V start = hn::Load(d, t.start + v * lanes);
      hn::Store(Total(sum0[r][v], sum1[r][v], start), d,
                t.sums + (r * kVectors + v) * lanes);
    }
  }
}

inline Microkernel<IntTile> KernelFor(size_t width) {
  return IntKernelOf<MUNJA_TILE_ROWS, MUNJA_TILE_NARROW_ROWS>(
      width, [](auto d, auto vectors, auto rows) {
        return &RunIntTile<decltype(d), rows, vectors>;
      });
}

}  // namespace MUNJA_TILE

#undef MUNJA_TILE
#undef MUNJA_TILE_ATTR
#undef MUNJA_TILE_ROWS
#undef MUNJA_TILE_NARROW_ROWS
