#include "delegates/opencl/kernels/sources.h"

namespace munja::delegates::opencl {

const char kMoveSource[] = R"CL(
// Six dimensions, the innermost first, and how far both sides go in each.
KERNEL copy(int items, __global const T* x, __global T* y, int from, int to,
            int d0, int d1, int d2, int d3, int d4, int x0, int x1, int x2,
            int x3, int x4, int x5, int y0, int y1, int y2, int y3, int y4,
            int y5) {
  int i = get_global_id(0);
  if (i >= items) return;
  int k = i % d0;
  from += k * x0;
  to += k * y0;
  if (d0 != items) {
    i /= d0;
    k = coordinate(&i, d1);
    from += k * x1;
    to += k * y1;
    k = coordinate(&i, d2);
    from += k * x2;
    to += k * y2;
    k = coordinate(&i, d3);
    from += k * x3;
    to += k * y3;
    k = coordinate(&i, d4);
    from += k * x4 + i * x5;
    to += k * y4 + i * y5;
  }
  STORE(LOAD(x, from), y, to);
}

// Which row and column of the input each one of the output is.
KERNEL resize_nearest(int items, __global const T* x,
                      __global const int* table, __global T* y, int in_h,
                      int in_w, int out_h, int out_w, int depth) {
  const int item = get_global_id(0);
  if (item >= items) return;
  int i = item;
  const int c = coordinate(&i, depth);
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  const int row = batch * in_h + table[oy];
  STORE(LOAD(x, (row * in_w + table[out_h + ox]) * depth + c), y, item);
}

// Three numbers for each row of the output, then for each column: the first
// and the second of the input, the bits of the second's weight.
KERNEL resize_bilinear(int items, __global const T* x,
                       __global const int* table, __global T* y, int in_h,
                       int in_w, int out_h, int out_w, int depth) {
  const int item = get_global_id(0);
  if (item >= items) return;
  int i = item;
  const int c = coordinate(&i, depth);
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  __global const int* row = table + oy * 3;
  __global const int* column = table + (out_h + ox) * 3;
  const float down = as_float(row[2]), right = as_float(column[2]);
  const int upper = (batch * in_h + row[0]) * in_w;
  const int lower = (batch * in_h + row[1]) * in_w;
  const float a = LOAD(x, (upper + column[0]) * depth + c);
  const float b = LOAD(x, (upper + column[1]) * depth + c);
  const float d = LOAD(x, (lower + column[0]) * depth + c);
  const float e = LOAD(x, (lower + column[1]) * depth + c);
  const float top = a + (b - a) * right, bottom = d + (e - d) * right;
  STORE(top + (bottom - top) * down, y, item);
}
)CL";

}  // namespace munja::delegates::opencl
