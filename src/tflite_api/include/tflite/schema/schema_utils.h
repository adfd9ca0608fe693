/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_SCHEMA_SCHEMA_UTILS_H_
#define MUNJA_TFLITE_SHORT_SCHEMA_SCHEMA_UTILS_H_

#include "tensorflow/lite/schema/schema_utils.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_SCHEMA_SCHEMA_UTILS_H_ */
