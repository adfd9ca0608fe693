// Lists of tensors as kernels take them, tensors of strings among them.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_H_

#include <cstdint>
#include <string>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/portable_tensor.h"  // IWYU pragma: export
#include "tensorflow/lite/string_util.h"

namespace tflite {

// The output is written when the writer goes.
template <>
class SequentialTensorWriter<std::string> {
 public:
  SequentialTensorWriter(const TfLiteTensor* input, TfLiteTensor* output)
      : input_(input), output_(output) {}
  ~SequentialTensorWriter() { buffer_.WriteToTensor(output_, nullptr); }
  SequentialTensorWriter(const SequentialTensorWriter&) = delete;
  SequentialTensorWriter& operator=(const SequentialTensorWriter&) = delete;

  void Write(int64_t position) { WriteN(position, 1); }
  void WriteN(int64_t position, int len) {
    for (int i = 0; i < len; ++i)
      buffer_.AddString(GetString(input_, static_cast<int>(position) + i));
  }

 private:
  const TfLiteTensor* input_;
  TfLiteTensor* output_;
  DynamicBuffer buffer_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_TENSOR_H_
