#include "kernels/gemm/int_gemm.h"

#include <array>
#include <cstring>
#include <utility>

#include "kernels/cpu/byte_dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/int_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/gemm/int_dot-inl.h"
#include "kernels/quant/byte_store-inl.h"
#include "kernels/quant/int16_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMaxWidth = 2 * HWY_MAX(HWY_MAX_BYTES, 16) / sizeof(int32_t);

// A tile of rows and one panel; pointers are to the first of them.
struct IntTile {
  const uint8_t* const* a;  // Piece i of row r is a[i * stride + r].
  size_t stride, pieces;
  const size_t* steps;  // Of even rows: row r is first + r;
  size_t first;         // piece i of it begins r * steps[i] after a[i].
  size_t skip;          // Bytes at the beginning of every piece,
  size_t words;         // then that many words.
  const int32_t* b;
  const int32_t* start;
  int32_t* sums;
  // Of even rows of bytes: if not null, what becomes of the sums, which are
  // not written then.
  const ByteStore* store;
  const Int16Store* int16_store;  // The same, of pairs.
};
using IntTileFunction = void (*)(const IntTile&);
// Functions for 1, 2, ... `count` rows.
struct IntTileSet {
  const IntTileFunction* functions;
  size_t count;
};

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

size_t IntLanes() { return 4; }
size_t HalfLanes() { return 4; }

template <size_t kWidth>
void RunIntTile(const IntTile& t) {
  for (size_t c = 0; c < kWidth; ++c) {
    auto sum = static_cast<uint32_t>(t.start[c]);  // Wraps.
    for (size_t piece = 0; piece < t.pieces; ++piece) {
      const uint8_t* a = t.a[piece * t.stride] + t.skip;
      const int32_t* b = t.b + piece * t.words * kWidth + c;
      for (size_t i = 0; i < t.words; ++i) {
        int16_t x[2], w[2];
        std::memcpy(x, a + i * sizeof(x), sizeof(x));
        std::memcpy(w, b + i * kWidth, sizeof(w));
        sum += static_cast<uint32_t>(int32_t{x[0]} * w[0]) +
               static_cast<uint32_t>(int32_t{x[1]} * w[1]);
      }
    }
    t.sums[c] = static_cast<int32_t>(sum);
  }
}
constexpr IntTileFunction kScalarTiles[] = {RunIntTile<8>, RunIntTile<4>};

IntTileSet TilesFor(IntFormat, size_t width) {
  return {kScalarTiles + (width == 4 ? 1 : 0), 1};
}
bool HasEvenTiles(IntFormat) { return false; }
bool HasFlippingTiles(IntFormat) { return false; }
IntTileSet EvenTilesFor(IntFormat, bool, size_t) { return {nullptr, 0}; }

#else

// A last panel of few columns is half a vector wide where that exists.
#if HWY_TARGET == HWY_AVX3
using HalfTag = hn::CappedTag<int32_t, 8>;
#else
using HalfTag = hn::ScalableTag<int32_t>;
#endif
size_t IntLanes() { return hn::Lanes(hn::ScalableTag<int32_t>()); }
size_t HalfLanes() { return hn::Lanes(HalfTag()); }

// Heights of the register tile; see gemm.cc. Where a multiplication of pairs
// leaves two partial sums (NEON), each of them takes a register.
#define MUNJA_TILE pairs
#define MUNJA_TILE_ATTR
#if HWY_TARGET == HWY_AVX3
#define MUNJA_TILE_ROWS 12
#define MUNJA_TILE_NARROW_ROWS 12
#elif HWY_ARCH_ARM_A64
#define MUNJA_TILE_ROWS 6
#define MUNJA_TILE_NARROW_ROWS 8
#else
#define MUNJA_TILE_ROWS 6
#define MUNJA_TILE_NARROW_ROWS 12
#endif
#include "kernels/gemm/int_tile-inl.h"

// Where one sum is enough.
#undef MUNJA_ONE_SUM_ROWS
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
#define MUNJA_ONE_SUM_ROWS 12
#else
#define MUNJA_ONE_SUM_ROWS 6
#endif

