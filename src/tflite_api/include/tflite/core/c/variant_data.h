/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_VARIANT_DATA_H_
#define MUNJA_TFLITE_SHORT_CORE_C_VARIANT_DATA_H_

#include "tensorflow/lite/core/c/variant_data.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_VARIANT_DATA_H_ */
