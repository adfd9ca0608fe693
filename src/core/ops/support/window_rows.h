// Windows over some rows of an image: for RowKernels.
#ifndef MUNJA_OPS_SUPPORT_WINDOW_ROWS_H_
#define MUNJA_OPS_SUPPORT_WINDOW_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "kernels/conv/conv_2d.h"
#include "kernels/spatial/pool.h"
#include "ops/support/row_kernel.h"

namespace munja::ops {

// Input rows under the windows of output rows `rows`; `reach` is what a window
// covers, gaps of dilation included.
inline RowRange RowsUnder(RowRange rows, int32_t stride, int32_t pad_top,
                          int64_t reach, int32_t in_h) {
  const int64_t first = int64_t{rows.begin} * stride - pad_top;
  const int64_t end = int64_t{rows.end - 1} * stride - pad_top + reach;
  RowRange under;
  under.begin = static_cast<int32_t>(std::clamp<int64_t>(first, 0, in_h));
  under.end = static_cast<int32_t>(std::clamp<int64_t>(end, under.begin, in_h));
  return under;
}

inline RowRange RowsUnder(const kernels::Conv2dShape& s, RowRange rows) {
  return RowsUnder(rows, s.stride_h, s.pad_top,
                   int64_t{s.kernel_h - 1} * s.dilation_h + 1, s.in_h);
}

inline RowRange RowsUnder(const kernels::PoolShape& s, RowRange rows) {
  return RowsUnder(rows, s.stride_h, s.pad_top, s.kernel_h, s.in_h);
}

// The shape (of a convolution or pooling) that makes only these rows, of an
// input that begins and ends with RowsUnder(shape, rows).
template <class S>
S ShapeOfRows(S shape, RowRange rows) {
  const RowRange under = RowsUnder(shape, rows);
  shape.pad_top = static_cast<int32_t>(shape.pad_top + under.begin -
                                       int64_t{rows.begin} * shape.stride_h);
  shape.in_h = under.size();
  shape.out_h = rows.size();
  return shape;
}

// The same for transposed convolutions: an input row is spread over stride_h
// output rows, which come from no other and of which none is cut off.
inline bool SpreadsWholeRows(const kernels::Conv2dShape& s) {
  return s.kernel_h == s.stride_h && s.pad_top == 0 &&
         int64_t{s.in_h} * s.stride_h == s.out_h;
}
inline RowRange RowsSpread(const kernels::Conv2dShape& s, RowRange rows) {
  return {rows.begin / s.stride_h, (rows.end - 1) / s.stride_h + 1};
}
inline kernels::Conv2dShape ShapeOfSpreadRows(kernels::Conv2dShape s,
                                              RowRange rows) {
  s.in_h = RowsSpread(s, rows).size();
  s.out_h = rows.size();
  return s;
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_WINDOW_ROWS_H_
