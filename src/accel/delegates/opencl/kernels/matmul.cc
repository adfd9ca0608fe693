#include "delegates/opencl/kernels/sources.h"

namespace munja::delegates::opencl {

const char kMatmulSource[] = R"CL(
// Four columns of one row. `pairs`: where the two matrices of each result begin.
KERNEL batch_matmul(int items, __global const T* x, __global const T* y,
                    __global const int* pairs, __global T* out, int m, int k,
                    int n, int x_row, int x_step, int y_step, int y_column) {
  int i = get_global_id(0);
  if (i >= items) return;
  const int blocks = (n + 3) / 4;
  const int column = coordinate(&i, blocks) * 4;
  const int row = i % m, batch = i / m;
  const int last = n - 1;
  int a = pairs[batch * 2] + row * x_row;
  const int b = pairs[batch * 2 + 1];
  int b0 = b + column * y_column, b1 = b + min(column + 1, last) * y_column;
  int b2 = b + min(column + 2, last) * y_column;
  int b3 = b + min(column + 3, last) * y_column;
  float4 sum = (float4)(0.0f);
  for (int j = 0; j < k; ++j) {
    const float v = LOAD(x, a);
    sum += v * (float4)(LOAD(y, b0), LOAD(y, b1), LOAD(y, b2), LOAD(y, b3));
    a += x_step;
    b0 += y_step;
    b1 += y_step;
    b2 += y_step;
    b3 += y_step;
  }
  store_up_to4(sum, out, (batch * m + row) * n + column, min(4, n - column));
}
)CL";

}  // namespace munja::delegates::opencl
