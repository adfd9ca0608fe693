/* The TensorFlow Lite C API as a C compiler lays it out. */
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"
#include "tensorflow/lite/c/c_api_opaque.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/delegates/external/external_delegate.h"
#include "tflite/builtin_ops.h"
#include "tflite/c/common.h"
#include "tflite/core/c/common.h"

#define SIZE(type, bytes) \
  typedef char size_of_##type[sizeof(type) == (bytes) ? 1 : -1];
#define OFFSET(type, field, bytes) \
  typedef char                     \
      offset_of_##type##_##field[offsetof(type, field) == (bytes) ? 1 : -1];
#include "layout.def"

/* Something to link. */
int munja_tflite_layout_c(void) { return (int)sizeof(TfLiteContext); }
