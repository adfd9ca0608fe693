// Where newer sources look for the class.
#ifndef MUNJA_TFLITE_CORE_INTERPRETER_BUILDER_H_
#define MUNJA_TFLITE_CORE_INTERPRETER_BUILDER_H_

#include "tensorflow/lite/interpreter_builder.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_CORE_INTERPRETER_BUILDER_H_
