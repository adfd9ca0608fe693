#include "kernels/gemm/int_gemm.h"

#include <cstring>
#include <type_traits>

#include "kernels/cpu/byte_dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/int_gemm.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/gemm/block_walk.h"
#include "kernels/gemm/int_dot-inl.h"
#include "kernels/quant/byte_store-inl.h"
#include "kernels/quant/int16_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMaxWidth = 2 * HWY_MAX(HWY_MAX_BYTES, 16) / sizeof(int32_t);

// A tile of rows and one panel.
struct IntTile {
  TileRows<uint8_t> a;
  size_t row;     // The first one.
  size_t pieces;  // Segments of each row.
  size_t skip;    // Bytes skipped in each segment (not by strided tiles).
  size_t words;   // Words multiplied in each segment.
  const int32_t* b;
  const int32_t* start;
  int32_t* sums;
  size_t sums_step;  // Row stride of strided tiles.
  // For strided tiles: if not null, the epilogue of the sums, which are not
  // written then; int16_store is for pairs only.
  const ByteStore* store;
  const Int16Store* int16_store;
};
using IntTileFunction = void (*)(const IntTile&);

// A row of the table of micro-kernels.
struct IntKernel {
  IntFormat format;
  // Which LHS rows it takes: all, or those with a constant stride; then bytes
  // of the other sign, too.
  enum Rows { kAny, kStrided, kStridedOfOtherSign } rows;
  bool needs_byte_dot;  // HasByteDot.
  Microkernel<IntTile> (*find)(size_t width);
};

// Rows of one stride need few pointers, of which x86 has few.
#undef MUNJA_STRIDED_TILES
#define MUNJA_STRIDED_TILES 0

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

size_t IntLanes() { return 4; }
size_t HalfLanes() { return 4; }

