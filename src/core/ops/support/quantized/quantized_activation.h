// Activations on int8, uint8 and int16.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_

#include "kernels/elementwise/activation.h"
#include "ops/support/quantized/lookup_table.h"

namespace munja::ops {

// What the activation does to stored values. It refuses what the scheme does
// not have: types (int16 of other than the RELU family, LEAKY_RELU, LOGISTIC
// and TANH; more in int16_activation.h) and, for LOGISTIC and int16 TANH, other
// scales of the output than the one that it prescribes.
StoredFunctionMaker QuantizedActivation(const kernels::Activation& activation);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_
