#include "delegates/opencl/kernels/sources.h"

namespace munja::delegates::opencl {

// Weights of conv and transpose_conv: [blocks of four output channels][kernel
// rows][kernel columns][input channels][4]; biases and the steps of weights of
// 8 bits are padded to whole blocks.
const char kConvolutionSource[] = R"CL(
#ifdef MUNJA_BYTES
#define W char
#define WEIGHTS __global const char* weights, __global const float* scales
#define WEIGHT(p, i) convert_float((p)[i])
#define WEIGHT4(p, i) convert_float4(vload4(0, (p) + (i)))
#define WHOLE(sum, o) ((sum) * scales[o] + LOAD(bias, o))
#define WHOLE4(sum, o) ((sum) * vload4(0, scales + (o)) + LOAD4(bias, o))
#else
#define W T
#define WEIGHTS __global const T* weights
#define WEIGHT LOAD
#define WEIGHT4 LOAD4
#define WHOLE(sum, o) ((sum) + LOAD(bias, o))
#define WHOLE4(sum, o) ((sum) + LOAD4(bias, o))
#endif

// Contribution of four input channels to four output channels. With fp16
// arithmetic these four products and their sum are fp16, all other sums float.
#ifdef MUNJA_HALF_MATH
#ifdef MUNJA_HALF_EMULATED
// As a device with such arithmetic rounds after each operation.
float4 rounded(float4 v) {
  ushort4 bits;
  vstore_half4_rte(v, 0, (half*)&bits);
  return vload_half4(0, (half*)&bits);
}
#define X4 float4
#define LOADX4 LOAD4
#define WEIGHTX4 WEIGHT4
#define TAP(acc, t)                                                       \
  acc += rounded(                                                         \
      rounded((t).w * w3) +                                               \
      rounded(rounded((t).z * w2) +                                       \
              rounded(rounded((t).y * w1) + rounded((t).x * w0))))
#else
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define X4 half4
#define LOADX4(p, i) vload4(0, (p) + (i))
#ifdef MUNJA_BYTES
#define WEIGHTX4(p, i) convert_half4(vload4(0, (p) + (i)))
#else
#define WEIGHTX4 LOADX4
#endif
#define TAP(acc, t) \
  acc += convert_float4((t).w * w3 + ((t).z * w2 + ((t).y * w1 + (t).x * w0)))
#endif
#else
#define X4 float4
#define LOADX4 LOAD4
#define WEIGHTX4 WEIGHT4
#define TAP(acc, t) \
  acc += (t).x * w0 + (t).y * w1 + (t).z * w2 + (t).w * w3
#endif

// Four output channels of four pixels in a row.
KERNEL conv(int items, __global const T* x, WEIGHTS,
            __global const T* bias, __global const T* residual, __global T* y,
            int in_h, int in_w, int in_c, int out_h, int out_w, int out_c,
            int kernel_h, int kernel_w, int stride_h, int stride_w,
            int dilation_h, int dilation_w, int pad_top, int pad_left,
            int has_residual, int kind, float alpha, float beta) {
  int i = get_global_id(0);
  if (i >= items) return;
  const int blocks = (out_c + 3) / 4, columns = (out_w + 3) / 4;
  const int o = coordinate(&i, blocks);
  const int ox = coordinate(&i, columns) * 4;
  const int oy = i % out_h, batch = i / out_h;
  float4 acc0 = (float4)(0.0f);
  float4 acc1 = acc0, acc2 = acc0, acc3 = acc0;
  for (int ky = 0; ky < kernel_h; ++ky) {
    const int iy = oy * stride_h - pad_top + ky * dilation_h;
    if (iy < 0 || iy >= in_h) continue;
    const int row = (batch * in_h + iy) * in_w;
    for (int kx = 0; kx < kernel_w; ++kx) {
      const int x0 = ox * stride_w - pad_left + kx * dilation_w;
      const int x1 = x0 + stride_w, x2 = x1 + stride_w, x3 = x2 + stride_w;
      const int in0 = x0 >= 0 && x0 < in_w, in1 = x1 >= 0 && x1 < in_w;
      const int in2 = x2 >= 0 && x2 < in_w, in3 = x3 >= 0 && x3 < in_w;
      __global const W* w =
          weights + ((o * kernel_h + ky) * kernel_w + kx) * in_c * 4;
      int c = 0;
      for (; c + 4 <= in_c; c += 4) {
        const X4 w0 = WEIGHTX4(w, c * 4), w1 = WEIGHTX4(w, c * 4 + 4);
        const X4 w2 = WEIGHTX4(w, c * 4 + 8), w3 = WEIGHTX4(w, c * 4 + 12);
        if (in0) { const X4 t = LOADX4(x, (row + x0) * in_c + c); TAP(acc0, t); }
        if (in1) { const X4 t = LOADX4(x, (row + x1) * in_c + c); TAP(acc1, t); }
        if (in2) { const X4 t = LOADX4(x, (row + x2) * in_c + c); TAP(acc2, t); }
        if (in3) { const X4 t = LOADX4(x, (row + x3) * in_c + c); TAP(acc3, t); }
      }
      for (; c < in_c; ++c) {
        const float4 w0 = WEIGHT4(w, c * 4);
        if (in0) acc0 += LOAD(x, (row + x0) * in_c + c) * w0;
        if (in1) acc1 += LOAD(x, (row + x1) * in_c + c) * w0;
        if (in2) acc2 += LOAD(x, (row + x2) * in_c + c) * w0;
        if (in3) acc3 += LOAD(x, (row + x3) * in_c + c) * w0;
      }
    }
  }
  const int channels = min(4, out_c - o * 4), pixels = min(4, out_w - ox);
  int at = ((batch * out_h + oy) * out_w + ox) * out_c + o * 4;
  for (int p = 0; p < pixels; ++p, at += out_c) {
    float4 v = p == 0 ? acc0 : p == 1 ? acc1 : p == 2 ? acc2 : acc3;
    v = WHOLE4(v, o * 4);
    if (has_residual) v += load_up_to4(residual, at, channels);
    store_up_to4(activate4(v, kind, alpha, beta), y, at, channels);
  }
}

// One output channel of one pixel; weights [output channels][kernel rows]
// [kernel columns][input channels of a group].
KERNEL grouped_conv(int items, __global const T* x, WEIGHTS,
                    __global const T* bias, __global const T* residual,
                    __global T* y, int in_h, int in_w, int in_c, int out_h,
                    int out_w, int out_c, int kernel_h, int kernel_w,
                    int stride_h, int stride_w, int dilation_h, int dilation_w,
                    int pad_top, int pad_left, int has_residual, int kind,
                    float alpha, float beta, int groups) {
  const int item = get_global_id(0);
  if (item >= items) return;
  int i = item;
  const int o = coordinate(&i, out_c);
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  const int depth = in_c / groups, first = o / (out_c / groups) * depth;
  float sum = 0.0f;
  for (int ky = 0; ky < kernel_h; ++ky) {
    const int iy = oy * stride_h - pad_top + ky * dilation_h;
    if (iy < 0 || iy >= in_h) continue;
    for (int kx = 0; kx < kernel_w; ++kx) {
      const int ix = ox * stride_w - pad_left + kx * dilation_w;
      if (ix < 0 || ix >= in_w) continue;
      const int from = ((batch * in_h + iy) * in_w + ix) * in_c + first;
      const int w = ((o * kernel_h + ky) * kernel_w + kx) * depth;
      for (int c = 0; c < depth; ++c)
        sum += LOAD(x, from + c) * WEIGHT(weights, w + c);
    }
  }
  sum = WHOLE(sum, o);
  if (has_residual) sum += LOAD(residual, item);
  STORE(activate(sum, kind, alpha, beta), y, item);
}

// Four channels of one pixel; weights [kernel rows][kernel columns][channels,
// padded to blocks of four].
KERNEL depthwise(int items, __global const T* x, WEIGHTS,
                 __global const T* bias, __global const T* residual,
                 __global T* y, int in_h, int in_w, int in_c, int out_h,
                 int out_w, int out_c, int kernel_h, int kernel_w, int stride_h,
                 int stride_w, int dilation_h, int dilation_w, int pad_top,
                 int pad_left, int has_residual, int kind, float alpha,
                 float beta) {
  int i = get_global_id(0);
  if (i >= items) return;
  const int blocks = (out_c + 3) / 4;
  const int c = coordinate(&i, blocks) * 4;
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  const int channels = min(4, out_c - c);
  float4 sum = (float4)(0.0f);
  for (int ky = 0; ky < kernel_h; ++ky) {
    const int iy = oy * stride_h - pad_top + ky * dilation_h;
    if (iy < 0 || iy >= in_h) continue;
    for (int kx = 0; kx < kernel_w; ++kx) {
      const int ix = ox * stride_w - pad_left + kx * dilation_w;
      if (ix < 0 || ix >= in_w) continue;
      const float4 w = WEIGHT4(weights, (ky * kernel_w + kx) * blocks * 4 + c);
      sum += w * load_up_to4(x, ((batch * in_h + iy) * in_w + ix) * in_c + c,
                             channels);
    }
  }
  const int at = ((batch * out_h + oy) * out_w + ox) * out_c + c;
  sum = WHOLE4(sum, c);
  if (has_residual) sum += load_up_to4(residual, at, channels);
  store_up_to4(activate4(sum, kind, alpha, beta), y, at, channels);
}

// Four output channels of one pixel, from the input pixels that reach it.
KERNEL transpose_conv(int items, __global const T* x,
                      WEIGHTS, __global const T* bias,
                      __global T* y, int in_h, int in_w, int in_c, int out_h,
                      int out_w, int out_c, int kernel_h, int kernel_w,
                      int stride_h, int stride_w, int pad_top, int pad_left,
                      int kind, float alpha, float beta) {
  int i = get_global_id(0);
  if (i >= items) return;
  const int blocks = (out_c + 3) / 4;
  const int o = coordinate(&i, blocks);
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  float4 sum = (float4)(0.0f);
  for (int ky = 0; ky < kernel_h; ++ky) {
    const int dy = oy + pad_top - ky, iy = dy / stride_h;
    if (dy < 0 || iy * stride_h != dy || iy >= in_h) continue;
    for (int kx = 0; kx < kernel_w; ++kx) {
      const int dx = ox + pad_left - kx, ix = dx / stride_w;
      if (dx < 0 || ix * stride_w != dx || ix >= in_w) continue;
      const int from = ((batch * in_h + iy) * in_w + ix) * in_c;
      const int w = ((o * kernel_h + ky) * kernel_w + kx) * in_c * 4;
      for (int c = 0; c < in_c; ++c)
        sum += LOAD(x, from + c) * WEIGHT4(weights, w + c * 4);
    }
  }
  store_up_to4(activate4(WHOLE4(sum, o * 4), kind, alpha, beta), y,
               ((batch * out_h + oy) * out_w + ox) * out_c + o * 4,
               min(4, out_c - o * 4));
}

// One channel of one pixel.
KERNEL pool(int items, __global const T* x, __global T* y, int in_h, int in_w,
            int depth, int out_h, int out_w, int kernel_h, int kernel_w,
            int stride_h, int stride_w, int pad_top, int pad_left, int is_max,
            int kind, float alpha, float beta) {
  const int item = get_global_id(0);
  if (item >= items) return;
  int i = item;
  const int c = coordinate(&i, depth);
  const int ox = coordinate(&i, out_w);
  const int oy = i % out_h, batch = i / out_h;
  const int top = oy * stride_h - pad_top, left = ox * stride_w - pad_left;
  const int y1 = min(in_h, top + kernel_h), x1 = min(in_w, left + kernel_w);
  float result = is_max ? -INFINITY : 0.0f;
  int count = 0;
  for (int iy = max(0, top); iy < y1; ++iy) {
    for (int ix = max(0, left); ix < x1; ++ix) {
      const float v = LOAD(x, ((batch * in_h + iy) * in_w + ix) * depth + c);
      if (!is_max) {
        result += v;
      } else if (!(v <= result)) {
        result = v;
      }
      ++count;
    }
  }
  if (!is_max) result /= (float)count;
  STORE(activate(result, kind, alpha, beta), y, item);
}
)CL";

}  // namespace munja::delegates::opencl
