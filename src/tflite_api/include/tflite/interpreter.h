/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_INTERPRETER_H_
#define MUNJA_TFLITE_SHORT_INTERPRETER_H_

#include "tensorflow/lite/interpreter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_INTERPRETER_H_ */
