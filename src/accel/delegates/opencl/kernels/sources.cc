#include "delegates/opencl/kernels/sources.h"

#include <cstddef>

#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/unary.h"

namespace munja::delegates::opencl {
namespace {

// relaxed maths promises nothing about NaN and infinity, so no program asks for
// it; comparisons, unlike fmin and fmax, keep a NaN.
constexpr char kCommon[] = R"CL(
#ifndef MUNJA_GROUP
#define MUNJA_GROUP 64
#endif
#define KERNEL \
  __kernel __attribute__((reqd_work_group_size(MUNJA_GROUP, 1, 1))) void
#ifdef MUNJA_HALF
#define T half
#define LOAD(p, i) vload_half((i), (p))
#define LOAD4(p, i) vload_half4(0, (p) + (i))
#define STORE(v, p, i) vstore_half_rte((v), (i), (p))
#define STORE4(v, p, i) vstore_half4_rte((v), 0, (p) + (i))
#else
#define T float
#define LOAD(p, i) ((p)[i])
#define LOAD4(p, i) vload4(0, (p) + (i))
#define STORE(v, p, i) ((p)[i] = (v))
#define STORE4(v, p, i) vstore4((v), 0, (p) + (i))
#endif

// Where i is in the innermost dimension; it counts the others from then on.
int coordinate(int* i, int size) {
  const int k = *i % size;
  *i /= size;
  return k;
}

float bounded(float x, float low, float high) {
  return x < low ? low : (x > high ? high : x);
}

float activate(float x, int kind, float a, float b) {
  switch (kind) {
    case ACT_NONE: return x;
    case ACT_RELU: return x < 0.0f ? 0.0f : x;
    case ACT_RELU6: return bounded(x, 0.0f, 6.0f);
    case ACT_RELU_N1_TO_1: return bounded(x, -1.0f, 1.0f);
    case ACT_RELU_0_TO_1: return bounded(x, 0.0f, 1.0f);
    case ACT_TANH: return tanh(x);
    case ACT_LOGISTIC: return 1.0f / (1.0f + exp(-x));
    case ACT_HARD_SIGMOID: return bounded(a * x + b, 0.0f, 1.0f);
    case ACT_HARD_SWISH: return x * (bounded(x + 3.0f, 0.0f, 6.0f) / 6.0f);
    case ACT_GELU: return 0.5f * x * (1.0f + erf(x * 0.70710678f));
    case ACT_GELU_TANH:
      return 0.5f * x *
             (1.0f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
    case ACT_LEAKY_RELU: return x < 0.0f ? a * x : x;
    case ACT_ELU: return x < 0.0f ? expm1(x) : x;
  }
  return x;
}

float4 activate4(float4 v, int kind, float a, float b) {
  return kind == ACT_NONE ? v
                          : (float4)(activate(v.x, kind, a, b),
                                     activate(v.y, kind, a, b),
                                     activate(v.z, kind, a, b),
                                     activate(v.w, kind, a, b));
}

// The first `count` (1 to 3) of four; the others are 0.
float4 load_part(__global const T* p, int i, int count) {
  float4 v = (float4)(0.0f);
  v.x = LOAD(p, i);
  if (count > 1) v.y = LOAD(p, i + 1);
  if (count > 2) v.z = LOAD(p, i + 2);
  return v;
}

void store_part(float4 v, __global T* p, int i, int count) {
  STORE(v.x, p, i);
  if (count > 1) STORE(v.y, p, i + 1);
  if (count > 2) STORE(v.z, p, i + 2);
}

float4 load_up_to4(__global const T* p, int i, int count) {
  return count >= 4 ? LOAD4(p, i) : load_part(p, i, count);
}

void store_up_to4(float4 v, __global T* p, int i, int count) {
  if (count >= 4) {
    STORE4(v, p, i);
  } else {
    store_part(v, p, i, count);
  }
}
)CL";

}  // namespace

std::string Preamble() {
  std::string text;
  const auto& activations = kernels::ActivationRows();
  for (size_t i = 0; i < activations.size(); ++i)
    text += "#define ACT_" + std::string(activations[i].name) + " " +
            std::to_string(i) + "\n";
  for (const kernels::UnaryRow& row : kernels::kUnaryRows)
    text += "#define UNARY_" + std::string(row.name) + " " +
            std::to_string(static_cast<int>(row.kind)) + "\n";
  return text + kCommon;
}

const char* SourceOf(Family family) {
  switch (family) {
    case Family::kConvolution:
      return kConvolutionSource;
    case Family::kElementwise:
      return kElementwiseSource;
    case Family::kMove:
      return kMoveSource;
    case Family::kReduce:
      return kReduceSource;
    case Family::kMatmul:
      break;
  }
  return kMatmulSource;
}

}  // namespace munja::delegates::opencl
