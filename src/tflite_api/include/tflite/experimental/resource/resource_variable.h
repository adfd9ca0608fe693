/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_
#define MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_

#include "tensorflow/lite/experimental/resource/resource_variable.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_VARIABLE_H_ */
