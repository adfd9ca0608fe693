/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_
#define MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_

#include "tensorflow/lite/experimental/resource/lookup_interfaces.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_ */
