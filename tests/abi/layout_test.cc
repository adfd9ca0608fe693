// The TensorFlow Lite C API as a C++ compiler lays it out; layout.c does the
// same in C.
#include <gtest/gtest.h>

#include <cstddef>

#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"
#include "tensorflow/lite/c/c_api_opaque.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/delegates/external/external_delegate.h"

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes));
#define OFFSET(type, field, bytes) \
  static_assert(offsetof(type, field) == (bytes));
#include "layout.def"

extern "C" int munja_tflite_layout_c(void);

TEST(TfLiteLayout, Structs_AreTheSameInCAndCxx) {
  EXPECT_EQ(munja_tflite_layout_c(), static_cast<int>(sizeof(TfLiteContext)));
}
