// A block of squares at a time: their inputs are transformed into 16 matrices
// of a row for each square, each is multiplied by the weights of its point, and
// the products are transformed back, a few squares at a time. The block is
// small enough for the matrices to stay in the second-level cache.
#include "kernels/int_conv/int_winograd.h"

#include <algorithm>

#include "base/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int_conv/int_winograd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/conv/winograd.h"
#include "kernels/gemm/int_gemm.h"
#include "kernels/gemm/partition.h"
#include "kernels/int_conv/int_lines.h"

#ifndef MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_ONCE_
#define MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_ONCE_
namespace munja::kernels {
namespace {

constexpr size_t kIntTile = 2;       // Side of the square of output pixels.
constexpr size_t kIntInputSide = 4;  // Side of the square of input pixels.
constexpr size_t kIntPoints = kIntInputSide * kIntInputSide;
// The transforms have no kernels for fewer.
constexpr int32_t kLeastIntChannels = 16;

}  // namespace
}  // namespace munja::kernels
#endif  // MUNJA_KERNELS_INT_CONV_INT_WINOGRAD_ONCE_

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// B^T x of the four elements at x.
template <class V>
HWY_INLINE void TransformIntFour(const V* x, size_t step, V* to) {
  to[0] = hn::Sub(x[0], x[2 * step]);
  to[step] = hn::Add(x[step], x[2 * step]);
  to[2 * step] = hn::Sub(x[2 * step], x[step]);
  to[3 * step] = hn::Sub(x[step], x[3 * step]);
}

// at[i]: the channels of four pixels, one after the other, of row i of the
// square. Point p goes to to[p * plane].
void TransformIntInput(const int16_t* const* at, size_t channels, int16_t* to,
                       size_t plane) {
  const hn::CappedTag<int16_t, kLeastIntChannels> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  for (size_t first = 0; first < channels; first += lanes) {
    // The last vector begins earlier where the channels are no whole vectors.
    const size_t c = HWY_MIN(first, channels - lanes);
    V x[kIntPoints], half[kIntPoints], all[kIntPoints];
    for (size_t i = 0; i < kIntInputSide; ++i) {
      for (size_t j = 0; j < kIntInputSide; ++j)
        x[i * kIntInputSide + j] = hn::LoadU(d, at[i] + j * channels + c);
    }
    for (size_t j = 0; j < kIntInputSide; ++j)
      TransformIntFour(x + j, kIntInputSide, half + j);
    for (size_t i = 0; i < kIntInputSide; ++i) {
      TransformIntFour(half + i * kIntInputSide, 1, all + i * kIntInputSide);
    }
    for (size_t p = 0; p < kIntPoints; ++p)
      hn::StoreU(all[p], d, to + p * plane + c);
  }
}

