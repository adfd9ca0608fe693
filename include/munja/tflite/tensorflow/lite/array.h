// Arrays of the C API that free themselves.
#ifndef MUNJA_TFLITE_ARRAY_H_
#define MUNJA_TFLITE_ARRAY_H_

#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

struct TfLiteArrayDeleter {
  void operator()(TfLiteIntArray* a) const { TfLiteIntArrayFree(a); }
  void operator()(TfLiteFloatArray* a) const { TfLiteFloatArrayFree(a); }
};

template <class T>
using TfLiteArrayOf = std::conditional_t<std::is_same_v<T, int>, TfLiteIntArray,
                                         TfLiteFloatArray>;
using IntArrayUniquePtr = std::unique_ptr<TfLiteIntArray, TfLiteArrayDeleter>;
using FloatArrayUniquePtr =
    std::unique_ptr<TfLiteFloatArray, TfLiteArrayDeleter>;
template <class T>
using TfLiteArrayUniquePtr =
    std::unique_ptr<TfLiteArrayOf<T>, TfLiteArrayDeleter>;

// An array of `size` entries that are not set.
template <class T>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(int size) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, float>);
  if constexpr (std::is_same_v<T, int>) {
    return TfLiteArrayUniquePtr<T>(TfLiteIntArrayCreate(size));
  } else {
    return TfLiteArrayUniquePtr<T>(TfLiteFloatArrayCreate(size));
  }
}

template <class T>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(int size, const T* data) {
  auto array = BuildTfLiteArray<T>(size);
  if (array != nullptr && size > 0)
    std::memcpy(array->data, data, sizeof(T) * static_cast<size_t>(size));
  return array;
}

template <class T>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(const std::vector<T>& values) {
  return BuildTfLiteArray<T>(static_cast<int>(values.size()), values.data());
}

template <class T>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(std::initializer_list<T> values) {
  return BuildTfLiteArray<T>(static_cast<int>(values.size()), values.begin());
}

inline IntArrayUniquePtr BuildTfLiteArray(const TfLiteIntArray& other) {
  return BuildTfLiteArray<int>(other.size, other.data);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_ARRAY_H_
