// Shared by GEMMs of all element types: the loop over the panels of a packed
// matrix and the register tiles of a block of LHS rows. A type adds its
// micro-kernels, its packing and its epilogue.
#ifndef MUNJA_KERNELS_GEMM_BLOCK_WALK_H_
#define MUNJA_KERNELS_GEMM_BLOCK_WALK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "hwy/base.h"
#include "kernels/gemm/left_rows.h"

namespace munja::kernels {

// The LHS rows of a register tile.
template <class T>
struct TileRows {
  // Not in the order of Indirection: what was just stored in parts would be
  // copied at once, and wait for that.
  const T* const* pieces;
  size_t length;
  size_t step, offset;  // `offset`: from the block's first row to the tile's.
  size_t pointers_per_row;
  bool has_constant_stride;

  void BeginBlock(const Indirection<T>& a) {
    pointers_per_row = a.pointers_per_row;
    length = a.length;
    has_constant_stride = a.has_constant_stride;
    step = a.step;
    BeginTile(a, 0);
  }
  void BeginTile(const Indirection<T>& a, size_t row) {
    pieces =
        a.has_constant_stride ? a.pieces : a.pieces + row * a.pointers_per_row;
    offset = row * a.step;
  }
  // Where that piece of each row begins; false: it is zeros.
  template <size_t kRows>
  HWY_INLINE bool Find(size_t piece, const T* (&rows)[kRows]) const {
    if (has_constant_stride) {
      if (pieces[piece] == nullptr) return false;
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r)
        rows[r] = pieces[piece] + offset + r * step;
    } else {
      HWY_UNROLL(12)
      for (size_t r = 0; r < kRows; ++r)
        rows[r] = pieces[r * pointers_per_row + piece];
    }
    return true;
  }
};

// A micro-kernel: a row of the table of a format. Sums of a tile of rows and a
// panel stay in registers from the first addend to the last.
template <class Tile>
struct Microkernel {
  void (*const* tiles)(const Tile&);  // For 1, 2, ... rows.
  size_t tallest;                     // The maximum of these rows.
  size_t columns;                     // Panel width with padding.
  // Rows of the matrix side by side in a vector: gemm_tile-inl.h.
  size_t group = 1;
  // Heights of tiles are multiples of this one where rows are enough.
  size_t row_step = 1;
  size_t panels = 1;        // Panels per call.
  size_t rows_at_once = 0;  // Maximum rows of FinishRows; 0: unlimited.
};

// The tiles of 1 to kRows rows, each of which make(integral constant) gives.
template <size_t kRows, class Make>
constexpr auto TilesOf(Make make) {
  return [&]<size_t... kMinusOne>(std::index_sequence<kMinusOne...>) {
    return std::array{make(std::integral_constant<size_t, kMinusOne + 1>())...};
  }
  (std::make_index_sequence<kRows>());
}

// Calls run(row, rows) for tiles of about equal height: 16 rows are 8 + 8, not
// 12 + 4. Heights are multiples of `step`, which divides `tallest`, except for
// the last one.
template <class Run>
inline void ForEachTile(size_t first, size_t end, size_t tallest, size_t step,
                        Run&& run) {
  if (first >= end) return;
  const size_t tiles = (end - first + tallest - 1) / tallest;
  const size_t steps = (end - first + step - 1) / step;
  const size_t height = steps / tiles;
  const size_t higher = steps - height * tiles;  // Tiles one step taller.
  for (size_t i = 0, row = first; i < tiles; ++i) {
    const size_t rows =
        std::min((height + (i + higher >= tiles ? 1 : 0)) * step, end - row);
    run(row, rows);
    row += rows;
  }
}

// A block of `rows` LHS rows times panels [first_panel, end_panel). The format
// has
//   Microkernel<...> BeginPanel(size_t panel), which finds the kernel;
//   void RunTile(function, size_t row, size_t rows), which calls it;
//   void FinishRows(size_t row, size_t rows), the epilogue of sums that the
//     tiles did not finish.
template <class Format>
inline void WalkBlock(Format& format, size_t rows, size_t first_panel,
                      size_t end_panel) {
  for (size_t panel = first_panel; panel < end_panel;) {
    const auto kernel = format.BeginPanel(panel);
    const size_t most = kernel.rows_at_once == 0 ? rows : kernel.rows_at_once;
    for (size_t first = 0; first < rows; first += most) {
      const size_t end = std::min(rows, first + most);
      ForEachTile(first, end, kernel.tallest, kernel.row_step,
                  [&](size_t row, size_t count) {
                    format.RunTile(kernel.tiles[count - 1], row, count);
                  });
      format.FinishRows(first, end - first);
    }
    panel += kernel.panels;
  }
}

// A format whose tiles finish their sums.
struct FinishedTiles {
  static void FinishRows(size_t, size_t) {}
};

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_BLOCK_WALK_H_
