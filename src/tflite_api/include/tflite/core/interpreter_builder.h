/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_INTERPRETER_BUILDER_H_
#define MUNJA_TFLITE_SHORT_CORE_INTERPRETER_BUILDER_H_

#include "tensorflow/lite/core/interpreter_builder.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_INTERPRETER_BUILDER_H_ */
