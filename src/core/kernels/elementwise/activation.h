// Activations that other kernels apply to their results before storing them.
#ifndef MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_H_
#define MUNJA_KERNELS_ELEMENTWISE_ACTIVATION_H_

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace munja::kernels {

enum class ActivationKind {
#define ACTIVATION(kind, name, rule, low, high) kind,
#include "tensor/activations.def"
#undef ACTIVATION
};

// One row of activations.def.
struct ActivationRow {
  enum Rule { kClamp, kFormula };
  std::string_view name;
  Rule rule;
  float low, high;
};

namespace internal {
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr ActivationRow kActivationRows[] = {
#define ACTIVATION(kind, name, rule, low, high) \
  {name, ActivationRow::rule, low, high},
#include "tensor/activations.def"
#undef ACTIVATION
};
}  // namespace internal

// In the order of ActivationKind.
inline constexpr std::span<const ActivationRow> ActivationRows() {
  return internal::kActivationRows;
}

// The activations that are a clamp, which kernels apply in registers.
struct ClampBounds {
  // The activation is this clamp, or none at all. Otherwise it is still to be
  // applied.
  bool is_whole_activation = false;
  // False: neither bound does anything.
  bool is_active = false;
  float low = -internal::kInfinity, high = internal::kInfinity;

  constexpr bool has_low() const { return low > -internal::kInfinity; }
  constexpr bool has_high() const { return high < internal::kInfinity; }
};

constexpr ClampBounds ClampOf(ActivationKind kind) {
  const ActivationRow& row =
      internal::kActivationRows[static_cast<size_t>(kind)];
  if (row.rule != ActivationRow::kClamp) return {};
  return {true, kind != ActivationKind::kNone, row.low, row.high};
}

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
