// The activations that are a clamp, which kernels apply in registers.
#ifndef MUNJA_KERNELS_GEMM_GEMM_CLAMP_H_
#define MUNJA_KERNELS_GEMM_GEMM_CLAMP_H_

#include <limits>

#include "kernels/elementwise/activation.h"

namespace munja::kernels {

struct Clamp {
  // The activation is this clamp, or none at all. Otherwise it is still to be
  // applied.
  bool is_whole_activation = false;
  // False: neither bound does anything.
  bool is_active = false;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

inline Clamp ClampOf(ActivationKind kind) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case ActivationKind::kNone:
      return {true, false, -kInfinity, kInfinity};
    case ActivationKind::kRelu:
      return {true, true, 0.0f, kInfinity};
    case ActivationKind::kRelu6:
      return {true, true, 0.0f, 6.0f};
    case ActivationKind::kReluN1To1:
      return {true, true, -1.0f, 1.0f};
    case ActivationKind::kRelu0To1:
      return {true, true, 0.0f, 1.0f};
    default:
      return {};
  }
}

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_GEMM_CLAMP_H_
