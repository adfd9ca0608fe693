// Prints the contents of an interpreter, for people.
#ifndef MUNJA_TFLITE_OPTIONAL_DEBUG_TOOLS_H_
#define MUNJA_TFLITE_OPTIONAL_DEBUG_TOOLS_H_

#include <cstdint>
#include <cstdio>

#include "tensorflow/lite/interpreter.h"

namespace tflite {

// Inputs, outputs and all tensors with type, shape and bytes, to standard
// output.
inline void PrintInterpreterState(const Interpreter* interpreter,
                                  int32_t /*tensor_name_display_length*/ = 25,
                                  int32_t /*tensor_type_display_length*/ = 15,
                                  int32_t /*alloc_type_display_length*/ = 18) {
  const auto print = [&](int index) {
    const TfLiteTensor* t = interpreter->tensor(index);
    if (t == nullptr) return;
    std::printf("  %d %s %s [", index, TfLiteTensorName(t),
                TfLiteTypeGetName(t->type));
    for (int i = 0; i < TfLiteTensorNumDims(t); ++i)
      std::printf(i == 0 ? "%d" : ",%d", TfLiteTensorDim(t, i));
    std::printf("] %zu bytes\n", t->bytes);
  };
  std::printf("Inputs:\n");
  for (const int i : interpreter->inputs()) print(i);
  std::printf("Outputs:\n");
  for (const int i : interpreter->outputs()) print(i);
  std::printf("Tensors:\n");
  for (int i = 0; interpreter->tensor(i) != nullptr; ++i) print(i);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_OPTIONAL_DEBUG_TOOLS_H_
