// The functions of a TfLiteContext.
#ifndef MUNJA_TFLITE_API_CONTEXT_FUNCTIONS_H_
#define MUNJA_TFLITE_API_CONTEXT_FUNCTIONS_H_

#include "tensorflow/lite/c/common.h"

namespace munja::compat {

// All of them; impl_ is the GraphContext.
void SetContextFunctions(TfLiteContext* context);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_CONTEXT_FUNCTIONS_H_
