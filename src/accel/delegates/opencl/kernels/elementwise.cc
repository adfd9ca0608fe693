#include "delegates/opencl/kernels/sources.h"

namespace munja::delegates::opencl {

const char kElementwiseSource[] = R"CL(
KERNEL activation(int items, __global const T* x, __global T* y, int kind,
                  float alpha, float beta) {
  const int i = get_global_id(0);
  if (i >= items) return;
  STORE(activate(LOAD(x, i), kind, alpha, beta), y, i);
}

KERNEL unary(int items, __global const T* x, __global T* y, int kind) {
  const int i = get_global_id(0);
  if (i >= items) return;
  const float v = LOAD(x, i);
  float r = v;
  switch (kind) {
    case UNARY_ABS: r = fabs(v); break;
    case UNARY_NEG: r = -v; break;
    case UNARY_SQUARE: r = v * v; break;
    case UNARY_SQRT: r = sqrt(v); break;
    case UNARY_RSQRT: r = 1.0f / sqrt(v); break;
    case UNARY_EXP: r = exp(v); break;
    case UNARY_LOG: r = log(v); break;
    case UNARY_SIN: r = sin(v); break;
    case UNARY_COS: r = cos(v); break;
    case UNARY_FLOOR: r = floor(v); break;
    case UNARY_CEIL: r = ceil(v); break;
    case UNARY_ROUND: r = rint(v); break;
    case UNARY_SIGN: r = v > 0.0f ? 1.0f : (v < 0.0f ? -1.0f : v); break;
  }
  STORE(r, y, i);
}

// Five dimensions, the innermost first, and how far the operands go in each: 0
// where they are repeated.
KERNEL binary(int items, __global const T* a, __global const T* b,
              __global T* y, int what, int kind, float alpha, float beta,
              int d0, int d1, int d2, int d3, int a0, int a1, int a2, int a3,
              int a4, int b0, int b1, int b2, int b3, int b4) {
  const int item = get_global_id(0);
  if (item >= items) return;
  int i = item, k = i % d0, from_a = k * a0, from_b = k * b0;
  if (d0 != items) {
    i /= d0;
    k = coordinate(&i, d1);
    from_a += k * a1;
    from_b += k * b1;
    k = coordinate(&i, d2);
    from_a += k * a2;
    from_b += k * b2;
    k = coordinate(&i, d3);
    from_a += k * a3 + i * a4;
    from_b += k * b3 + i * b4;
  }
  const float p = LOAD(a, from_a), q = LOAD(b, from_b);
  float r = p;
  switch (what) {
    case 0: r = p + q; break;
    case 1: r = p - q; break;
    case 2: r = p * q; break;
    case 3: r = p / q; break;
    case 4: r = p < q ? p : q; break;
    case 5: r = p > q ? p : q; break;
    case 6: r = (p - q) * (p - q); break;
    case 7: r = p < 0.0f ? p * q : p; break;
  }
  STORE(activate(r, kind, alpha, beta), y, item);
}
)CL";

}  // namespace munja::delegates::opencl
