// Activations that other kernels apply to their results before storing them.
#ifndef MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_H_
#define MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_H_

#include <cstddef>

namespace munja::kernels {

enum class ActivationKind {
  kNone,
  kRelu,
  kRelu6,
  kReluN1To1,  // clamp(x, -1, 1)
  kRelu0To1,   // clamp(x, 0, 1)
  kTanh,
  kSigmoid,
  kHardSigmoid,  // clamp(alpha * x + beta, 0, 1)
  kHardSwish,    // x * clamp(x + 3, 0, 6) / 6
  kGelu,         // x * (1 + erf(x / sqrt(2))) / 2
  kGeluTanh,     // the tanh approximation of GELU
  kLeakyRelu,    // x < 0 ? alpha * x : x
  kElu,          // x < 0 ? exp(x) - 1 : x
};

struct Activation {
  ActivationKind kind = ActivationKind::kNone;
  float alpha = 0.0f, beta = 0.0f;
};

// out[i] = activation(in[i]). `in` and `out` may be the same.
void Activate(const Activation& activation, const float* in, size_t count,
              float* out);

namespace reference {
// In double precision, rounded once.
float Activate(const Activation& activation, float x);
void Activate(const Activation& activation, const float* in, size_t count,
              float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_H_
