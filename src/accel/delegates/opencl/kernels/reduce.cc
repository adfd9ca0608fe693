#include "delegates/opencl/kernels/sources.h"

namespace munja::delegates::opencl {

const char kReduceSource[] = R"CL(
#define SUM 0
#define PRODUCT 1
#define MAXIMUM 2
#define MINIMUM 3

float joined(float a, float b, int what) {
  switch (what) {
    case SUM: return a + b;
    case PRODUCT: return a * b;
    case MAXIMUM: return a >= b || a != a ? a : b;
  }
  return a <= b || a != a ? a : b;
}

// All of the group get what the 64 numbers are together.
float over_group(float v, int what, __local float* parts) {
  const int lane = get_local_id(0);
  parts[lane] = v;
  for (int half_of = 32; half_of > 0; half_of /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < half_of)
      parts[lane] = joined(parts[lane], parts[lane + half_of], what);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float all = parts[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

// Result g lies at the input's element g0 * k0 + g1 * k1 + g2 * k2, where
// g = (g2 * n1 + g1) * n0 + g0, and `count` others likewise.
KERNEL group_reduce(__global const T* x, __global T* y, int what, float scale,
                    int n0, int n1, int k0, int k1, int k2, int count, int m0,
                    int m1, int r0, int r1, int r2) {
  __local float parts[64];
  const int g = get_group_id(0);
  const int from = g % n0 * k0 + g / n0 % n1 * k1 + g / n0 / n1 * k2;
  float v = what == SUM ? 0.0f
            : what == PRODUCT ? 1.0f
            : what == MAXIMUM ? -INFINITY : INFINITY;
  for (int i = get_local_id(0); i < count; i += 64)
    v = joined(v, LOAD(x, from + i % m0 * r0 + i / m0 % m1 * r1 +
                              i / m0 / m1 * r2), what);
  v = over_group(v, what, parts);
  if (get_local_id(0) == 0) STORE(v * scale, y, g);
}

// A row of the last dimension.
KERNEL group_softmax(__global const T* x, __global T* y, int depth, float beta,
                     int is_log) {
  __local float parts[64];
  const int from = get_group_id(0) * depth, lane = get_local_id(0);
  float largest = -INFINITY;
  for (int i = lane; i < depth; i += 64)
    largest = joined(largest, LOAD(x, from + i), MAXIMUM);
  largest = over_group(largest, MAXIMUM, parts);
  float sum = 0.0f;
  for (int i = lane; i < depth; i += 64)
    sum += exp((LOAD(x, from + i) - largest) * beta);
  sum = over_group(sum, SUM, parts);
  const float log_sum = log(sum);
  for (int i = lane; i < depth; i += 64) {
    const float v = (LOAD(x, from + i) - largest) * beta;
    STORE(is_log ? v - log_sum : exp(v) / sum, y, from + i);
  }
}

// A row of the last dimension, divided by its length.
KERNEL group_l2_normalize(__global const T* x, __global T* y, int depth) {
  __local float parts[64];
  const int from = get_group_id(0) * depth, lane = get_local_id(0);
  float sum = 0.0f;
  for (int i = lane; i < depth; i += 64) {
    const float v = LOAD(x, from + i);
    sum += v * v;
  }
  sum = over_group(sum, SUM, parts);
  const float length = sqrt(sum);
  const float by = length < 1e-6f ? 1e-6f : length;
  for (int i = lane; i < depth; i += 64) STORE(LOAD(x, from + i) / by, y, from + i);
}
)CL";

}  // namespace munja::delegates::opencl
