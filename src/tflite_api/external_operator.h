// Operators written against the TensorFlow Lite C API, for our resolver.
#ifndef MUNJA_TFLITE_API_EXTERNAL_OPERATOR_H_
#define MUNJA_TFLITE_API_EXTERNAL_OPERATOR_H_

#include <memory>

#include "runtime/resolver.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/shared_state.h"

namespace munja::compat {

// The registration is copied; what it points at (functions, names, a
// TfLiteOperator) must outlive every session that uses the operator. All
// versions are taken: narrow that in the result.
//
// Each node of a session calls init once, prepare whenever it gets other
// shapes than last time, invoke at each run, and free once. Custom operators
// get the bytes of their options; those that take the place of a builtin one
// get its struct of builtin_op_data.h. What a function reports is in the
// message of the failure. The operators of a session share `shared`, or what is
// made for each session where it is null.
runtime::Resolver::Operator WrapRegistration(
    const TfLiteRegistration& registration,
    std::shared_ptr<SharedState> shared = nullptr);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_EXTERNAL_OPERATOR_H_
