// A cache of numbers that lives from run to run, with a count for each part.
#ifndef MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_
#define MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_

#include <cstddef>
#include <vector>

#include "tensorflow/lite/experimental/resource/resource_variable.h"

namespace tflite {
namespace resource {

class CacheBuffer : public ResourceVariable {
 public:
  // The second size of `shape` is how many parts there are. All zeros.
  TfLiteStatus Initialize(const TfLiteIntArray& shape) {
    if (shape.size < 2) return kTfLiteError;
    size_t count = 1;
    for (int i = 0; i < shape.size; ++i) {
      const auto size = static_cast<size_t>(shape.data[i]);
      if (shape.data[i] < 0 || (size != 0 && count > data_.max_size() / size))
        return kTfLiteError;
      count *= size;
    }
    data_.assign(count, 0.0f);
    entries_.assign(static_cast<size_t>(shape.data[1]), 0);
    is_initialized_ = true;
    return kTfLiteOk;
  }
  float* GetBuffer() { return data_.data(); }
  size_t GetSize() { return data_.size() * sizeof(float); }
  size_t GetNumEntries(int part) const {
    return IsPart(part) ? entries_[static_cast<size_t>(part)] : 0;
  }
  void SetNumEntries(int part, size_t count) {
    if (IsPart(part)) entries_[static_cast<size_t>(part)] = count;
  }

 private:
  bool IsPart(int part) const {
    return part >= 0 && static_cast<size_t>(part) < entries_.size();
  }

  std::vector<float> data_;
  std::vector<size_t> entries_;
};

}  // namespace resource
}  // namespace tflite

#endif  // MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_CACHE_BUFFER_H_
