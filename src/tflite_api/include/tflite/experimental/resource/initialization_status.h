/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_
#define MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_

#include "tensorflow/lite/experimental/resource/initialization_status.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_INITIALIZATION_STATUS_H_ */
