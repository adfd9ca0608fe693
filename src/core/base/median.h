// The middle value.
#ifndef MUNJA_BASE_MEDIAN_H_
#define MUNJA_BASE_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace munja {

// The middle one of the values, of an even number the upper one of the middle
// two; 0 of none. The values' order changes.
template <typename T>
T Median(std::vector<T>& values) {
  if (values.empty()) return T();
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace munja

#endif  // MUNJA_BASE_MEDIAN_H_
