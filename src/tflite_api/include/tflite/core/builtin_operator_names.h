/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_BUILTIN_OPERATOR_NAMES_H_
#define MUNJA_TFLITE_SHORT_CORE_BUILTIN_OPERATOR_NAMES_H_

#include "tensorflow/lite/core/builtin_operator_names.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_BUILTIN_OPERATOR_NAMES_H_ */
