/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_BUILTIN_OP_DATA_H_
#define MUNJA_TFLITE_BUILTIN_OP_DATA_H_

#include "tensorflow/lite/core/c/builtin_op_data.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_BUILTIN_OP_DATA_H_ */