#if MUNJA_HAS_BYTE_DOT
#define MUNJA_TILE bytes
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#define MUNJA_TILE_NARROW_ROWS 12
#include "kernels/gemm/int_tile-inl.h"
#endif

#if MUNJA_HAS_PAIR_DOT
#define MUNJA_TILE added_pairs
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#define MUNJA_TILE_NARROW_ROWS 12
#include "kernels/gemm/int_tile-inl.h"
#endif

// Rows of one step need few pointers, of which x86 has few.
#define MUNJA_EVEN_TILES (MUNJA_HAS_BYTE_DOT && HWY_ARCH_X86)
bool HasEvenTiles(IntFormat format) {
  return MUNJA_EVEN_TILES && (format == IntFormat::kUnsignedBytes ||
                              (format == IntFormat::kPairs && HasByteDot()));
}
bool HasFlippingTiles(IntFormat format) {
  return HWY_TARGET == HWY_AVX3 && format == IntFormat::kUnsignedBytes &&
         HasEvenTiles(format);
}
#if MUNJA_EVEN_TILES
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#include "kernels/gemm/int_even_tile-inl.h"
#else
IntTileSet EvenTilesFor(IntFormat, bool, size_t) { return {nullptr, 0}; }
#endif

IntTileSet TilesFor(IntFormat format, size_t width) {
#if MUNJA_HAS_BYTE_DOT
  if (format != IntFormat::kPairs) return bytes::Tiles(width);
#endif
#if MUNJA_HAS_PAIR_DOT
  if (HasByteDot()) return added_pairs::Tiles(width);
#endif
  (void)format;
  return pairs::Tiles(width);
}

#endif

// Columns of the panel that begins `left` columns before the end.
size_t IntPanelWidth(size_t left) {
  if (left > IntLanes()) return 2 * IntLanes();
  return left > HalfLanes() ? IntLanes() : HalfLanes();
}

// Each panel begins with the sums of its columns, and those of their absolute
// values.
constexpr size_t kHeaderRows = 2;
size_t PackedWords(const IntMatrixView& sizes) {
  const size_t full = 2 * IntLanes(), left = sizes.n % full;
  return (sizes.words() + kHeaderRows) *
         (sizes.n - left + (left == 0 ? 0 : IntPanelWidth(left)));
}

void PackPanels(const int16_t* b, const IntMatrixView& sizes, size_t k_stride,
                size_t n_stride, int32_t* packed) {
  const size_t bytes = IntElementBytes(sizes.format);
  const size_t step = sizeof(int32_t) / bytes;
  for (size_t first = 0; first < sizes.n; first += 2 * IntLanes()) {
    const size_t width = IntPanelWidth(sizes.n - first);
    const size_t valid = HWY_MIN(width, sizes.n - first);
    uint32_t sums[kHeaderRows][kMaxWidth] = {};
    int32_t* words = packed + kHeaderRows * width;
    for (size_t piece = 0; piece < sizes.pieces; ++piece) {
      for (size_t i = 0; i < sizes.length; i += step, words += width) {
        const size_t row = piece * sizes.length + i;
        const size_t count = HWY_MIN(step, sizes.length - i);
        const int16_t* from = b + row * k_stride + first * n_stride;
        for (size_t c = 0; c < width; ++c) {
          uint32_t word = 0;
          for (size_t j = 0; c < valid && j < count; ++j) {
            const int32_t element = from[j * k_stride + c * n_stride];
            const auto value = static_cast<uint32_t>(element);
            sums[0][c] += value;
            sums[1][c] += element < 0 ? 0u - value : value;
            word |= (value & (bytes == 1 ? 0xffu : 0xffffu)) << (8 * bytes * j);
          }
          words[c] = static_cast<int32_t>(word);
        }
      }
    }
    for (size_t i = 0; i < kHeaderRows; ++i)
      std::memcpy(packed + i * width, sums[i], width * sizeof(int32_t));
    packed = words;
  }
}

