// How an operator ends when its own invariants break.
#ifndef MUNJA_TFLITE_KERNELS_OP_MACROS_H_
#define MUNJA_TFLITE_KERNELS_OP_MACROS_H_

#include <cstdio>
#include <cstdlib>

#include "tensorflow/lite/core/c/common.h"

// Ends the function: the operator does not take the type.
#define TF_LITE_UNSUPPORTED_TYPE(context, type, op_name)             \
  do {                                                               \
    TF_LITE_KERNEL_LOG((context), "Type %s is not supported by %s.", \
                       TfLiteTypeGetName(type), (op_name));          \
    return kTfLiteError;                                             \
  } while (0)

#define TFLITE_ABORT std::abort()
#ifdef NDEBUG
#define TFLITE_ASSERT_FALSE ((void)0)
#else
#define TFLITE_ASSERT_FALSE TFLITE_ABORT
#endif

#define TF_LITE_FATAL(msg)               \
  do {                                   \
    std::fprintf(stderr, "%s\n", (msg)); \
    TFLITE_ABORT;                        \
  } while (0)

#define TF_LITE_ASSERT(x)        \
  do {                           \
    if (!(x)) TF_LITE_FATAL(#x); \
  } while (0)

#define TF_LITE_ASSERT_EQ(x, y)                  \
  do {                                           \
    if ((x) != (y)) TF_LITE_FATAL(#x " != " #y); \
  } while (0)

#endif  // MUNJA_TFLITE_KERNELS_OP_MACROS_H_
