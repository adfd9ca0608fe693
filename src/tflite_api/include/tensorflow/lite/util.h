// Arrays from containers, sizes of types and of tensors.
#ifndef MUNJA_TFLITE_UTIL_H_
#define MUNJA_TFLITE_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow/lite/array.h"
#include "tensorflow/lite/core/builtin_operator_names.h"
#include "tensorflow/lite/core/c/common.h"

namespace tflite {

// Freed with TfLiteIntArrayFree, or given to ResizeTensor.
inline TfLiteIntArray* ConvertArrayToTfLiteIntArray(int ndims,
                                                    const int* dims) {
  return BuildTfLiteArray<int>(ndims, dims).release();
}
inline TfLiteIntArray* ConvertVectorToTfLiteIntArray(
    const std::vector<int>& input) {
  return BuildTfLiteArray<int>(input).release();
}

inline bool EqualArrayAndTfLiteIntArray(const TfLiteIntArray* a, int b_size,
                                        const int* b) {
  return a != nullptr && TfLiteIntArrayEqualsArray(a, b_size, b) != 0;
}

// kTfLiteError for types whose elements have no fixed size of whole bytes.
inline TfLiteStatus GetSizeOfType(TfLiteContext* context, TfLiteType type,
                                  size_t* bytes) {
  switch (type) {
    case kTfLiteBool:
    case kTfLiteUInt8:
    case kTfLiteInt8:
    case kTfLiteFloat8E4M3FN:
    case kTfLiteFloat8E5M2:
      *bytes = 1;
      return kTfLiteOk;
    case kTfLiteInt16:
    case kTfLiteUInt16:
    case kTfLiteFloat16:
    case kTfLiteBFloat16:
      *bytes = 2;
      return kTfLiteOk;
    case kTfLiteFloat32:
    case kTfLiteInt32:
    case kTfLiteUInt32:
      *bytes = 4;
      return kTfLiteOk;
    case kTfLiteInt64:
    case kTfLiteUInt64:
    case kTfLiteFloat64:
    case kTfLiteComplex64:
      *bytes = 8;
      return kTfLiteOk;
    case kTfLiteComplex128:
      *bytes = 16;
      return kTfLiteOk;
    default:
      if (context != nullptr) {
        context->ReportError(context, "Type %d has no size.",
                             static_cast<int>(type));
      }
      return kTfLiteError;
  }
}

// a * b in *product.
inline TfLiteStatus MultiplyAndCheckOverflow(size_t a, size_t b,
                                             size_t* product) {
  if (b != 0 && a > std::numeric_limits<size_t>::max() / b) return kTfLiteError;
  *product = a * b;
  return kTfLiteOk;
}

inline TfLiteStatus BytesRequired(TfLiteType type, const int* dims,
                                  size_t dims_size, size_t* bytes,
                                  TfLiteContext* context) {
  size_t count = 1;
  for (size_t i = 0; i < dims_size; ++i) {
    TF_LITE_ENSURE(context, dims[i] >= 0);
    TF_LITE_ENSURE_STATUS(
        MultiplyAndCheckOverflow(count, static_cast<size_t>(dims[i]), &count));
  }
  size_t size = 0;
  TF_LITE_ENSURE_STATUS(GetSizeOfType(context, type, &size));
  return MultiplyAndCheckOverflow(size, count, bytes);
}

// An integer that remembers when a result did not fit: of two of them the type
// is that of C++'s arithmetic, and what one forgot the other keeps.
template <class T>
class CheckedInt {
 public:
  using type = T;

  CheckedInt() = default;
  template <class U, class = std::enable_if_t<std::is_integral_v<U>>>
  CheckedInt(U value)  // NOLINT: as integers convert
      : overflow_(__builtin_add_overflow(value, U{0}, &value_)) {}
  template <class U>
  explicit CheckedInt(const CheckedInt<U>& other) : CheckedInt(other.Value()) {
    overflow_ = overflow_ || other.Overflow();
  }

  T Value() const noexcept { return value_; }
  bool Overflow() const noexcept { return overflow_; }
  TfLiteStatus Status() const noexcept {
    return overflow_ ? kTfLiteError : kTfLiteOk;
  }

  CheckedInt& operator+=(const CheckedInt& b) { return *this = *this + b; }
  CheckedInt& operator-=(const CheckedInt& b) { return *this = *this - b; }
  CheckedInt& operator*=(const CheckedInt& b) { return *this = *this * b; }
  CheckedInt& operator/=(const CheckedInt& b) { return *this = *this / b; }

