// Arrays with their length in front.
#include "tensorflow/lite/core/c/int_array.h"

#include <climits>
#include <cstdlib>
#include <cstring>

namespace {

template <class Array>
Array* Create(int size) {
  using Entry = decltype(Array::size);
  static_assert(sizeof(Entry) == 4);
  if (size < 0) return nullptr;
  auto* a = static_cast<Array*>(
      std::malloc(sizeof(Array) + static_cast<size_t>(size) * 4));
  if (a != nullptr) a->size = size;
  return a;
}

template <class Array>
Array* Copy(const Array* src) {
  if (src == nullptr) return nullptr;
  Array* a = Create<Array>(src->size);
  if (a != nullptr && src->size > 0)
    std::memcpy(a->data, src->data, static_cast<size_t>(src->size) * 4);
  return a;
}

}  // namespace

extern "C" {

size_t TfLiteIntArrayGetSizeInBytes(int size) {
  return sizeof(TfLiteIntArray) + static_cast<size_t>(size < 0 ? 0 : size) * 4;
}

int TfLiteFloatArrayGetSizeInBytes(int size) {
  const size_t bytes = TfLiteIntArrayGetSizeInBytes(size);
  return bytes > INT_MAX ? INT_MAX : static_cast<int>(bytes);
}

TfLiteIntArray* TfLiteIntArrayCreate(int size) {
  return Create<TfLiteIntArray>(size);
}

TfLiteFloatArray* TfLiteFloatArrayCreate(int size) {
  return Create<TfLiteFloatArray>(size);
}

TfLiteIntArray* TfLiteIntArrayCopy(const TfLiteIntArray* src) {
  return Copy(src);
}

TfLiteFloatArray* TfLiteFloatArrayCopy(const TfLiteFloatArray* src) {
  return Copy(src);
}

void TfLiteIntArrayFree(TfLiteIntArray* a) { std::free(a); }

void TfLiteFloatArrayFree(TfLiteFloatArray* a) { std::free(a); }

int TfLiteIntArrayEqual(const TfLiteIntArray* a, const TfLiteIntArray* b) {
  if (a == b) return 1;
  if (a == nullptr || b == nullptr) return 0;
  return TfLiteIntArrayEqualsArray(a, b->size, b->data);
}

int TfLiteIntArrayEqualsArray(const TfLiteIntArray* a, int b_size,
                              const int b_data[]) {
  if (a == nullptr) return b_size == 0;
  if (a->size != b_size) return 0;
  for (int i = 0; i < b_size; ++i)
    if (a->data[i] != b_data[i]) return 0;
  return 1;
}

}  // extern "C"
