// Where newer sources look for the class.
#ifndef MUNJA_TFLITE_CORE_INTERPRETER_H_
#define MUNJA_TFLITE_CORE_INTERPRETER_H_

#include "tensorflow/lite/interpreter.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_CORE_INTERPRETER_H_
