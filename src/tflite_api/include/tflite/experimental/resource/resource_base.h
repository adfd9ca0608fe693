/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_
#define MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_

#include "tensorflow/lite/experimental/resource/resource_base.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_RESOURCE_BASE_H_ */