// The sums of the four pixels of a square, `columns` apart in `to`, of its
// products: those of point p are at from[p * plane].
void TransformIntSums(const int32_t* from, size_t plane, size_t columns,
                      int32_t* to) {
  const hn::CappedTag<int32_t, kLeastIntChannels> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  for (size_t first = 0; first < columns; first += lanes) {
    const size_t c = HWY_MIN(first, columns - lanes);
    V half[kIntTile * kIntInputSide];
    for (size_t j = 0; j < kIntInputSide; ++j) {
      const auto at = [&](size_t i) HWY_ATTR {
        return hn::LoadU(d, from + (i * kIntInputSide + j) * plane + c);
      };
      const V x1 = at(1), x2 = at(2);
      half[j] = hn::Add(hn::Add(at(0), x1), x2);
      half[kIntInputSide + j] = hn::Sub(hn::Sub(x1, x2), at(3));
    }
    for (size_t i = 0; i < kIntTile; ++i) {
      const V* const x = half + i * kIntInputSide;
      // The weights were scaled by 4.
      const V left = hn::ShiftRight<2>(hn::Add(hn::Add(x[0], x[1]), x[2]));
      const V right = hn::ShiftRight<2>(hn::Sub(hn::Sub(x[1], x[2]), x[3]));
      hn::StoreU(left, d, to + i * kIntTile * columns + c);
      hn::StoreU(right, d, to + (i * kIntTile + 1) * columns + c);
    }
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(TransformIntInput);
HWY_EXPORT(TransformIntSums);

namespace {

// Squares whose products are transformed back before they are stored: their
// sums stay in the first-level cache.
constexpr size_t kStoredSquares = 8;
constexpr size_t kStoredRows = kStoredSquares * kIntTile * kIntTile;

IntMatrixView PointMatrix(const Conv2dShape& s) {
  IntMatrixView m;
  m.length = static_cast<size_t>(s.in_c);
  m.n = static_cast<size_t>(s.out_c);
  return m;
}

// Words of the weights of a point; each begins on a cache line.
size_t PointWords(const Conv2dShape& s) {
  return RoundUp(PackedIntWords(PointMatrix(s)),
                 kBufferAlignment / sizeof(int32_t));
}

// 2 G x: four elements of three.
void TransformIntThree(int32_t x0, int32_t x1, int32_t x2, int32_t* out,
                       size_t stride) {
  out[0] = 2 * x0;
  out[stride] = x0 + x1 + x2;
  out[2 * stride] = x0 - x1 + x2;
  out[3 * stride] = 2 * x2;
}

// Lines with a pixel left of the image, and as many as whole squares read.
IntLineLayout LinesOf(const Conv2dShape& s) {
  IntLineLayout lines;
  lines.before = s.pad_left;
  lines.columns =
      static_cast<int64_t>(RoundUp(static_cast<size_t>(s.out_w), kIntTile)) + 2;
  lines.outside =
      static_cast<size_t>(lines.columns) * static_cast<size_t>(s.in_c);
  return lines;
}

struct IntWinogradBlocks {
  explicit IntWinogradBlocks(const Conv2dShape& s) {
    constexpr size_t kBytes = size_t{256} << 10;
    const auto in_c = static_cast<size_t>(s.in_c);
    const auto out_c = static_cast<size_t>(s.out_c);
    const size_t square =
        kIntPoints * (in_c * sizeof(int16_t) + out_c * sizeof(int32_t));
    most = std::clamp<size_t>(kBytes / square / 12 * 12, 12, kIntRowsAtOnce);
    columns = (static_cast<size_t>(s.out_w) + 1) / kIntTile;
    // About a million multiplications, and no lines that leave the cache.
    const size_t row_work =
        std::max<size_t>(1, columns * kIntPoints * in_c * out_c);
    const IntLineLayout lines = LinesOf(s);
    Conv2dShape tall = s;
    tall.in_h = 1 << 20;
    size_t pairs = std::max<size_t>(2, kTask / row_work);
    while (pairs > 1 && IntLines::Bytes(tall, lines, pairs * kIntTile) >
                            kSecondLevelCache / 4)
      pairs = (pairs + 1) / 2;
    rows_per_task = pairs * kIntTile;
    line_bytes =
        RoundUp(IntLines::Bytes(tall, lines, rows_per_task), kBufferAlignment);
    // Odd numbers of cache lines apart: the 16 places where a square is written
    // are then in different sets of the first-level cache. Kernels read whole
    // vectors.
    const auto plane = [](size_t bytes) {
      return ((bytes / kBufferAlignment + 2) | 1) * kBufferAlignment;
    };
    in_plane = plane(most * in_c * sizeof(int16_t)) / sizeof(int16_t);
    out_plane = plane(most * out_c * sizeof(int32_t)) / sizeof(int32_t);
    products = line_bytes + kIntPoints * in_plane * sizeof(int16_t);
    sums = products + kIntPoints * out_plane * sizeof(int32_t);
    total =
        RoundUp(sums + kStoredRows * out_c * sizeof(int32_t), kBufferAlignment);
  }
  size_t most;                 // Squares of a block.
  size_t columns;              // Squares in a row of them.
  size_t rows_per_task;        // Output rows, an even number.
  size_t in_plane, out_plane;  // Elements from point to point.
  // Scratch memory of a worker: lines, the transformed input, then, in bytes:
  size_t line_bytes, products, sums, total;
};

// Arguments that all tasks read.
struct WinogradRun {
  const Conv2dShape& s;
  const IntInput& in;
  const int32_t* packed;
  const float* image_scales;
  const IntEpilogue& epilogue;
  IntWinogradBlocks blocks;
  RowTarget rows[kIntRowsAtOnce];  // Where products go.
};

// Squares [first, first + count) of the output rows from `top` of an image,
// whose products are ready.
void StoreSquares(const WinogradRun& run, const PartitionTask& task,
                  size_t first, size_t count, const int32_t* products,
                  int32_t* sums) {
  const Conv2dShape& s = run.s;
  const auto out_c = static_cast<size_t>(s.out_c),
             out_w = static_cast<size_t>(s.out_w);
  RowTarget target;
  if (run.image_scales != nullptr) target.scale = run.image_scales[task.image];
  const size_t image = task.image * static_cast<size_t>(s.out_h);
  for (size_t done = 0; done < count; done += kStoredSquares) {
    const size_t end = std::min(count, done + kStoredSquares);
    RowTarget targets[kStoredRows];
    size_t rows = 0;
    for (size_t i = done; i < end; ++i) {
      const size_t y = task.row + (first + i) / run.blocks.columns * kIntTile;
      const size_t x = (first + i) % run.blocks.columns * kIntTile;
      int32_t* const to = sums + rows * out_c;
      HWY_DYNAMIC_DISPATCH(TransformIntSums)
      (products + i * out_c, run.blocks.out_plane, out_c, to);
      const size_t at = ((image + y) * out_w + x) * out_c;
      const bool has_right = x + 1 < out_w, has_lower = y + 1 < task.end_row;
      // Rows of pixels that are not in the image are left out.
      target.offset = at;
      targets[rows++] = target;
      if (has_right) {
        target.offset = at + out_c;
        targets[rows++] = target;
      }
      if (!has_lower) continue;
      if (!has_right) std::copy_n(to + 2 * out_c, out_c, to + out_c);
      target.offset = at + out_w * out_c;
      targets[rows++] = target;
      if (has_right) {
        target.offset += out_c;
        targets[rows++] = target;
      }
    }
    StoreSums(run.epilogue, sums, out_c, targets, rows, 0, out_c);
  }
}

// Rows [task.row, task.end_row) of an image.
void MakeRows(const WinogradRun& run, const PartitionTask& task,
              uint8_t* scratch) {
  const Conv2dShape& s = run.s;
  const IntWinogradBlocks& blocks = run.blocks;
  const auto in_c = static_cast<size_t>(s.in_c);
  const IntLines lines(s, run.in, LinesOf(s), task.image, task.row,
                       task.end_row, scratch);
  auto* const transformed =
      reinterpret_cast<int16_t*>(scratch + blocks.line_bytes);
  auto* const products = reinterpret_cast<int32_t*>(scratch + blocks.products);
  auto* const sums = reinterpret_cast<int32_t*>(scratch + blocks.sums);
  const size_t squares =
      (task.end_row - task.row + 1) / kIntTile * blocks.columns;
  IntMatrixView matrix = PointMatrix(s);
  IntEpilogue raw;
  raw.type = ElementType::kInt32;
  const RowTargets targets{run.rows, matrix.n};
  // Blocks of equal size.
  size_t left = (squares + blocks.most - 1) / blocks.most;
  for (size_t first = 0, count; first < squares; first += count, --left) {
    count = (squares - first + left - 1) / left;
    for (size_t i = 0; i < count; ++i) {
      const size_t y = task.row + (first + i) / blocks.columns * kIntTile;
      const size_t x = (first + i) % blocks.columns * kIntTile;
      const int16_t* rows[kIntInputSide];
      for (size_t r = 0; r < kIntInputSide; ++r) {
        const int64_t row = static_cast<int64_t>(y + r) - s.pad_top;
        rows[r] = reinterpret_cast<const int16_t*>(lines.Row(row)) + x * in_c;
      }
      HWY_DYNAMIC_DISPATCH(TransformIntInput)
      (rows, in_c, transformed + i * in_c, blocks.in_plane);
    }
    for (size_t p = 0; p < kIntPoints; ++p) {
      const auto* const piece =
          reinterpret_cast<const uint8_t*>(transformed + p * blocks.in_plane);
      IntLeftRows rows;
      rows.rows = {&piece, count, 1, in_c, true, in_c * sizeof(int16_t)};
      matrix.packed = run.packed + p * PointWords(s);
      raw.out = products + p * blocks.out_plane;
      MultiplyIntBlock(rows, matrix, 0, IntPanelCount(matrix.n), 0, targets,
                       raw);
    }
    StoreSquares(run, task, first, count, products, sums);
  }
}

}  // namespace

size_t IntWinogradWeightBytes(const Conv2dShape& s, IntFormat format) {
  // Four times a sum of so many products of 8 bits fits 31 bits.
  constexpr int32_t kMostChannels = 512;
  constexpr int32_t kLeastIn = 32;  // Fewer do not pay for the transforms.
  const bool is_taken = format == IntFormat::kInt16 && TakesWinograd(s) &&
                        s.in_c % 2 == 0 && s.in_c >= kLeastIn &&
                        s.in_c <= kMostChannels && s.out_c >= kLeastIntChannels;
  return is_taken
             ? kIntPoints * PointWords(s) * sizeof(int32_t) +
                   // Behind them they are put in order.
                   static_cast<size_t>(s.in_c) * static_cast<size_t>(s.out_c) *
                       kIntPoints * sizeof(int16_t)
             : 0;
}

void PackIntWinograd(const int16_t* weights, const Conv2dShape& s,
                     void* packed) {
  const auto in_c = static_cast<size_t>(s.in_c),
             out_c = static_cast<size_t>(s.out_c);
  auto* const to = static_cast<int32_t*>(packed);
  auto* const ordered =
      reinterpret_cast<int16_t*>(to + kIntPoints * PointWords(s));
  for (size_t o = 0; o < out_c; ++o) {
    for (size_t c = 0; c < in_c; ++c) {
      const int16_t* const g = weights + o * 9 * in_c + c;
      int32_t half[kIntInputSide * 3], all[kIntPoints];
      for (size_t j = 0; j < 3; ++j) {
        TransformIntThree(g[j * in_c], g[(3 + j) * in_c], g[(6 + j) * in_c],
                          half + j, 3);
      }
      for (size_t i = 0; i < kIntInputSide; ++i) {
        const int32_t* const row = half + i * 3;
        TransformIntThree(row[0], row[1], row[2], all + i * kIntInputSide, 1);
      }
      for (size_t p = 0; p < kIntPoints; ++p) {
        ordered[(p * out_c + o) * in_c + c] = static_cast<int16_t>(all[p]);
      }
    }
  }
  for (size_t p = 0; p < kIntPoints; ++p) {
    PackIntMatrix(ordered + p * out_c * in_c, PointMatrix(s), 1, in_c,
                  to + p * PointWords(s));
  }
}

bool IsIntWinograd(const Conv2dShape& s, IntFormat format, ElementType input) {
  return input != ElementType::kInt16 &&
         IntWinogradWeightBytes(s, format) != 0 &&
         WinogradPays(s, kIntTile, sizeof(int16_t));
}

size_t IntWinogradScratchBytes(const Conv2dShape& s, int threads) {
  return IntWinogradBlocks(s).total * static_cast<size_t>(threads);
}

void IntWinogradConv2d(const Conv2dShape& s, const IntInput& in,
                       const void* packed, const float* image_scales,
                       const IntEpilogue& epilogue, void* scratch,
                       ThreadPool& pool) {
  if (s.batch == 0) return;
  WinogradRun run{s,
                  in,
                  static_cast<const int32_t*>(packed),
                  image_scales,
                  epilogue,
                  IntWinogradBlocks(s),
                  {}};
  for (size_t i = 0; i < kIntRowsAtOnce; ++i)
    run.rows[i].offset = i * static_cast<size_t>(s.out_c);
  Partition split;
  split.images = static_cast<size_t>(s.batch);
  split.rows = static_cast<size_t>(s.out_h);
  split.rows_per_task = run.blocks.rows_per_task;
  split.panels = 1;
  ForEachTask(split, pool, [&](const PartitionTask& task, int worker) {
    MakeRows(run, task,
             static_cast<uint8_t*>(scratch) +
                 run.blocks.total * static_cast<size_t>(worker));
  });
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
