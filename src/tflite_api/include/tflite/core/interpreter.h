/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_INTERPRETER_H_
#define MUNJA_TFLITE_SHORT_CORE_INTERPRETER_H_

#include "tensorflow/lite/core/interpreter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_INTERPRETER_H_ */
