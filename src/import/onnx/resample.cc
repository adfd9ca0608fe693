// Resize and Upsample: by .tflite's own operators where these sample the same
// places, else axis by axis, each result a weighted sum of samples.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {
namespace {

constexpr int64_t kMostWeights = 1 << 22;
constexpr int64_t kMostOutputs = 1 << 20;

// 0 where it is nothing that an axis could have.
int64_t SizeOf(double length) {
  return length >= 1 && length <= kMostOutputs
             ? static_cast<int64_t>(std::floor(length))
             : 0;
}

struct Sampling {
  std::string mode, coordinates, rounding;
  double cubic = -0.75, outside = 0;
  bool antialias = false, exclude_outside = false;
};

// One axis.
struct Line {
  int64_t in = 1, out = 1;
  double scale = 1;
  double first = 0, last = 1;  // Of a region of interest.
};

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

ValueId ResizeAxis(Writer& w, ValueId x, int64_t axis, const Sampling& s,
                   const Line& l) {
  if (!w.ok()) return kNoValue;
  if (l.in * l.out > kMostWeights) w.Refuse("so large an axis");
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

// .tflite has flags for these samples.
bool IsPlain(const Operator& op, const Writer& w, const Sampling& s,
             const std::vector<Line>& lines) {
  if (lines.size() != 4 || lines[0].in != lines[0].out ||
      lines[1].in != lines[1].out || s.antialias || s.exclude_outside ||
      op.attributes.Has("axes") || !w.is_float(w.in(0)))
    return false;
  if (s.mode != "nearest" && s.mode != "linear") return false;
  bool whole = true, even = true;
  for (size_t i = 2; i < 4; ++i) {
    const double wide = static_cast<double>(lines[i].in) * lines[i].scale;
    even = even && std::fabs(wide - static_cast<double>(lines[i].out)) < 1e-6;
    whole = whole && lines[i].out % lines[i].in == 0;
    if (s.coordinates == "pytorch_half_pixel" && lines[i].out == 1)
      return false;
  }
  if (!even) return false;
  const std::string& c = s.coordinates;
  if (s.mode == "linear")
    return c == "asymmetric" || c == "half_pixel" || c == "align_corners" ||
           c == "pytorch_half_pixel";
  return (c == "asymmetric" && s.rounding == "floor") ||
         (c == "align_corners" && s.rounding == "round_prefer_ceil") ||
         ((c == "half_pixel" || c == "pytorch_half_pixel") && whole &&
          s.rounding.starts_with("round"));
}

}  // namespace

Status ResizeAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  // Sizes that stay free are the neutral operator's.
  if (w.ok() && !IsStatic(w.shape(x))) return Resize(context, op);
  const Dims d = w.Static(x);
  const bool upsample = op.type == "Upsample";
  const bool old = upsample || w.opset() < 11;
  Sampling s;
  s.mode = w.Text("mode", "nearest");
  if (s.mode == "bilinear") s.mode = "linear";
  s.coordinates = w.Text("coordinate_transformation_mode",
                         old ? "asymmetric" : "half_pixel");
  s.rounding = w.Text("nearest_mode", old ? "floor" : "round_prefer_floor");
  s.cubic = w.Float("cubic_coeff_a", -0.75);
  s.outside = w.Float("extrapolation_value", 0);
  s.antialias = w.Int("antialias", 0) != 0;
  s.exclude_outside = w.Int("exclude_outside", 0) != 0;
  const std::string policy = w.Text("keep_aspect_ratio_policy", "stretch");
  if (s.mode != "nearest" && s.mode != "linear" && s.mode != "cubic")
    w.Damaged("mode " + s.mode);
  Int64s axes = w.Ints("axes");
  if (axes.empty())
    for (int64_t i = 0; i < w.rank(x); ++i) axes.push_back(i);
  const size_t scales_at = old ? 1 : 2;
  bool has_sizes = false;
  Int64s sizes;
  if (!old) sizes = w.Ints("sizes", 3, &has_sizes);
  has_sizes = has_sizes && !sizes.empty();
  std::vector<double> scales;
  if (!has_sizes) {
    const graph::AttributeValue* v = op.attributes.Find("scales");
    if (v != nullptr && std::holds_alternative<std::vector<double>>(*v)) {
      scales = std::get<std::vector<double>>(*v);
    } else {
      const Tensor* t = w.constant(w.Need(scales_at));
      if (t == nullptr) w.Refuse("scales computed at run time");
      if (t != nullptr) scales.assign(t->floats.begin(), t->floats.end());
    }
  }
  if ((has_sizes ? sizes.size() : scales.size()) != axes.size())
    w.Damaged("scales or sizes of other axes than the input's");
  std::vector<double> region;
  if (s.coordinates == "tf_crop_and_resize") {
    const Tensor* t = w.constant(w.Need(1));
    if (t == nullptr || t->floats.size() != 2 * axes.size())
      w.Refuse("a region computed at run time");
    if (t != nullptr) region.assign(t->floats.begin(), t->floats.end());
  }
  if (!w.ok()) return w.Done();
  std::vector<Line> lines(d.size());
  for (size_t i = 0; i < d.size(); ++i) lines[i].in = lines[i].out = d[i];
  double common = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t a = static_cast<size_t>(w.Axis(axes[i], w.rank(x)));
    if (!w.ok()) return w.Done();
    Line& l = lines[a];
    if (!region.empty()) {
      l.first = region[i];
      l.last = region[i + axes.size()];
      if (!(std::fabs(l.first) <= kMostOutputs) ||
          !(std::fabs(l.last) <= kMostOutputs))
        w.Damaged("a region that ends nowhere");
    }
    if (l.in < 1) w.Refuse("an empty input");
    if (!w.ok()) return w.Done();
    l.scale = has_sizes
                  ? static_cast<double>(sizes[i]) / static_cast<double>(l.in)
                  : scales[i];
    l.out = has_sizes ? sizes[i] : SizeOf(static_cast<double>(l.in) * l.scale);
    if (!has_sizes && region.size() > i) {
      l.out = SizeOf(static_cast<double>(l.in) * (l.last - l.first) * l.scale);
    }
    const double wide = static_cast<double>(l.in) * l.scale;
    if (!has_sizes && s.coordinates == "align_corners" &&
        wide != std::floor(wide))
      w.Refuse("corners of a size that is no whole number");
    common = i == 0                   ? l.scale
             : policy == "not_larger" ? std::min(common, l.scale)
                                      : std::max(common, l.scale);
  }
  for (const int64_t axis : axes) {
    Line& l = lines[static_cast<size_t>(w.Axis(axis, w.rank(x)))];
    if (has_sizes && policy != "stretch") {
      l.scale = common;
      l.out = SizeOf(static_cast<double>(l.in) * common + 0.5);
    }
    if (l.out < 1 || l.out > kMostOutputs) w.Damaged("to no elements");
  }
  if (!w.ok()) return w.Done();
  if (IsPlain(op, w, s, lines)) {
    std::string c = s.coordinates;
    if (c == "pytorch_half_pixel") c = "half_pixel";
    return w.Done(w.Neutral("Resize", {x},
                            {{"mode", s.mode},
                             {"coordinates", c},
                             {"rounding", s.rounding},
                             {"sizes", Int64s{lines[2].out, lines[3].out}}}));
  }
  ValueId y = w.is_float(x) || s.mode == "nearest"
                  ? x
                  : w.Cast(x, ElementType::kFloat32);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& l = lines[i];
    if (l.in == l.out && l.scale == 1 && region.empty()) continue;
    y = ResizeAxis(w, y, static_cast<int64_t>(i), s, l);
  }
  return w.Done(w.Cast(y, w.type(x)));
}

}  // namespace munja::foreign::onnx
