// Arrays of the C API that free themselves.
#ifndef MUNJA_TFLITE_ARRAY_H_
#define MUNJA_TFLITE_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

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
template <class T = int>
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

// Copies the elements of a container, which has data() and size(), as T, or
// with their own type.
template <class T = void, class Container,
          class Element =
              std::decay_t<decltype(*std::declval<const Container&>().data())>,
          class Type = std::conditional_t<std::is_void_v<T>, Element, T>>
TfLiteArrayUniquePtr<Type> BuildTfLiteArray(const Container& values) {
  auto array = BuildTfLiteArray<Type>(static_cast<int>(values.size()));
  if (array != nullptr)
    std::transform(values.data(), values.data() + values.size(), array->data,
                   [](const Element& v) { return static_cast<Type>(v); });
  return array;
}
template <class T, size_t kSize>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(const T (&values)[kSize]) {
  return BuildTfLiteArray<T>(static_cast<int>(kSize), values);
}

template <class T>
TfLiteArrayUniquePtr<T> BuildTfLiteArray(std::initializer_list<T> values) {
  return BuildTfLiteArray<T>(static_cast<int>(values.size()), values.begin());
}

inline IntArrayUniquePtr BuildTfLiteArray(const TfLiteIntArray& other) {
  return BuildTfLiteArray<int>(other.size, other.data);
}
inline FloatArrayUniquePtr BuildTfLiteArray(const TfLiteFloatArray& other) {
  return BuildTfLiteArray<float>(other.size, other.data);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_ARRAY_H_
