// The pointwise part of an LSTM: from the pre-activations of the gates to the
// new cell and the hidden vector, for one step of one sequence.
//
// The gates lie one after the other, `units` numbers each: input, forget,
// cell, output; without the input gate where it is coupled to the forget gate
// (CIFG: input = 1 - forget).
#ifndef MUNJA_KERNELS_RNN_LSTM_CELL_H_
#define MUNJA_KERNELS_RNN_LSTM_CELL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/elementwise/activation.h"
#include "kernels/quant/fixed_point.h"

namespace munja::kernels {

inline constexpr int kLstmGates = 4;
enum LstmGate { kInputGate, kForgetGate, kCellGate, kOutputGate };

struct LstmCell {
  size_t units = 0;
  bool is_coupled = false;
  // Applied to the cell gate and to the cell state that is output.
  Activation activation;
  float cell_clip = 0.0f;  // 0: none
  // `units` weights each, of the cell into the gate; null: none. That of the
  // cell gate is always null.
  const float* peephole[kLstmGates] = {};
  // Layer normalization: coefficients, and the biases added after them. Null:
  // none; the gates then have their biases.
  const float* norm[kLstmGates] = {};
  const float* bias[kLstmGates] = {};
};

// Overwrites the gates; reads and writes `cell`; writes `hidden`.
void UpdateCell(const LstmCell& lstm, float* gates, float* cell, float* hidden);

// The gates are in Q3.12, activated in Q0.15; the cell is int16 with the scale
// 2^cell_exponent, in [-15, -9]; the activation is tanh.
struct IntegerLstmCell {
  size_t units = 0;
  bool is_coupled = false;
  int cell_exponent = -11;
  int16_t cell_clip = 0;  // 0: none
  const int16_t* peephole[kLstmGates] = {};
  Multiplier peephole_scale[kLstmGates];
  const int16_t* norm[kLstmGates] = {};
  const int32_t* bias[kLstmGates] = {};
  Multiplier norm_scale[kLstmGates];
  int32_t least_variance[kLstmGates] = {};
  Multiplier hidden_scale;  // Scale of a product of two Q0.15 values.
  int32_t hidden_zero = 0;  // Added.
};

void UpdateCell(const IntegerLstmCell& lstm, int16_t* gates, int16_t* cell,
                int8_t* hidden);

namespace reference {
// By the formulas, in double precision.
void UpdateCell(const LstmCell& lstm, float* gates, float* cell, float* hidden);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_RNN_LSTM_CELL_H_