// What becomes of the sums of a panel if its tiles can store the results
// themselves.
bool FindByteStore(const OutputStage& stage, size_t column, size_t width,
                   size_t offset, size_t step, ByteStore* store) {
#if MUNJA_EVEN_TILES
  if (width < IntLanes())
    return MakeByteStore(HalfTag(), stage, column, width, offset, step, store);
  return MakeByteStore(hn::ScalableTag<int32_t>(), stage, column, width, offset,
                       step, store);
#else
  (void)stage;
  (void)column;
  (void)width;
  (void)offset;
  (void)step;
  (void)store;
  return false;
#endif
}

// The same, of sums of pairs that have their biases and wrap nowhere.
bool FindInt16Store(const OutputStage& stage, size_t column, size_t width,
                    size_t offset, size_t step, Int16Store* store) {
#if MUNJA_EVEN_TILES
  if (width < IntLanes())
    return MakeInt16Store(HalfTag(), stage, column, width, offset, step, store);
  return MakeInt16Store(hn::ScalableTag<int32_t>(), stage, column, width,
                        offset, step, store);
#else
  (void)stage;
  (void)column;
  (void)width;
  (void)offset;
  (void)step;
  (void)store;
  return false;
#endif
}

// 128 pairs of int16 times [-255, 255] never wrap 32 bits.
constexpr size_t kExactPairs = 128;

// No sum of int16 times columns of such absolute values wraps 32 bits. Few
// columns are as heavy as that.
bool AreExact(const int32_t* absolutes, size_t columns) {
  constexpr uint32_t kMost = 65535;
  bool are_exact = true;
  for (size_t c = 0; c < columns; ++c)
    are_exact &= static_cast<uint32_t>(absolutes[c]) <= kMost;
  return are_exact;
}

// Adds biases to `start` where the sums do not wrap together with them either;
// false: nothing was added.
template <class T>
bool TakeBiases(const T* biases, const int32_t* absolutes, size_t columns,
                int32_t* start) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  bool fit = true;
  for (size_t c = 0; c < columns; ++c) {
    const int64_t left = kMost - int64_t{absolutes[c]} * 32768;
    fit &= biases[c] <= left && biases[c] >= -left;
  }
  if (!fit) return false;
  for (size_t c = 0; c < columns; ++c)
    start[c] += static_cast<int32_t>(biases[c]);
  return true;
}

// Rows [begin, begin + block_rows) with sums of 64 bits: those of a few words
// at a time are exact.
void WideBlock(const IntLeftRows& a, const IntMatrixView& b, IntTile tile,
               size_t begin, size_t block_rows, size_t width,
               const RowTarget* targets, size_t column, size_t columns,
               const OutputStage& stage) {
  constexpr size_t kMaxRows = 12;
  HWY_ALIGN int32_t sums[kMaxRows * kMaxWidth];
  const size_t words = IntWords(b.format, b.length);
  const IntTileSet tiles = TilesFor(b.format, width);
  tile.pieces = 1;
  tile.sums = sums;
  const IntTile first = tile;
  const size_t end = begin + block_rows;
  for (size_t r = begin; r < end; r += tiles.count) {
    const size_t rows = HWY_MIN(tiles.count, end - r);
    int64_t totals[kMaxRows * kMaxWidth] = {};
    for (size_t piece = 0; piece < b.pieces; ++piece) {
      for (size_t i = 0; i < words; i += kExactPairs) {
        const uint8_t* even[kMaxRows];
        for (size_t k = 0; a.steps != nullptr && k < rows; ++k)
          even[k] = a.pieces[piece] + (r + k) * a.steps[piece];
        tile.a = a.steps != nullptr ? even : first.a + piece * first.stride + r;
        tile.skip = i * sizeof(int32_t);
        tile.words = HWY_MIN(kExactPairs, words - i);
        tile.b = first.b + (piece * words + i) * width;
        tiles.functions[rows - 1](tile);
        for (size_t s = 0; s < rows * width; ++s) totals[s] += sums[s];
      }
    }
    StoreSums(stage, totals, width, targets + (r - begin), rows, column,
              columns);
  }
}

// sums -= zero * the sums of columns
void TakeZero(const int32_t* columns, size_t width, int32_t zero,
              int32_t* sums) {
  if (zero == 0) return;
  for (size_t c = 0; c < width; ++c) {
    sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) -
                                   static_cast<uint32_t>(columns[c]) *
                                       static_cast<uint32_t>(zero));
  }
}

