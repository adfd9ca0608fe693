/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CONTEXT_H_
#define MUNJA_TFLITE_SHORT_CONTEXT_H_

#include "tensorflow/lite/context.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CONTEXT_H_ */
