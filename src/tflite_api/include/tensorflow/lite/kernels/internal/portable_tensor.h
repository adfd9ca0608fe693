// Lists of tensors as kernels take them.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_PORTABLE_TENSOR_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_PORTABLE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/kernels/internal/types.h"

namespace tflite {

// Data and shapes of the tensors that a list names.
template <class T>
class VectorOfTensors {
 public:
  VectorOfTensors(const TfLiteContext& context,
                  const TfLiteIntArray& tensor_list) {
    const int count = tensor_list.size;
    all_data_.reserve(count);
    all_shape_.reserve(count);
    all_shape_ptr_.reserve(count);
    for (int i = 0; i < count; ++i) {
      TfLiteTensor* t = &context.tensors[tensor_list.data[i]];
      all_data_.push_back(GetTensorData<T>(t));
      all_shape_.push_back(GetTensorShape(t));
    }
    for (const RuntimeShape& shape : all_shape_)
      all_shape_ptr_.push_back(&shape);
  }
  explicit VectorOfTensors(const std::vector<TfLiteTensor*>& tensors) {
    all_shape_.reserve(tensors.size());
    for (TfLiteTensor* t : tensors) {
      all_data_.push_back(GetTensorData<T>(t));
      all_shape_.push_back(GetTensorShape(t));
    }
    for (const RuntimeShape& shape : all_shape_)
      all_shape_ptr_.push_back(&shape);
  }
  VectorOfTensors(const VectorOfTensors&) = delete;
  VectorOfTensors& operator=(const VectorOfTensors&) = delete;

  T* const* data() const { return all_data_.data(); }
  const RuntimeShape* const* shapes() const { return all_shape_ptr_.data(); }
  size_t size() const { return all_data_.size(); }

 private:
  std::vector<T*> all_data_;
  std::vector<RuntimeShape> all_shape_;
  std::vector<const RuntimeShape*> all_shape_ptr_;
};

// Also scales and zero points.
class VectorOfQuantizedTensors : public VectorOfTensors<uint8_t> {
 public:
  VectorOfQuantizedTensors(const TfLiteContext& context,
                           const TfLiteIntArray& tensor_list)
      : VectorOfTensors<uint8_t>(context, tensor_list) {
    for (int i = 0; i < tensor_list.size; ++i) {
      const TfLiteTensor& t = context.tensors[tensor_list.data[i]];
      zero_point_.push_back(t.params.zero_point);
      scale_.push_back(t.params.scale);
    }
  }
  const float* scale() const { return scale_.data(); }
  const int32_t* zero_point() const { return zero_point_.data(); }

 private:
  std::vector<int32_t> zero_point_;
  std::vector<float> scale_;
};

// Copies elements of one tensor to the other, one behind the other.
template <class T>
class SequentialTensorWriter {
 public:
  SequentialTensorWriter(const TfLiteTensor* input, TfLiteTensor* output)
      : SequentialTensorWriter(GetTensorData<T>(input),
                               GetTensorData<T>(output)) {}
  SequentialTensorWriter(const T* input_data, T* output_data)
      : input_data_(input_data), output_ptr_(output_data) {}

  void Write(int64_t position) { *output_ptr_++ = input_data_[position]; }
  void WriteN(int64_t position, int len) {
    std::memcpy(output_ptr_, &input_data_[position],
                sizeof(T) * static_cast<size_t>(len));
    output_ptr_ += len;
  }

 private:
  const T* input_data_;
  T* output_ptr_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_PORTABLE_TENSOR_H_
