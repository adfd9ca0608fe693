// MunjaGridSample, a custom operator: samples of a map at places that a second
// input gives.
//
// Inputs, float32: x [n, c, d1, ...]; grid [n, o1, ..., axes], whose last
// axis has the place along the last axis of x first, -1 and 1 for its ends.
// Output [n, c, o1, ...]. One to three axes. Options: "mode": "linear",
// "nearest" (halves to the even one), "cubic" (two axes, a = -0.75);
// "padding": "zeros", "border", "reflection"; "align_corners": the ends are
// centers of elements, else their outer edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::grid_sample {
namespace {

constexpr int kMostAxes = 3;

enum class Mode { kLinear, kNearest, kCubic };
enum class Padding { kZeros, kBorder, kReflection };

struct Options {
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

double Cubic(double d) {
  constexpr double a = -0.75;
  d = std::fabs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

double Reflect(double p, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  double away = std::fmod(std::fabs(p - low), 2 * range);
  if (away > range) away = 2 * range - away;
  return low + away;
}

// One sample of one channel.
class Sampler {
 public:
  Sampler(const Options& options, const Shape& x) : o_(options) {
    axes_ = x.rank() - 2;
    for (int i = 0; i < axes_; ++i) size_[i] = x[2 + i];
  }
  float operator()(const float* map, const float* place) const {
    std::array<double, kMostAxes> p{};
    for (int i = 0; i < axes_; ++i) {
      const double g = place[axes_ - 1 - i], n = size_[i];
      p[i] = o_.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
      // Far away, or NaN.
      if (!(std::fabs(p[i]) < 1e9)) p[i] = -1e6;
      if (o_.mode == Mode::kNearest) p[i] = std::nearbyint(p[i]);
      if (o_.mode != Mode::kCubic) p[i] = Bring(p[i], i);
      if (o_.mode == Mode::kNearest) p[i] = std::nearbyint(p[i]);
    }
    return static_cast<float>(Sum(map, p, 0, 0));
  }

 private:
  double Bring(double p, int i) const {
    const double n = size_[i];
    if (o_.padding == Padding::kBorder) return std::clamp(p, 0.0, n - 1);
    if (o_.padding == Padding::kReflection)
      return std::clamp(
          o_.align_corners ? Reflect(p, 0, n - 1) : Reflect(p, -0.5, n - 0.5),
          0.0, n - 1);
    return p;
  }
  // Along axis i and those behind it, from this offset on.
  double Sum(const float* map, const std::array<double, kMostAxes>& p, int i,
             int64_t offset) const {
    if (i == axes_) return map[offset];
    const auto tap = [&](double at, double weight) -> double {
      if (weight == 0) return 0;
      if (o_.mode == Mode::kCubic) at = std::floor(Bring(at, i) + 0.5);
      if (at < 0 || at > size_[i] - 1) return 0;
      return weight *
             Sum(map, p, i + 1, offset * size_[i] + static_cast<int64_t>(at));
    };
    const double first = std::floor(p[i]), part = p[i] - first;
    if (o_.mode == Mode::kNearest) return tap(p[i], 1);
    if (o_.mode == Mode::kLinear)
      return tap(first, 1 - part) + tap(first + 1, part);
    double sum = 0;
    for (int k = -1; k <= 2; ++k) sum += tap(first + k, Cubic(part - k));
    return sum;
  }

  Options o_;
  int axes_ = 0;
  std::array<int64_t, kMostAxes> size_{};
};

class GridSampleKernel final : public Kernel {
 public:
  explicit GridSampleKernel(const Options& options) : options_(options) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& x = context.input(0);
    const TensorView& grid = context.input(1);
    for (const TensorView* view : {&x, &grid, &context.output(0)})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "the operand", {ElementType::kFloat32}));
    const int rank = x.shape.rank();
    if (rank < 3 || rank > 2 + kMostAxes || grid.shape.rank() != rank ||
        grid.shape[0] != x.shape[0] || grid.shape.back() != rank - 2)
      return InvalidArgument("a map of shape " + x.shape.ToString() +
                             " and places of shape " + grid.shape.ToString());
    for (int i = 2; i < rank; ++i)
      if (x.shape[i] < 1) return InvalidArgument("the map is empty");
    Shape out{x.shape[0], x.shape[1]};
    for (int i = 1; i + 1 < rank; ++i) out.Append(grid.shape[i]);
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& x = context.input(0);
    const TensorView& grid = context.input(1);
    const TensorView& y = context.output(0);
    const Sampler sample(options_, x.shape);
    const int axes = x.shape.rank() - 2;
    const int64_t channels = x.shape[1];
    const int64_t plane = x.shape.elements(2, x.shape.rank());
    const int64_t places = y.shape.elements(2, y.shape.rank());
    context.pool().ParallelFor(
        static_cast<size_t>(x.shape[0] * channels), 1,
        [&](size_t begin, size_t end, int) {
          for (size_t m = begin; m < end; ++m) {
            const float* map = x.as<float>() + m * plane;
            const float* at = grid.as<float>() + static_cast<int64_t>(m) /
                                                     channels * places * axes;
            float* to = y.mutable_as<float>() + m * places;
            for (int64_t i = 0; i < places; ++i)
              to[i] = sample(map, at + i * axes);
          }
        });
    return {};
  }

 private:
  Options options_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode, given.Text("mode", "linear"));
  MUNJA_ASSIGN_OR_RETURN(const std::string padding,
                         given.Text("padding", "zeros"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t align, given.Int("align_corners", 0));
  Options o;
  if (mode == "nearest")
    o.mode = Mode::kNearest;
  else if (mode == "cubic")
    o.mode = Mode::kCubic;
  else if (mode != "linear")
    return Malformed("mode '" + mode + "'");
  if (padding == "border")
    o.padding = Padding::kBorder;
  else if (padding == "reflection")
    o.padding = Padding::kReflection;
  else if (padding != "zeros")
    return Malformed("padding '" + padding + "'");
  o.align_corners = align != 0;
  return std::unique_ptr<Kernel>(std::make_unique<GridSampleKernel>(o));
}

}  // namespace munja::ops::grid_sample
