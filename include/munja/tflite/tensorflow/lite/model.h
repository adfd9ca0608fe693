// What programs that run a model include.
#ifndef MUNJA_TFLITE_MODEL_H_
#define MUNJA_TFLITE_MODEL_H_

#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/model_builder.h"

#endif  // MUNJA_TFLITE_MODEL_H_
