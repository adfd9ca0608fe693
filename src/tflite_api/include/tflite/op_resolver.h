/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_OP_RESOLVER_H_
#define MUNJA_TFLITE_SHORT_OP_RESOLVER_H_

#include "tensorflow/lite/op_resolver.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_OP_RESOLVER_H_ */
