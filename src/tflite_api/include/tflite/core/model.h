/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_MODEL_H_
#define MUNJA_TFLITE_SHORT_CORE_MODEL_H_

#include "tensorflow/lite/core/model.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_MODEL_H_ */