// What comes into the first level of the cache meanwhile.
struct NextPanel {
  const int32_t* packed = nullptr;
  size_t bytes = 0;
};

// Rows [begin, end) of a panel, in tiles of about equal height, multiples of
// `group` but for the last one: 16 rows are 8 + 8, not 12 + 4.
void RunTiles(const IntTileSet& tiles, const IntLeftRows& a, size_t begin,
              size_t end, size_t group, size_t width, IntTile tile,
              const NextPanel& next) {
  constexpr size_t kLine = 64;
  const bool is_even = a.steps != nullptr;
  int32_t* const sums = tile.sums;
  const size_t count = (end - begin + tiles.count - 1) / tiles.count;
  const size_t equal = (end - begin + count - 1) / count;
  const size_t height = (equal + group - 1) / group * group;
  const size_t part = (next.bytes / count / kLine + 1) * kLine;
  const auto* fetched = reinterpret_cast<const uint8_t*>(next.packed);
  const uint8_t* const last = fetched + next.bytes;
  for (size_t row = begin; row < end; row += height) {
    for (const uint8_t* stop =
             fetched + HWY_MIN(part, static_cast<size_t>(last - fetched));
         fetched < stop; fetched += kLine)
      hwy::Prefetch(fetched);
    tile.a = is_even ? a.pieces : a.pieces + row;
    tile.first = row;
    tile.sums = sums + (row - begin) * width;
    tiles.functions[HWY_MIN(height, end - row) - 1](tile);
  }
}

