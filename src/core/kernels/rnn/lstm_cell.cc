#include "kernels/rnn/lstm_cell.h"

#include <algorithm>
#include <cmath>

#include "kernels/quant/fixed_point_functions.h"
#include "kernels/quant/fixed_point_math.h"

namespace munja::kernels {
namespace {

constexpr Activation kSigmoid{ActivationKind::kSigmoid};
constexpr double kVarianceFloor = 1e-8;

// Where a gate lies, or null for the input gate that is not there.
template <class T>
T* GateAt(T* gates, size_t units, bool is_coupled, int gate) {
  if (!is_coupled) return gates + static_cast<size_t>(gate) * units;
  return gate == kInputGate ? nullptr
                            : gates + static_cast<size_t>(gate - 1) * units;
}

void Normalize(const float* norm, const float* bias, size_t units, float* x) {
  double sum = 0.0;
  for (size_t u = 0; u < units; ++u) sum += x[u];
  const auto mean = static_cast<float>(sum / static_cast<double>(units));
  double squares = 0.0;
  for (size_t u = 0; u < units; ++u) {
    const float d = x[u] - mean;
    squares += static_cast<double>(d) * d;
  }
  const auto inverse = static_cast<float>(
      1.0 / std::sqrt(squares / static_cast<double>(units) + kVarianceFloor));
  for (size_t u = 0; u < units; ++u)
    x[u] = (x[u] - mean) * inverse * norm[u] + bias[u];
}

// Sums of 10 fractional bits more than the numbers have.
void Normalize(const int16_t* norm, const int32_t* bias, Multiplier scale,
               int32_t least_variance, size_t units, int16_t* x) {
  constexpr int64_t kTwoTo20 = 1 << 20;
  const auto count = static_cast<int64_t>(units);
  int64_t sum = 0, squares = 0;
  for (size_t u = 0; u < units; ++u) {
    sum += x[u];
    squares += int64_t{x[u]} * x[u];
  }
  const auto mean = static_cast<int32_t>(sum * 1024 / count);
  const int64_t variance = squares * (kTwoTo20 / count) - int64_t{mean} * mean;
  auto whole = static_cast<int32_t>(variance / kTwoTo20);
  if (whole < 1) whole = least_variance;
  const Multiplier inverse = InverseSquareRoot(whole);
  const Multiplier to_gate{scale.mantissa, std::min(scale.exponent + 12, 30)};
  for (size_t u = 0; u < units; ++u) {
    const int32_t rescaled = Multiply(1024 * int32_t{x[u]} - mean, inverse);
    const int64_t sum_of_unit = int64_t{rescaled} * norm[u] + bias[u];
    const auto rounded = static_cast<int32_t>(
        (sum_of_unit > 0 ? sum_of_unit + 512 : sum_of_unit - 512) / 1024);
    x[u] = SaturateToInt16(Multiply(rounded, to_gate));
  }
}

void AddPeephole(const int16_t* weights, const int16_t* cell, Multiplier scale,
                 size_t units, int16_t* gate) {
  for (size_t u = 0; u < units; ++u) {
    gate[u] = SaturateToInt16(
        int64_t{Multiply(int32_t{weights[u]} * cell[u], scale)} + gate[u]);
  }
}

}  // namespace

void UpdateCell(const LstmCell& lstm, float* gates, float* cell,
                float* hidden) {
  const size_t units = lstm.units;
  const auto prepare = [&](int g) {
    float* gate = GateAt(gates, units, lstm.is_coupled, g);
    if (gate == nullptr) return gate;
    if (const float* weights = lstm.peephole[g]; weights != nullptr)
      for (size_t u = 0; u < units; ++u) gate[u] += weights[u] * cell[u];
    if (lstm.norm[g] != nullptr)
      Normalize(lstm.norm[g], lstm.bias[g], units, gate);
    return gate;
  };
  const float* input = prepare(kInputGate);
  float* forget = prepare(kForgetGate);
  float* candidate = prepare(kCellGate);
  // The input gate lies before the forget gate.
  Activate(kSigmoid, gates, lstm.is_coupled ? units : 2 * units, gates);
  Activate(lstm.activation, candidate, units, candidate);
  if (input == nullptr) {
    for (size_t u = 0; u < units; ++u)
      cell[u] = forget[u] * cell[u] + (1.0f - forget[u]) * candidate[u];
  } else {
    for (size_t u = 0; u < units; ++u)
      cell[u] = forget[u] * cell[u] + input[u] * candidate[u];
  }
  if (lstm.cell_clip > 0.0f) {
    for (size_t u = 0; u < units; ++u)
      cell[u] = std::clamp(cell[u], -lstm.cell_clip, lstm.cell_clip);
  }
  float* output = prepare(kOutputGate);
  Activate(kSigmoid, output, units, output);
  Activate(lstm.activation, cell, units, hidden);
  for (size_t u = 0; u < units; ++u) hidden[u] *= output[u];
}

void UpdateCell(const IntegerLstmCell& lstm, int16_t* gates, int16_t* cell,
                int8_t* hidden) {
  const size_t units = lstm.units;
  const auto activate = [&](int g) {
    int16_t* gate = GateAt(gates, units, lstm.is_coupled, g);
    if (gate == nullptr) return gate;
    if (lstm.peephole[g] != nullptr)
      AddPeephole(lstm.peephole[g], cell, lstm.peephole_scale[g], units, gate);
    if (lstm.norm[g] != nullptr) {
      Normalize(lstm.norm[g], lstm.bias[g], lstm.norm_scale[g],
                lstm.least_variance[g], units, gate);
    }
    for (size_t u = 0; u < units; ++u) {
      gate[u] =
          g == kCellGate ? FixedTanh(gate[u], 3) : FixedSigmoid(gate[u], 3);
    }
    return gate;
  };
  const int16_t* input = activate(kInputGate);
  const int16_t* forget = activate(kForgetGate);
  const int16_t* candidate = activate(kCellGate);
  const int product_shift = 30 + lstm.cell_exponent;
  for (size_t u = 0; u < units; ++u) {
    const int32_t in = input != nullptr ? input[u] : 32767 - forget[u];
    const int32_t kept =
        RoundingDivideByPowerOfTwo(int32_t{forget[u]} * cell[u], 15);
    const int32_t added =
        RoundingDivideByPowerOfTwo(in * candidate[u], product_shift);
    // Each product is stored as int16 before the sum saturates.
    int16_t sum = SaturateToInt16(static_cast<int16_t>(kept) +
                                  static_cast<int16_t>(added));
    if (lstm.cell_clip > 0) {
      sum = std::clamp<int16_t>(sum, static_cast<int16_t>(-lstm.cell_clip),
                                lstm.cell_clip);
    }
    cell[u] = sum;
  }
  const int16_t* output = activate(kOutputGate);
  for (size_t u = 0; u < units; ++u) {
    const int32_t product =
        int32_t{output[u]} * FixedTanh(cell[u], 15 + lstm.cell_exponent);
    const int64_t stored =
        int64_t{Multiply(product, lstm.hidden_scale)} + lstm.hidden_zero;
    hidden[u] = static_cast<int8_t>(std::clamp<int64_t>(stored, -128, 127));
  }
}

namespace reference {

void UpdateCell(const LstmCell& lstm, float* gates, float* cell,
                float* hidden) {
  const size_t units = lstm.units;
  const auto prepare = [&](int g) {
    float* gate = GateAt(gates, units, lstm.is_coupled, g);
    if (gate == nullptr) return;
    for (size_t u = 0; lstm.peephole[g] != nullptr && u < units; ++u) {
      gate[u] = static_cast<float>(gate[u] + static_cast<double>(cell[u]) *
                                                 lstm.peephole[g][u]);
    }
    if (lstm.norm[g] != nullptr)
      Normalize(lstm.norm[g], lstm.bias[g], units, gate);
  };
  const auto gate = [&](int g, size_t u) {
    return GateAt(gates, units, lstm.is_coupled, g)[u];
  };
  prepare(kInputGate);
  prepare(kForgetGate);
  prepare(kCellGate);
  for (size_t u = 0; u < units; ++u) {
    const double forget = Activate(kSigmoid, gate(kForgetGate, u));
    const double input = lstm.is_coupled
                             ? 1.0 - forget
                             : Activate(kSigmoid, gate(kInputGate, u));
    cell[u] = static_cast<float>(
        forget * cell[u] +
        input * Activate(lstm.activation, gate(kCellGate, u)));
    if (lstm.cell_clip > 0.0f)
      cell[u] = std::clamp(cell[u], -lstm.cell_clip, lstm.cell_clip);
  }
  prepare(kOutputGate);
  for (size_t u = 0; u < units; ++u) {
    hidden[u] = static_cast<float>(
        static_cast<double>(Activate(kSigmoid, gate(kOutputGate, u))) *
        Activate(lstm.activation, cell[u]));
  }
}

}  // namespace reference
}  // namespace munja::kernels
