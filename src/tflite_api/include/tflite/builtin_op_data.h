/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_BUILTIN_OP_DATA_H_
#define MUNJA_TFLITE_SHORT_BUILTIN_OP_DATA_H_

#include "tensorflow/lite/builtin_op_data.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_BUILTIN_OP_DATA_H_ */
