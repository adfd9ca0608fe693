// Activations of int16 that have no arithmetic of integers: the function of
// floats of the dequantized values, quantized again.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_INT16_ACTIVATION_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_INT16_ACTIVATION_H_

#include <memory>

#include "kernels/elementwise/activation.h"
#include "ops/op.h"

namespace munja::ops {

// Whether the activation of int16 is computed in that way.
bool IsInt16ThroughReals(kernels::ActivationKind kind);

// One input and one output of int16, each with one scale. Gives the bits of
// DEQUANTIZE, the activation in float, and QUANTIZE.
std::unique_ptr<Kernel> MakeInt16Activation(
    const kernels::Activation& activation, bool reference_kernels);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_INT16_ACTIVATION_H_