  friend CheckedInt operator+(const CheckedInt& a, const CheckedInt& b) {
    CheckedInt c;
    c.overflow_ = __builtin_add_overflow(a.value_, b.value_, &c.value_);
    return c.Also(a, b);
  }
  friend CheckedInt operator-(const CheckedInt& a, const CheckedInt& b) {
    CheckedInt c;
    c.overflow_ = __builtin_sub_overflow(a.value_, b.value_, &c.value_);
    return c.Also(a, b);
  }
  friend CheckedInt operator*(const CheckedInt& a, const CheckedInt& b) {
    CheckedInt c;
    c.overflow_ = __builtin_mul_overflow(a.value_, b.value_, &c.value_);
    return c.Also(a, b);
  }
  friend CheckedInt operator/(const CheckedInt& a, const CheckedInt& b) {
    CheckedInt c;
    // The one quotient that does not fit is -lowest.
    c.overflow_ = b.value_ == 0 ||
                  (std::is_signed_v<T> && b.value_ == static_cast<T>(-1) &&
                   a.value_ == std::numeric_limits<T>::lowest());
    if (!c.overflow_) c.value_ = static_cast<T>(a.value_ / b.value_);
    return c.Also(a, b);
  }
  friend bool operator==(const CheckedInt& a, const CheckedInt& b) {
    return a.value_ == b.value_;
  }
  friend bool operator<(const CheckedInt& a, const CheckedInt& b) {
    return a.value_ < b.value_;
  }

 private:
  CheckedInt& Also(const CheckedInt& a, const CheckedInt& b) {
    overflow_ = overflow_ || a.overflow_ || b.overflow_;
    return *this;
  }

  T value_{};
  bool overflow_ = false;
};

// The number of elements; kTfLiteError when a size is negative or the count
// does not fit.
inline TfLiteStatus CheckedNumElements(const TfLiteIntArray* dims,
                                       size_t& count) {
  CheckedInt<size_t> product = 1;
  for (int i = 0; i < dims->size; ++i) product *= dims->data[i];
  count = product.Value();
  return product.Status();
}
inline TfLiteStatus CheckedNumElements(const TfLiteTensor* tensor,
                                       size_t& count) {
  return CheckedNumElements(tensor->dims, count);
}

// ... in an int.
inline TfLiteStatus CheckedNumElements(const TfLiteIntArray* dims, int& count) {
  size_t product = 0;
  TF_LITE_ENSURE_STATUS(CheckedNumElements(dims, product));
  if (product > static_cast<size_t>(std::numeric_limits<int>::max()))
    return kTfLiteError;
  count = static_cast<int>(product);
  return kTfLiteOk;
}
inline TfLiteStatus CheckedNumElements(const TfLiteTensor* tensor, int& count) {
  return CheckedNumElements(tensor->dims, count);
}

// Tensors of an operator's own, which free themselves.
struct TfLiteTensorDeleter {
  void operator()(TfLiteTensor* t) const {
    if (t != nullptr) TfLiteTensorFree(t);
    std::free(t);
  }
};
using TensorUniquePtr = std::unique_ptr<TfLiteTensor, TfLiteTensorDeleter>;

inline TensorUniquePtr BuildTfLiteTensor() {
  TensorUniquePtr tensor(
      static_cast<TfLiteTensor*>(std::calloc(1, sizeof(TfLiteTensor))));
  if (tensor != nullptr) tensor->buffer_handle = kTfLiteNullBufferHandle;
  return tensor;
}
// With memory of that size, on the heap. Null where there is none for it.
inline TensorUniquePtr BuildTfLiteTensor(TfLiteType type,
                                         IntArrayUniquePtr dims,
                                         TfLiteAllocationType allocation_type) {
  size_t bytes = 0;
  if (dims == nullptr ||
      BytesRequired(type, dims->data, static_cast<size_t>(dims->size), &bytes,
                    nullptr) != kTfLiteOk)
    return nullptr;
  TensorUniquePtr tensor = BuildTfLiteTensor();
  if (tensor == nullptr) return nullptr;
  TfLiteTensorReset(type, nullptr, dims.release(), {}, nullptr, bytes,
                    allocation_type, nullptr, false, tensor.get());
  return TfLiteTensorRealloc(bytes, tensor.get()) == kTfLiteOk
             ? std::move(tensor)
             : nullptr;
}
inline TensorUniquePtr BuildTfLiteTensor(TfLiteType type,
                                         const std::vector<int>& dims,
                                         TfLiteAllocationType allocation_type) {
  return BuildTfLiteTensor(type, BuildTfLiteArray<int>(dims), allocation_type);
}

inline bool IsFlexOp(const char* custom_name) {
  return custom_name != nullptr &&
         std::string(custom_name).compare(0, 4, "Flex") == 0;
}

inline bool IsResourceOrVariant(const TfLiteTensor* tensor) {
  return tensor->type == kTfLiteResource || tensor->type == kTfLiteVariant;
}

struct TfLiteDeleter {
  void operator()(void* p) const { std::free(p); }
};

// As it stands in models: "CONV_2D", or a custom operator's own name.
inline std::string GetOpNameByRegistration(
    const TfLiteRegistration& registration) {
  if (registration.builtin_code == kTfLiteBuiltinCustom ||
      registration.builtin_code == kTfLiteBuiltinDelegate)
    return registration.custom_name != nullptr ? registration.custom_name
                                               : "CUSTOM";
  return EnumNameBuiltinOperator(
      static_cast<TfLiteBuiltinOperator>(registration.builtin_code));
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_UTIL_H_
