// RuntimeShape: the dimensions of a tensor, for kernels.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_RUNTIME_SHAPE_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_RUNTIME_SHAPE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "tensorflow/lite/kernels/internal/compatibility.h"

namespace tflite {

// N dimensions with their strides, for kernels that step through broadcasts.
template <int N>
struct Dims {
  int sizes[N];
  int strides[N];
};

class RuntimeShape {
 public:
  static constexpr int kMaxSmallSize = 6;

  RuntimeShape() = default;
  explicit RuntimeShape(int dimensions_count) { Resize(dimensions_count); }
  RuntimeShape(int shape_size, int32_t value) {
    Resize(shape_size);
    std::fill(DimsData(), DimsData() + size_, value);
  }
  RuntimeShape(int dimensions_count, const int32_t* dims_data) {
    ReplaceWith(dimensions_count, dims_data);
  }
  RuntimeShape(const std::initializer_list<int> init_list) {
    Resize(static_cast<int>(init_list.size()));
    std::copy(init_list.begin(), init_list.end(), DimsData());
  }
  // `shape` with `pad_value` in front of it, up to `new_shape_size`.
  RuntimeShape(int new_shape_size, const RuntimeShape& shape, int pad_value) {
    TFLITE_CHECK_GE(new_shape_size, shape.DimensionsCount());
    Resize(new_shape_size);
    const int added = new_shape_size - shape.DimensionsCount();
    std::fill(DimsData(), DimsData() + added, pad_value);
    std::copy(shape.DimsData(), shape.DimsData() + shape.DimensionsCount(),
              DimsData() + added);
  }
  RuntimeShape(const RuntimeShape& other) {
    ReplaceWith(other.size_, other.DimsData());
  }
  RuntimeShape& operator=(const RuntimeShape& other) {
    if (this != &other) ReplaceWith(other.size_, other.DimsData());
    return *this;
  }

  bool operator==(const RuntimeShape& other) const {
    return size_ == other.size_ &&
           std::equal(DimsData(), DimsData() + size_, other.DimsData());
  }
  bool operator!=(const RuntimeShape& other) const { return !(*this == other); }

  int32_t DimensionsCount() const { return size_; }
  int32_t Dims(int i) const {
    TFLITE_DCHECK_GE(i, 0);
    TFLITE_DCHECK_LT(i, size_);
    return DimsData()[i];
  }
  void SetDim(int i, int32_t value) {
    TFLITE_DCHECK_GE(i, 0);
    TFLITE_DCHECK_LT(i, size_);
    DimsData()[i] = value;
  }
  int32_t* DimsData() { return large_ ? large_.get() : small_.data(); }
  const int32_t* DimsData() const {
    return large_ ? large_.get() : small_.data();
  }
  const int32_t* DimsDataUpTo5D() const { return small_.data(); }

  // The previous dimensions are lost.
  void Resize(int dimensions_count) {
    large_.reset(dimensions_count > kMaxSmallSize
                     ? new int32_t[static_cast<size_t>(dimensions_count)]
                     : nullptr);
    size_ = dimensions_count;
  }
  void ReplaceWith(int dimensions_count, const int32_t* dims_data) {
    Resize(dimensions_count);
    if (dimensions_count > 0)
      std::memcpy(DimsData(), dims_data,
                  sizeof(int32_t) * static_cast<size_t>(dimensions_count));
  }
  template <class Container>
  void BuildFrom(const Container& src) {
    Resize(static_cast<int>(std::distance(src.begin(), src.end())));
    std::copy(src.begin(), src.end(), DimsData());
  }

  static RuntimeShape ExtendedShape(int new_shape_size,
                                    const RuntimeShape& shape) {
    return RuntimeShape(new_shape_size, shape, 1);
  }
  bool HasZeroDimension() const {
    return std::find(DimsData(), DimsData() + size_, 0) != DimsData() + size_;
  }
  // The product of the sizes from `start` to `end`, which is not among them.
  // False where that range is wrong, a size is negative or the product too
  // large.
  template <class Int>
  bool CheckedNumElementsInRange(int start, int end, Int& out) const {
    if (start < 0 || start > end || end > size_) return false;
    Int product = 1;
    for (int i = start; i < end; ++i)
      if (DimsData()[i] < 0 ||
          __builtin_mul_overflow(product, DimsData()[i], &product))
        return false;
    out = product;
    return true;
  }
  template <class Int>
  bool CheckedSizeToDimension(int end, Int& out) const {
    return CheckedNumElementsInRange(0, end, out);
  }
  template <class Int>
  bool CheckedSizeFromDimension(int start, Int& out) const {
    return CheckedNumElementsInRange(start, size_, out);
  }
  template <class Int>
  bool CheckedFlatSize(Int& out) const {
    return CheckedNumElementsInRange(0, size_, out);
  }
  // The number of elements.
  int FlatSize() const {
    int size = 1;
    for (int i = 0; i < size_; ++i) size *= DimsData()[i];
    return size;
  }

 private:
  int32_t size_ = 0;
  std::array<int32_t, kMaxSmallSize> small_{};
  std::unique_ptr<int32_t[]> large_;
};

inline Dims<4> ToRuntimeDims(const RuntimeShape& array_shape) {
  Dims<4> result{};
  const int count = array_shape.DimensionsCount();
  int stride = 1;
  for (int i = 0; i < 4; ++i) {
    const int size = i < count ? array_shape.Dims(count - 1 - i) : 1;
    result.sizes[i] = size;
    result.strides[i] = stride;
    stride *= size;
  }
  return result;
}

// Where the element lies in row-major data.
inline int Offset(const RuntimeShape& shape, int i0, int i1, int i2, int i3) {
  TFLITE_DCHECK_EQ(shape.DimensionsCount(), 4);
  const int32_t* d = shape.DimsData();
  return ((i0 * d[1] + i1) * d[2] + i2) * d[3] + i3;
}
inline int Offset(const RuntimeShape& shape, int i0, int i1, int i2, int i3,
                  int i4) {
  TFLITE_DCHECK_EQ(shape.DimensionsCount(), 5);
  const int32_t* d = shape.DimsData();
  return (((i0 * d[1] + i1) * d[2] + i2) * d[3] + i3) * d[4] + i4;
}
inline int Offset(const RuntimeShape& shape, const int* index) {
  return Offset(shape, index[0], index[1], index[2], index[3]);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_RUNTIME_SHAPE_H_
