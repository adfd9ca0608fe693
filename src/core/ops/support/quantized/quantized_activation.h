// Activations on int8, uint8 and int16.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_

#include "kernels/elementwise/activation.h"
#include "ops/support/quantized/lookup_table.h"

namespace munja::ops {

// Applies the activation to quantized values. It refuses what the scheme lacks:
// types (int16 for other than the RELU family, LEAKY_RELU, LOGISTIC and TANH;
// more in int16_activation.h) and, for LOGISTIC and int16 TANH, output scales
// other than the prescribed one.
StoredFunctionMaker QuantizedActivation(const kernels::Activation& activation);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_QUANTIZED_ACTIVATION_H_
