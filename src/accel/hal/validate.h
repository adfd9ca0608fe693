// Validation of models and requests. Everything that crosses the drivers'
// interface is validated first, in either direction; later code may trust it.
// Messages name the place: "subgraph 1, operation 3 (CONV_2D): ...".
#ifndef MUNJA_HAL_VALIDATE_H_
#define MUNJA_HAL_VALIDATE_H_

#include <cstdint>

#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

// kInvalidArgument: not a valid model of this version (munja_nn_version).
// Operations and types of extensions and of OEMs are not checked, nor are
// values of operands.
Status ValidateModel(const Model& model, int32_t version = MUNJA_NN_1_3);

// A request to a validated model. outputs_known: all output dimensions must be
// known before the run, as fenced executions and HAL 1.0 and 1.1 want them.
Status ValidateRequest(const Model& model, const Request& request,
                       bool outputs_known = false);

// The dimensions of the model's operand and of a request's argument combined;
// the argument must be valid (ValidateRequest).
Dimensions Combined(const Operand& operand, const Argument& argument);

// The model can be told to a device of that version without loss.
bool CompliantWith(const Model& model, int32_t version);
inline bool CompliantWithV1_0(const Model& model) {
  return CompliantWith(model, MUNJA_NN_1_0);
}
inline bool CompliantWithV1_1(const Model& model) {
  return CompliantWith(model, MUNJA_NN_1_1);
}
inline bool CompliantWithV1_2(const Model& model) {
  return CompliantWith(model, MUNJA_NN_1_2);
}
inline bool CompliantWithV1_3(const Model& model) {
  return CompliantWith(model, MUNJA_NN_1_3);
}

// The oldest version that the (valid) model can be told to.
int32_t MinimumVersion(const Model& model);

}  // namespace munja::hal

#endif  // MUNJA_HAL_VALIDATE_H_
