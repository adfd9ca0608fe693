// The register tile of products whose rows lie at a constant stride. Part of
// int_gemm.cc, included for each SIMD target that has it and each kind of dot
// product: MUNJA_TILE is the namespace of kernels/gemm/int_dot-inl.h, which has
// to add all products to one sum; MUNJA_TILE_ATTR the instructions,
// MUNJA_TILE_ROWS the height of tiles two vectors wide.

namespace MUNJA_TILE {

// As RunIntTile. Every fourth row has a pointer; the rows between are one, two
// and three steps from it, which addresses can say.
// kIsOfOtherSign: bytes are signed, their highest bit changes first.
template <class D, size_t kRows, size_t kVectors, bool kIsOfOtherSign>
MUNJA_TILE_ATTR void RunStridedTile(const IntTile& t) {
  const D d;
  using V = hn::Vec<D>;
  const size_t lanes = hn::Lanes(d);
  V sum[kRows][kVectors];
  HWY_UNROLL(2)
  for (size_t v = 0; v < kVectors; ++v) {
    const V start = hn::Load(d, t.start + v * lanes);
    HWY_UNROLL(12)
    for (size_t r = 0; r < kRows; ++r) sum[r][v] = start;
  }
  V none = hn::Zero(d);  // The second sum, to which nothing is added.
  [[maybe_unused]] const V sign = hn::Set(d, static_cast<int32_t>(0x80808080));
  const int32_t* HWY_RESTRICT b = t.b;
  const size_t step = t.a.step, three_steps = 3 * step;
  for (size_t piece = 0; piece < t.pieces; ++piece) {
    const uint8_t* row0 = t.a.pieces[piece] + t.a.offset;
    const uint8_t* row4 = row0 + 4 * step;
    const uint8_t* row8 = row4 + 4 * step;
    for (size_t i = 0; i < t.words; ++i) {
      V weights[kVectors];
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVectors; ++v)
        weights[v] = hn::Load(d, b + v * lanes);
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r) {
        const uint8_t* from = (r < 4   ? row0
                               : r < 8 ? row4
                                       : row8) +
                              (r % 4 == 3 ? three_steps : r % 4 * step);
        int32_t word;
        std::memcpy(&word, from, sizeof(word));
        V x = hn::Set(d, word);
        if constexpr (kIsOfOtherSign) x = hn::Xor(x, sign);
        HWY_UNROLL(2)
        for (size_t v = 0; v < kVectors; ++v)
          sum[r][v] = Dot(x, weights[v], sum[r][v], none);
      }
      b += kVectors * lanes;
      row0 += sizeof(int32_t);
      row4 += sizeof(int32_t);
      row8 += sizeof(int32_t);
      // Otherwise the compiler makes a pointer for every row after all, and
      // keeps those that do not fit in vector registers.
      asm("" : "+r"(row0), "+r"(row4), "+r"(row8));
    }
  }
#if MUNJA_HAS_INT16_SCALER
  if constexpr (!kIsOfBytes) {
    if (t.int16_store != nullptr) {
      const Int16Store& store = *t.int16_store;
      StoreInt16Tile<D>(store, store.out + t.row * store.step, sum);
      return;
    }
  }
#endif
  if (t.store != nullptr) {
    StoreTile<D>(*t.store, t.store->out + t.row * t.store->step, sum);
    return;
  }
  int32_t* sums = t.sums;
  HWY_UNROLL(12)
  for (size_t r = 0; r < kRows; ++r, sums += t.sums_step) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], d, sums + v * lanes);
  }
}

template <bool kIsOfOtherSign>
Microkernel<IntTile> StridedKernelFor(size_t width) {
  return IntKernelOf<MUNJA_TILE_ROWS, 12>(
      width, [](auto d, auto vectors, auto rows) {
        return &RunStridedTile<decltype(d), rows, vectors, kIsOfOtherSign>;
      });
}

}  // namespace MUNJA_TILE

#undef MUNJA_TILE
#undef MUNJA_TILE_ATTR
#undef MUNJA_TILE_ROWS
