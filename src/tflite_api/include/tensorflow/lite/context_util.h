// Loops over the arrays of the C API.
#ifndef MUNJA_TFLITE_CONTEXT_UTIL_H_
#define MUNJA_TFLITE_CONTEXT_UTIL_H_

#include <cstddef>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

// Owns nothing; the array outlives it.
class TfLiteIntArrayView {
 public:
  explicit TfLiteIntArrayView(const TfLiteIntArray* int_array)
      : int_array_(int_array) {}
  using const_iterator = const int*;

  const_iterator begin() const { return int_array_->data; }
  const_iterator end() const { return int_array_->data + int_array_->size; }
  size_t size() const { return static_cast<size_t>(int_array_->size); }
  int operator[](size_t pos) const { return int_array_->data[pos]; }

 private:
  const TfLiteIntArray* int_array_;
};

}  // namespace tflite

// Delegates outside of the namespace use it without, as the guide to delegates
// does.
using tflite::TfLiteIntArrayView;

#endif  // MUNJA_TFLITE_CONTEXT_UTIL_H_
