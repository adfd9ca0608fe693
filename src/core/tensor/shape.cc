#include "tensor/shape.h"

namespace munja {

bool Shape::is_static() const {
  for (int i = 0; i < rank_; ++i)
    if (dims_[i] < 0) return false;
  return true;
}

int64_t Shape::elements() const { return elements(0, rank_); }

int64_t Shape::elements(int first, int last) const {
  constexpr int64_t kLimit = int64_t{1} << 40;
  int64_t n = 1;
  bool is_empty = false;
  for (int i = first; i < last; ++i) {
    if (dims_[i] < 0) return -1;
    if (dims_[i] == 0) is_empty = true;
  }
  if (is_empty) return 0;
  for (int i = first; i < last; ++i) {
    // The product itself may not fit 64 bits.
    if (n > kLimit / dims_[i]) return -1;
    n *= dims_[i];
  }
  return n;
}

std::string Shape::ToString() const {
  if (rank_ == 0) return "scalar";
  std::string text;
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += 'x';
    text += dims_[i] < 0 ? "?" : std::to_string(dims_[i]);
  }
  return text;
}

}  // namespace munja
