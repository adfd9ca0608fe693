// Where newer sources look for models and their interpreters.
#ifndef MUNJA_TFLITE_CORE_MODEL_H_
#define MUNJA_TFLITE_CORE_MODEL_H_

#include "tensorflow/lite/model.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_CORE_MODEL_H_
