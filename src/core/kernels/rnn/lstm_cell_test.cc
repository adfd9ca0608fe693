#include "kernels/rnn/lstm_cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace munja::kernels {
namespace {

constexpr size_t kUnits = 19;

std::vector<float> Numbers(size_t count, double step) {
  std::vector<float> x;
  for (size_t i = 0; i < count; ++i)
    x.push_back(static_cast<float>(std::sin(step * (1.0 + i))));
  return x;
}

TEST(LstmCell, RandomCells_MatchReference) {
  const auto weights = Numbers(kUnits, 0.7), norm = Numbers(kUnits, 0.9);
  const auto bias = Numbers(kUnits, 1.1);
  for (int bits = 0; bits < 16; ++bits) {
    LstmCell lstm;
    lstm.units = kUnits;
    lstm.is_coupled = bits & 1;
    lstm.activation.kind = ActivationKind::kTanh;
    for (int g = lstm.is_coupled ? 1 : 0; g < kLstmGates; ++g) {
      if (bits & 2 && g != kCellGate) lstm.peephole[g] = weights.data();
      if (bits & 4) {
        lstm.norm[g] = norm.data();
        lstm.bias[g] = bias.data();
      }
    }
    if (bits & 8) lstm.cell_clip = 0.3f;
    std::vector<float> gates[2] = {Numbers(4 * kUnits, 0.31)};
    std::vector<float> cell[2] = {Numbers(kUnits, 0.5)};
    std::vector<float> hidden[2];
    gates[1] = gates[0];
    cell[1] = cell[0];
    for (auto& h : hidden) h.resize(kUnits);
    UpdateCell(lstm, gates[0].data(), cell[0].data(), hidden[0].data());
    reference::UpdateCell(lstm, gates[1].data(), cell[1].data(),
                          hidden[1].data());
    for (size_t u = 0; u < kUnits; ++u) {
      ASSERT_NEAR(cell[0][u], cell[1][u], 2e-6) << bits << " at " << u;
      ASSERT_NEAR(hidden[0][u], hidden[1][u], 2e-6) << bits << " at " << u;
    }
  }
}

// Compares the integer cell with the float one on the same values.
TEST(LstmCell, IntegerCell_FollowsTheFloatOne) {
  for (int bits = 0; bits < 8; ++bits) {
    LstmCell real;
    real.units = kUnits;
    real.is_coupled = bits & 1;
    real.activation.kind = ActivationKind::kTanh;
    IntegerLstmCell lstm;
    lstm.units = kUnits;
    lstm.is_coupled = real.is_coupled;
    lstm.cell_exponent = -11;
    lstm.hidden_scale = QuantizeMultiplier(std::ldexp(128.0, -30));
    std::vector<int16_t> weights, norm;
    std::vector<int32_t> bias;
    std::vector<float> real_weights, real_norm, real_bias;
    for (size_t u = 0; u < kUnits; ++u) {
      weights.push_back(static_cast<int16_t>(1000.0 * std::sin(0.7 * u)));
      real_weights.push_back(weights.back() / 4096.0f);
      norm.push_back(static_cast<int16_t>(500 + 30 * u));
      real_norm.push_back(norm.back() / 1024.0f);
      // With 10 bits more than the normalization.
      bias.push_back(static_cast<int32_t>(200000.0 * std::sin(1.0 * u)));
      real_bias.push_back(static_cast<float>(bias.back()) / (1 << 20));
    }
    for (int g = real.is_coupled ? 1 : 0; g < kLstmGates; ++g) {
      if (bits & 2 && g != kCellGate) {
        real.peephole[g] = real_weights.data();
        lstm.peephole[g] = weights.data();
        // 2^-11 * 2^-12 / 2^-12
        lstm.peephole_scale[g] = QuantizeMultiplier(std::ldexp(1.0, -11));
      }
      if (bits & 4) {
        real.norm[g] = real_norm.data();
        real.bias[g] = real_bias.data();
        lstm.norm[g] = norm.data();
        lstm.bias[g] = bias.data();
        lstm.norm_scale[g] = QuantizeMultiplier(std::ldexp(1.0, -10));
        lstm.least_variance[g] = 9;
      }
    }
    std::vector<int16_t> gates, cell;
    std::vector<float> real_gates, real_cell, real_hidden(kUnits);
    for (size_t i = 0; i < 4 * kUnits; ++i) {
      gates.push_back(static_cast<int16_t>(9000.0 * std::sin(0.37 * i + 0.2)));
      real_gates.push_back(gates.back() / 4096.0f);
    }
    for (size_t u = 0; u < kUnits; ++u) {
      cell.push_back(static_cast<int16_t>(3000.0 * std::cos(0.4 * u)));
      real_cell.push_back(cell.back() / 2048.0f);
    }
    std::vector<int8_t> hidden(kUnits);
    UpdateCell(lstm, gates.data(), cell.data(), hidden.data());
    UpdateCell(real, real_gates.data(), real_cell.data(), real_hidden.data());
    for (size_t u = 0; u < kUnits; ++u) {
      ASSERT_NEAR(cell[u], real_cell[u] * 2048.0f, 6) << bits << " at " << u;
      ASSERT_NEAR(hidden[u], real_hidden[u] * 128.0f, 1) << bits << " at " << u;
    }
  }
}

TEST(LstmCell, IntegerCell_IsClippedAndSaturates) {
  IntegerLstmCell lstm;
  lstm.units = 1;
  lstm.hidden_scale = QuantizeMultiplier(std::ldexp(128.0, -30));
  std::vector<int16_t> gates = {32767, 32767, 32767, 32767};
  int16_t cell = 32700;
  int8_t hidden = 0;
  UpdateCell(lstm, gates.data(), &cell, &hidden);
  EXPECT_EQ(cell, 32767);
  EXPECT_EQ(hidden, 127);
  gates = {32767, 32767, 32767, 32767};
  lstm.cell_clip = 1000;
  UpdateCell(lstm, gates.data(), &cell, &hidden);
  EXPECT_EQ(cell, 1000);
}

}  // namespace
}  // namespace munja::kernels
