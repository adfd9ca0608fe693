// Quantization parameters: real = scale * (stored - zero_point).
#ifndef MUNJA_TENSOR_QUANTIZATION_H_
#define MUNJA_TENSOR_QUANTIZATION_H_

#include <cstdint>
#include <vector>

namespace munja {

// No scales: not quantized. One scale: for the whole tensor. More: one for
// each index of dimension `axis` (weights; zero points are then all 0).
struct Quantization {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;  // As many as scales, or empty for all 0.
  int32_t axis = 0;

  bool is_quantized() const { return !scales.empty(); }
  bool is_per_axis() const { return scales.size() > 1; }
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

}  // namespace munja

#endif  // MUNJA_TENSOR_QUANTIZATION_H_