void Block(const IntLeftRows& a, const IntMatrixView& b, size_t first_panel,
           size_t end_panel, size_t column, const RowTarget* targets,
           const OutputStage& stage) {
  HWY_ALIGN int32_t sums[kIntBlockRows * kMaxWidth];
  HWY_ALIGN int32_t start[kMaxWidth];
  const size_t lanes = IntLanes(), words = b.words();
  // A matrix without rows has no sums of columns either.
  const uint32_t zero = words == 0 ? 0 : static_cast<uint32_t>(a.zero);
  const bool is_scaled =
      stage.type != ElementType::kInt32 && stage.type != ElementType::kFloat32;
  const bool has_bias = is_scaled && !stage.is_wide && stage.bias != nullptr;
  const bool is_even = a.steps != nullptr;
  const bool may_store = is_even && a.target_step != 0 && !a.has_zeros &&
                         b.format == IntFormat::kUnsignedBytes;
  for (size_t panel = first_panel; panel < end_panel; ++panel) {
    const size_t first = panel * 2 * lanes;
    const size_t columns = HWY_MIN(b.n - first, 2 * lanes);
    const size_t width = IntPanelWidth(columns);
    const int32_t* packed = b.packed + (words + kHeaderRows) * first;
    for (size_t c = 0; c < width; ++c) {
      start[c] =
          static_cast<int32_t>(0u - static_cast<uint32_t>(packed[c]) * zero);
    }
    if (has_bias) {
      const int32_t* bias = stage.bias + column + first;
      for (size_t c = 0; c < columns; ++c) {
        start[c] = static_cast<int32_t>(static_cast<uint32_t>(start[c]) +
                                        static_cast<uint32_t>(bias[c]));
      }
    }
    const int32_t* absolutes = packed + width;
    const bool is_exact = !stage.is_wide || AreExact(absolutes, columns);
    bool has_wide_bias = false;
    if (stage.is_wide && is_exact) {
      const size_t at = column + first;
      if (stage.wide_bias != nullptr)
        has_wide_bias =
            TakeBiases(stage.wide_bias + at, absolutes, columns, start);
      else if (stage.bias != nullptr)
        has_wide_bias = TakeBiases(stage.bias + at, absolutes, columns, start);
    }
    IntTile tile;
    tile.a = a.pieces;
    tile.stride = a.stride;
    tile.pieces = b.pieces;
    tile.steps = a.steps;
    tile.first = 0;
    tile.skip = 0;
    tile.words = IntWords(b.format, b.length);
    tile.b = packed + kHeaderRows * width;
    tile.start = start;
    tile.sums = sums;
    tile.store = nullptr;
    tile.int16_store = nullptr;
    const IntTileSet tiles = is_even
                                 ? EvenTilesFor(b.format, a.is_flipped, width)
                                 : TilesFor(b.format, width);
    NextPanel next;
    if (panel + 1 < end_panel) {
      next.packed = packed + (words + kHeaderRows) * width;
      next.bytes = (words + kHeaderRows) * sizeof(int32_t) *
                   IntPanelWidth(b.n - first - columns);
      constexpr size_t kMost = size_t{1} << 14;
      if (next.bytes > kMost) next = {};
    }
    ByteStore store;
    if (may_store && columns == width &&
        FindByteStore(stage, column + first, width,
                      targets[0].offset + a.target_base, a.target_step,
                      &store)) {
      tile.store = &store;
      // Four vectors are stored together.
      RunTiles(tiles, a, 0, a.rows, width > lanes ? 2 : 4, width, tile, next);
      continue;
    }
    Int16Store int16_store;
    const bool is_whole =
        is_exact && (has_wide_bias ||
                     (stage.bias == nullptr && stage.wide_bias == nullptr));
    if (is_even && a.target_step != 0 && !a.has_zeros &&
        b.format == IntFormat::kPairs && is_whole && columns == width &&
        FindInt16Store(stage, column + first, width,
                       targets[0].offset + a.target_base, a.target_step,
                       &int16_store)) {
      tile.int16_store = &int16_store;
      RunTiles(tiles, a, 0, a.rows, 1, width, tile, next);
      continue;
    }
    OutputStage rest = stage;
    if (has_bias || has_wide_bias) rest.bias = nullptr;
    if (has_wide_bias) rest.wide_bias = nullptr;
    for (size_t r = 0; r < a.rows; r += kIntBlockRows) {
      const size_t rows = HWY_MIN(kIntBlockRows, a.rows - r);
      const size_t base = a.target_base + r * a.target_step;
      rest.out =
          static_cast<uint8_t*>(stage.out) + base * ElementSize(rest.type);
      if (stage.residual != nullptr) rest.residual = stage.residual + base;
      if (!is_exact) {
        WideBlock(a, b, tile, r, rows, width, targets, column + first, columns,
                  rest);
        continue;
      }
      RunTiles(tiles, a, r, r + rows, 1, width, tile, next);
      if (a.has_zeros && words != 0) {
        for (size_t i = 0; i < rows; ++i)
          TakeZero(packed, width, targets[i].zero, sums + i * width);
      }
      StoreSums(rest, sums, width, targets, rows, column + first, columns);
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(IntLanes);
HWY_EXPORT(HasEvenTiles);
HWY_EXPORT(HasFlippingTiles);
HWY_EXPORT(PackedWords);
HWY_EXPORT(PackPanels);
HWY_EXPORT(Block);

size_t PackedIntWords(const IntMatrixView& sizes) {
  return HWY_DYNAMIC_DISPATCH(PackedWords)(sizes);
}

void PackIntMatrix(const int16_t* b, const IntMatrixView& sizes,
                   size_t k_stride, size_t n_stride, int32_t* packed) {
  HWY_DYNAMIC_DISPATCH(PackPanels)(b, sizes, k_stride, n_stride, packed);
}

size_t IntVectorColumns() { return HWY_DYNAMIC_DISPATCH(IntLanes)(); }

size_t IntPanelCount(size_t n) {
  const size_t width = 2 * IntVectorColumns();
  return (n + width - 1) / width;
}

bool TakesEvenRows(IntFormat format) {
  return HWY_DYNAMIC_DISPATCH(HasEvenTiles)(format);
}

bool TakesFlippedRows(IntFormat format) {
  return HWY_DYNAMIC_DISPATCH(HasFlippingTiles)(format);
}

void MultiplyIntBlock(const IntLeftRows& a, const IntMatrixView& b,
                      size_t first_panel, size_t end_panel, size_t column,
                      const RowTarget* targets, const OutputStage& stage) {
  HWY_DYNAMIC_DISPATCH(Block)
  (a, b, first_panel, end_panel, column, targets, stage);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
