#include "import/compose/resample.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace munja::importer {
namespace {

constexpr int64_t kMaxWeights = 1 << 22;

double Position(const Sampling& s, const Line& l, int64_t i) {
  const double x = static_cast<double>(i), n = static_cast<double>(l.in);
  const double wide = n * l.scale;  // Not rounded.
  if (s.coordinates == "asymmetric") return x / l.scale;
  if (s.coordinates == "align_corners")
    return l.out == 1 ? 0 : x * (n - 1) / (static_cast<double>(l.out) - 1);
  if (s.coordinates == "pytorch_half_pixel" && l.out == 1) return -0.5 + 0.5;
  if (s.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / l.scale;
  if (s.coordinates == "tf_crop_and_resize")
    return l.out == 1
               ? 0.5 * (l.first + l.last) * (n - 1)
               : l.first * (n - 1) + x * (l.last - l.first) * (n - 1) /
                                         (static_cast<double>(l.out) - 1);
  if (s.coordinates == "half_pixel_symmetric") {
    const double adjust = static_cast<double>(l.out) / wide;
    return n / 2 * (1 - adjust) + (x + 0.5) / l.scale - 0.5;
  }
  return (x + 0.5) / l.scale - 0.5;  // half_pixel
}

int64_t Nearest(const Sampling& s, double p) {
  if (s.rounding == "floor") return static_cast<int64_t>(std::floor(p));
  if (s.rounding == "ceil") return static_cast<int64_t>(std::ceil(p));
  if (s.rounding == "round_prefer_ceil")
    return static_cast<int64_t>(std::floor(p + 0.5));
  return static_cast<int64_t>(std::ceil(p - 0.5));
}

double Cubic(double a, double d) {
  d = std::fabs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

// The weights of the inputs for one result.
void Weigh(const Sampling& s, const Line& l, int64_t i, float* row) {
  const double p = Position(s, l, i);
  const auto clamp = [&](int64_t k) {
    return std::clamp<int64_t>(k, 0, l.in - 1);
  };
  if (s.mode == "nearest") {
    row[clamp(Nearest(s, p))] = 1;
    return;
  }
  const double shrink = s.antialias ? std::min(l.scale, 1.0) : 1.0;
  const double reach = (s.mode == "cubic" ? 2 : 1) / shrink;
  const int64_t first = static_cast<int64_t>(std::floor(p - reach)) + 1;
  const int64_t last = static_cast<int64_t>(std::ceil(p + reach)) - 1;
  double sum = 0;
  std::vector<std::pair<int64_t, double>> taps;
  for (int64_t k = first; k <= last; ++k) {
    const double d = (p - static_cast<double>(k)) * shrink;
    double v =
        s.mode == "cubic" ? Cubic(s.cubic, d) : std::max(0.0, 1 - std::fabs(d));
    if (s.exclude_outside && (k < 0 || k >= l.in)) v = 0;
    taps.emplace_back(k, v);
    sum += v;
  }
  for (const auto& [k, v] : taps)
    row[clamp(k)] += static_cast<float>(sum != 0 ? v / sum : v);
}

}  // namespace

ValueId ResizeAxis(Steps& w, ValueId x, int64_t axis, const Sampling& s,
                   const Line& l) {
  if (!w.ok()) return kNoValue;
  if (l.in * l.out > kMaxWeights) w.Refuse("so large an axis");
  if (!w.ok()) return kNoValue;
  if (s.mode == "nearest") {
    Int64s places;
    for (int64_t i = 0; i < l.out; ++i)
      places.push_back(
          std::clamp<int64_t>(Nearest(s, Position(s, l, i)), 0, l.in - 1));
    x = w.Gather(x, w.List(places), axis);
  } else {
    std::vector<float> matrix(static_cast<size_t>(l.in * l.out), 0.0f);
    for (int64_t i = 0; i < l.out; ++i)
      Weigh(s, l, i, matrix.data() + i * l.in);
    // [out, in] times the axis, which goes last and back.
    const int64_t rank = w.rank(x);
    Int64s perm;
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis) perm.push_back(i);
    perm.push_back(axis);
    Int64s back(static_cast<size_t>(rank));
    for (size_t i = 0; i < perm.size(); ++i)
      back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    const ValueId turned = w.Transpose(
        w.Constant(Tensor::Floats({l.out, l.in}, std::move(matrix))), {1, 0});
    x = w.Transpose(w.Neutral("MatMul", {w.Transpose(x, perm), turned}), back);
  }
  if (s.coordinates != "tf_crop_and_resize") return x;
  Int64s inside;
  bool all = true;
  for (int64_t i = 0; i < l.out; ++i) {
    const double p = Position(s, l, i);
    inside.push_back(p >= 0 && p <= static_cast<double>(l.in - 1));
    all = all && inside.back() != 0;
  }
  if (all) return x;
  Dims dims(w.shape(x).size(), 1);
  dims[static_cast<size_t>(axis)] = l.out;
  const ValueId mask =
      w.Constant(Tensor::Integers(dims, std::move(inside), ElementType::kBool));
  return w.Select(mask, x, w.Scalar(s.outside));
}

}  // namespace munja::importer
