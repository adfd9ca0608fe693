/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_CONTEXT_H_
#define MUNJA_TFLITE_CONTEXT_H_

#include "tensorflow/lite/core/c/common.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_CONTEXT_H_ */
