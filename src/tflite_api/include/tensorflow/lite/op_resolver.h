// Where some sources look for OpResolver.
#ifndef MUNJA_TFLITE_OP_RESOLVER_H_
#define MUNJA_TFLITE_OP_RESOLVER_H_

#include "tensorflow/lite/mutable_op_resolver.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_OP_RESOLVER_H_