template <size_t kWidth>
void RunIntTile(const IntTile& t) {
  for (size_t c = 0; c < kWidth; ++c) {
    auto sum = static_cast<uint32_t>(t.start[c]);  // Wraps.
    for (size_t piece = 0; piece < t.pieces; ++piece) {
      const uint8_t* rows[1];
      if (!t.a.Find(piece, rows)) __builtin_unreachable();  // None is null.
      const uint8_t* a = rows[0] + t.skip;
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

Microkernel<IntTile> ScalarKernel(size_t width) {
  return {kScalarTiles + (width == 4 ? 1 : 0), 1, width};
}

constexpr IntKernel kIntKernels[] = {
    {IntFormat::kInt16, IntKernel::kAny, false, ScalarKernel},
};

#else

#undef MUNJA_STRIDED_TILES
#define MUNJA_STRIDED_TILES HWY_ARCH_X86

// A last panel of few columns is half a vector wide where that exists.
#if HWY_TARGET == HWY_AVX3
using HalfTag = hn::CappedTag<int32_t, 8>;
#else
using HalfTag = hn::ScalableTag<int32_t>;
#endif
size_t IntLanes() { return hn::Lanes(hn::ScalableTag<int32_t>()); }
size_t HalfLanes() { return hn::Lanes(HalfTag()); }

// The micro-kernel for a panel of that width, of tiles that
// make(tag, vectors, rows) gives.
template <size_t kRows, size_t kVectors, class D, class Make>
Microkernel<IntTile> IntKernelOf() {
  static constexpr auto kTiles = TilesOf<kRows>([](auto rows) {
    return Make()(D(), std::integral_constant<size_t, kVectors>(), rows);
  });
  return {kTiles.data(), kRows, kVectors * hn::Lanes(D())};
}
template <size_t kWideRows, size_t kNarrowRows, class Make>
Microkernel<IntTile> IntKernelOf(size_t width, Make) {
  using Full = hn::ScalableTag<int32_t>;
  if (width > IntLanes()) return IntKernelOf<kWideRows, 2, Full, Make>();
  if (width == IntLanes()) return IntKernelOf<kNarrowRows, 1, Full, Make>();
  return IntKernelOf<kNarrowRows, 1, HalfTag, Make>();
}

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

#if MUNJA_STRIDED_TILES
#define MUNJA_TILE pairs
#define MUNJA_TILE_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#include "kernels/gemm/int_strided_tile-inl.h"
#if MUNJA_HAS_BYTE_DOT
#define MUNJA_TILE bytes
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#include "kernels/gemm/int_strided_tile-inl.h"
#endif
#if MUNJA_HAS_PAIR_DOT
#define MUNJA_TILE added_pairs
#define MUNJA_TILE_ATTR MUNJA_BYTE_DOT_ATTR
#define MUNJA_TILE_ROWS MUNJA_ONE_SUM_ROWS
#include "kernels/gemm/int_strided_tile-inl.h"
#endif
#endif

// The micro-kernels of this target: the first one that suits is taken. A format
// of bytes is in use only where its dot product is (ByteFormat).
constexpr IntKernel kIntKernels[] = {
#if MUNJA_STRIDED_TILES && MUNJA_HAS_BYTE_DOT
    {IntFormat::kUInt8, IntKernel::kStrided, true,
     bytes::StridedKernelFor<false>},
#if HWY_TARGET == HWY_AVX3
    {IntFormat::kUInt8, IntKernel::kStridedOfOtherSign, true,
     bytes::StridedKernelFor<true>},
#endif
#endif
#if MUNJA_STRIDED_TILES && MUNJA_HAS_PAIR_DOT
    {IntFormat::kInt16, IntKernel::kStrided, true,
     added_pairs::StridedKernelFor<false>},
#endif
#if MUNJA_STRIDED_TILES
    {IntFormat::kInt16, IntKernel::kStrided, false,
     pairs::StridedKernelFor<false>},
#endif
#if MUNJA_HAS_BYTE_DOT
    {IntFormat::kUInt8, IntKernel::kAny, true, bytes::KernelFor},
    {IntFormat::kInt8, IntKernel::kAny, true, bytes::KernelFor},
#endif
#if MUNJA_HAS_PAIR_DOT
    {IntFormat::kInt16, IntKernel::kAny, true, added_pairs::KernelFor},
#endif
    {IntFormat::kInt16, IntKernel::kAny, false, pairs::KernelFor},
};

#endif

// Null: there is none.
const IntKernel* FindIntKernel(IntFormat format, IntKernel::Rows rows) {
  for (const IntKernel& kernel : kIntKernels) {
    if (kernel.format == format && kernel.rows == rows &&
        (!kernel.needs_byte_dot || HasByteDot()))
      return &kernel;
  }
  return nullptr;
}

bool HasOtherSignKernel(IntFormat format) {
  return FindIntKernel(format, IntKernel::kStridedOfOtherSign) != nullptr;
}

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

void PackIntPanels(const int16_t* b, const IntMatrixView& sizes,
                   size_t k_stride, size_t n_stride, int32_t* packed) {
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
// False: nothing was added.
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

// Integers of all formats, as block_walk.h takes them.
class Integers {
 public:
  Integers(const IntLeftRows& a, const IntMatrixView& b, size_t end_panel,
           size_t column, const RowTargets& targets,
           const IntEpilogue& epilogue)
      : a_(a),
        b_(b),
        end_panel_(end_panel),
        first_column_(column),
        targets_(targets),
        epilogue_(epilogue),
        words_(b.words()),
        any_(FindIntKernel(b.format, IntKernel::kAny)) {
    if (a.rows.has_constant_stride) {
      strided_ = FindIntKernel(b.format, a.has_other_sign
                                             ? IntKernel::kStridedOfOtherSign
                                             : IntKernel::kStrided);
    }
    t_.a.BeginBlock(a.rows);
    t_.pieces = b.pieces;
    t_.skip = 0;
    t_.words = IntWords(b.format, b.length);
    t_.start = start_;
  }

  Microkernel<IntTile> BeginPanel(size_t panel) {
    const size_t first = panel * 2 * IntLanes();
    column_ = first_column_ + first;
    columns_ = HWY_MIN(b_.n - first, 2 * IntLanes());
    width_ = IntPanelWidth(columns_);
    packed_ = b_.packed + (words_ + kHeaderRows) * first;
    t_.b = packed_ + kHeaderRows * width_;
    t_.store = nullptr;
    t_.int16_store = nullptr;
    t_.sums_step = width_;
    own_sums_ = nullptr;
    FetchPanel(panel + 1 < end_panel_ ? b_.n - first - columns_ : 0);
    BeginSums();
    const IntKernel* const found =
        is_exact_ && strided_ != nullptr ? strided_ : any_;
    Microkernel<IntTile> kernel = found->find(width_);
    if (found == strided_ && TakeOwnSums()) return kernel;
    if (found == strided_ && TakeStore()) {
      // Four vectors of bytes are stored together.
      if (t_.store != nullptr) kernel.row_step = width_ > IntLanes() ? 2 : 4;
      return kernel;
    }
    kernel.rows_at_once = kIntRowsAtOnce;
    rest_ = epilogue_;
    if (has_bias_) rest_.bias = nullptr;
    if (has_bias_) rest_.wide_bias = nullptr;
    return kernel;
  }

  void RunTile(IntTileFunction run, size_t row, size_t rows) {
    FetchPart(rows);
    t_.a.BeginTile(a_.rows, row);
    t_.row = row;
    t_.sums = own_sums_ != nullptr ? own_sums_ + row * targets_.step
                                   : sums_ + row % kIntRowsAtOnce * width_;
    if (is_exact_)
      run(t_);
    else
      RunWideTile(run, row, rows);
  }

  void FinishRows(size_t row, size_t rows) {
    if (t_.store != nullptr || t_.int16_store != nullptr ||
        own_sums_ != nullptr || !is_exact_)
      return;
    const RowTarget* const targets = TargetsFrom(row);
    // A matrix without rows has no sums of columns either.
    if (targets_.has_zeros && words_ != 0) {
      for (size_t i = 0; i < rows; ++i)
        TakeZero(packed_, width_, targets[i].zero, sums_ + i * width_);
    }
    StoreSums(rest_, sums_, width_, targets, rows, column_, columns_);
  }

 private:
  static constexpr size_t kLine = 64;

  // The panel to come, if `left` columns are left, comes into the first level
  // of the cache meanwhile.
  void FetchPanel(size_t left) {
    constexpr size_t kMost = size_t{1} << 14;
    const size_t bytes = left == 0 ? 0
                                   : (words_ + kHeaderRows) * sizeof(int32_t) *
                                         IntPanelWidth(left);
    fetched_bytes_ = bytes > kMost ? 0 : bytes;
    fetched_ = reinterpret_cast<const uint8_t*>(
        packed_ + (words_ + kHeaderRows) * width_);
    fetched_of_row_ = bytes / HWY_MAX(a_.rows.rows, 1) + 1;
  }
  void FetchPart(size_t rows) {
    if (fetched_bytes_ == 0) return;
    const size_t part =
        HWY_MIN(fetched_bytes_, (fetched_of_row_ * rows / kLine + 1) * kLine);
    for (size_t i = 0; i < part; i += kLine) hwy::Prefetch(fetched_ + i);
    fetched_ += part;
    fetched_bytes_ -= part;
  }

  // Initial values of the column sums: the part of the zero point and, where no
  // sum wraps with it, the bias.
  void BeginSums() {
    const bool is_scaled = epilogue_.type != ElementType::kInt32 &&
                           epilogue_.type != ElementType::kFloat32;
    const int32_t* const absolutes = packed_ + width_;
    const uint32_t zero = words_ == 0 ? 0 : static_cast<uint32_t>(a_.zero);
    for (size_t c = 0; c < width_; ++c) {
      start_[c] =
          static_cast<int32_t>(0u - static_cast<uint32_t>(packed_[c]) * zero);
    }
    is_exact_ = !epilogue_.is_wide || AreExact(absolutes, columns_);
    has_bias_ = false;
    if (epilogue_.is_wide) {
      if (is_exact_ && epilogue_.wide_bias != nullptr)
        has_bias_ = TakeBiases(epilogue_.wide_bias + column_, absolutes,
                               columns_, start_);
      else if (is_exact_ && epilogue_.bias != nullptr)
        has_bias_ =
            TakeBiases(epilogue_.bias + column_, absolutes, columns_, start_);
    } else if (is_scaled && epilogue_.bias != nullptr) {
      const int32_t* bias = epilogue_.bias + column_;
      for (size_t c = 0; c < columns_; ++c) {
        start_[c] = static_cast<int32_t>(static_cast<uint32_t>(start_[c]) +
                                         static_cast<uint32_t>(bias[c]));
      }
      has_bias_ = true;
    }
  }

  // Whether the tiles store the results themselves: bytes, or int16 of sums
  // that have their biases and wrap nowhere.
  bool TakeStore() {
#if MUNJA_STRIDED_TILES
    if (targets_.step == 0 || targets_.has_zeros || columns_ != width_)
      return false;
    const size_t offset = targets_.rows[0].offset + targets_.base;
    const auto make = [&](auto d) HWY_ATTR {
      if (!epilogue_.is_wide) {
        if (!MakeByteStore(d, epilogue_, column_, width_, offset, targets_.step,
                           &store_))
          return false;
        t_.store = &store_;
        return true;
      }
      if (!has_bias_ &&
          (epilogue_.bias != nullptr || epilogue_.wide_bias != nullptr))
        return false;
      if (!MakeInt16Store(d, epilogue_, column_, width_, offset, targets_.step,
                          &int16_store_))
        return false;
      t_.int16_store = &int16_store_;
      return true;
    };
    return width_ < IntLanes() ? make(HalfTag())
                               : make(hn::ScalableTag<int32_t>());
#else
    return false;
#endif
  }

  // Whether the sums are the results, and the tiles write them there.
  bool TakeOwnSums() {
    if (epilogue_.type != ElementType::kInt32 || targets_.step == 0 ||
        targets_.has_zeros || columns_ != width_)
      return false;
    own_sums_ = static_cast<int32_t*>(epilogue_.out) + targets_.rows[0].offset +
                targets_.base + column_;
    t_.sums_step = targets_.step;
    return true;
  }

  // The targets of that row and those that follow; rest_ goes along.
  const RowTarget* TargetsFrom(size_t row) {
    const size_t base = targets_.base + row * targets_.step;
    rest_.out =
        static_cast<uint8_t*>(epilogue_.out) + base * ElementSize(rest_.type);
    if (epilogue_.residual != nullptr)
      rest_.residual = epilogue_.residual + base;
    return targets_.step != 0 ? targets_.rows : targets_.rows + row;
  }

  // Sums of 64 bits: those of a few words at a time are exact.
  void RunWideTile(IntTileFunction run, size_t row, size_t rows) {
    constexpr size_t kMaxRows = 12;
    int64_t totals[kMaxRows * kMaxWidth] = {};
    IntTile t = t_;
    t.pieces = 1;
    for (size_t piece = 0; piece < b_.pieces; ++piece) {
      t.a.pieces = t_.a.pieces + piece;
      for (size_t i = 0; i < t_.words; i += kExactPairs) {
        t.skip = i * sizeof(int32_t);
        t.words = HWY_MIN(kExactPairs, t_.words - i);
        t.b = t_.b + (piece * t_.words + i) * width_;
        run(t);
        for (size_t s = 0; s < rows * width_; ++s) totals[s] += t.sums[s];
      }
    }
    StoreSums(rest_, totals, width_, TargetsFrom(row), rows, column_, columns_);
  }

  const IntLeftRows& a_;
  const IntMatrixView& b_;
  const size_t end_panel_, first_column_;
  const RowTargets& targets_;
  const IntEpilogue& epilogue_;
  const size_t words_;
  const IntKernel* const any_;
  const IntKernel* strided_ = nullptr;
  // State of the current panel.
  const int32_t* packed_ = nullptr;
  size_t column_ = 0, columns_ = 0, width_ = 0;
  bool is_exact_ = true, has_bias_ = false;
  const uint8_t* fetched_ = nullptr;
  size_t fetched_bytes_ = 0, fetched_of_row_ = 0;
  IntTile t_;
  [[maybe_unused]] ByteStore store_;
  [[maybe_unused]] Int16Store int16_store_;
  // Sums of the panel's first row, if sums are outputs.
  int32_t* own_sums_ = nullptr;
  IntEpilogue rest_;  // Without what the sums have already.
  HWY_ALIGN int32_t start_[kMaxWidth];
  HWY_ALIGN int32_t sums_[kIntRowsAtOnce * kMaxWidth];
};

void IntBlock(const IntLeftRows& a, const IntMatrixView& b, size_t first_panel,
              size_t end_panel, size_t column, const RowTargets& targets,
              const IntEpilogue& epilogue) {
  Integers format(a, b, end_panel, column, targets, epilogue);
  WalkBlock(format, a.rows.rows, first_panel, end_panel);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(IntLanes);
HWY_EXPORT(HasOtherSignKernel);
HWY_EXPORT(PackedWords);
HWY_EXPORT(PackIntPanels);
HWY_EXPORT(IntBlock);

size_t PackedIntWords(const IntMatrixView& sizes) {
  return HWY_DYNAMIC_DISPATCH(PackedWords)(sizes);
}

void PackIntMatrix(const int16_t* b, const IntMatrixView& sizes,
                   size_t k_stride, size_t n_stride, int32_t* packed) {
  HWY_DYNAMIC_DISPATCH(PackIntPanels)(b, sizes, k_stride, n_stride, packed);
}

size_t IntVectorColumns() { return HWY_DYNAMIC_DISPATCH(IntLanes)(); }

size_t IntPanelCount(size_t n) {
  const size_t width = 2 * IntVectorColumns();
  return (n + width - 1) / width;
}

bool ReadsOtherSign(IntFormat format) {
  return HWY_DYNAMIC_DISPATCH(HasOtherSignKernel)(format);
}

void MultiplyIntBlock(const IntLeftRows& a, const IntMatrixView& b,
                      size_t first_panel, size_t end_panel, size_t column,
                      const RowTargets& targets, const IntEpilogue& epilogue) {
  HWY_DYNAMIC_DISPATCH(IntBlock)
  (a, b, first_panel, end_panel, column, targets, epilogue);
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
