/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_
#define MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_

#include "tensorflow/lite/experimental/resource/cache_buffer.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_ */
