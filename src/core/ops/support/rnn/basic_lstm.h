// The LSTM of kernel_type BASIC: five inputs, four outputs, no variables.
#ifndef MUNJA_OPS_SUPPORT_RNN_BASIC_LSTM_H_
#define MUNJA_OPS_SUPPORT_RNN_BASIC_LSTM_H_

#include <memory>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

// Inputs: data [batch, inputs], the activation before [batch, units], weights
// [4 * units, inputs + units] of the gates input, cell, forget, output, biases
// [4 * units], the state before [batch, units]. Outputs: activation and state,
// the concatenation of both inputs, the gates. Float, or uint8 with a state of
// int16 in Q4.11.
Result<std::unique_ptr<Kernel>> MakeBasicLstm(const NodeInfo& info);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_RNN_BASIC_LSTM_H_
