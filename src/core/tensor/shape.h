// Shape: up to eight dimensions, held in place. -1 marks one not known yet.
#ifndef MUNJA_TENSOR_SHAPE_H_
#define MUNJA_TENSOR_SHAPE_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace munja {

inline constexpr int kMaxRank = 8;
inline constexpr int32_t kDynamic = -1;

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar, one element
  Shape(std::initializer_list<int32_t> dims)
      : Shape(std::span<const int32_t>(dims.begin(), dims.size())) {}
  // At most kMaxRank dimensions; the reader of outside bytes checks that.
  explicit Shape(std::span<const int32_t> dims)
      : rank_(static_cast<int>(dims.size())) {
    assert(dims.size() <= kMaxRank);
    for (int i = 0; i < rank_; ++i) dims_[i] = dims[i];
  }

  int rank() const { return rank_; }
  int32_t operator[](int i) const {
    assert(i >= 0 && i < rank_);
    return dims_[i];
  }
  int32_t& operator[](int i) {
    assert(i >= 0 && i < rank_);
    return dims_[i];
  }
  // Counted from the end: back(0) is the last dimension.
  int32_t back(int i = 0) const { return (*this)[rank_ - 1 - i]; }
  std::span<const int32_t> dims() const {
    return {dims_.data(), static_cast<size_t>(rank_)};
  }
  void Append(int32_t dim) {
    assert(rank_ < kMaxRank);
    dims_[rank_++] = dim;
  }
  // No dimension is kDynamic.
  bool is_static() const;
  // Product of the dimensions (1 for a scalar), or -1 when a dimension is
  // dynamic or the product does not fit 2^40 (more than any tensor here).
  int64_t elements() const;
  // Product of dims [first, last); same rules.
  int64_t elements(int first, int last) const;
  // "1x640x640x3", "?" for a dynamic dimension, "scalar" for rank 0.
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a.dims_[i] != b.dims_[i]) return false;
    return true;
  }

 private:
  std::array<int32_t, kMaxRank> dims_{};
  int rank_ = 0;
};

}  // namespace munja

#endif  // MUNJA_TENSOR_SHAPE_H_
