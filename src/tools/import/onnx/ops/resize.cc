// Resizing.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/compose/resample.h"
#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

using Ints = std::vector<int64_t>;

// The last two of four factors or sizes; the first two must leave batch and
// channels alone.
Status ReadScales(Context& context, const Operator& op, ValueId id,
                  graph::Attributes* a) {
  std::vector<double> scales;
  if (id == kNoValue) {
    const graph::AttributeValue* v = op.attributes.Find("scales");
    if (v == nullptr || !std::holds_alternative<std::vector<double>>(*v))
      return Malformed(op, " has neither scales nor sizes");
    scales = std::get<std::vector<double>>(*v);
  } else {
    const Tensor* t = context.builder.constant(id);
    if (t == nullptr) return Unsupported(op, ": scales computed at run time");
    scales.assign(t->floats.begin(), t->floats.end());
  }
  if (scales.size() != 4 || scales[0] != 1 || scales[1] != 1)
    return Unsupported(op,
                       ": scales of other axes than height and "
                       "width");
  a->Set("scale_h", scales[2]);
  a->Set("scale_w", scales[3]);
  return {};
}

}  // namespace

Status Resize(Context& context, const Operator& op) {
  const bool upsample = op.type == "Upsample";
  const bool old = upsample || context.opset < 11;
  graph::Attributes a;
  MUNJA_ASSIGN_OR_RETURN(std::string mode,
                         op.attributes.Text("mode", "nearest"));
  MUNJA_ASSIGN_OR_RETURN(std::string coordinates,
                         op.attributes.Text("coordinate_transformation_mode",
                                            old ? "asymmetric" : "half_pixel"));
  MUNJA_ASSIGN_OR_RETURN(
      const std::string rounding,
      op.attributes.Text("nearest_mode", old ? "floor" : "round_prefer_floor"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t antialias,
                         op.attributes.Int("antialias", 0));
  MUNJA_ASSIGN_OR_RETURN(
      const std::string policy,
      op.attributes.Text("keep_aspect_ratio_policy", "stretch"));
  if (policy != "stretch")
    return Unsupported(op, ": keep_aspect_ratio_policy ", policy);
  // Differs from half_pixel for a result of one element only.
  const bool first_of_one = coordinates == "pytorch_half_pixel";
  if (first_of_one) coordinates = "half_pixel";
  if ((mode != "nearest" && mode != "linear") || antialias != 0 ||
      op.attributes.Has("axes") ||
      (coordinates != "asymmetric" && coordinates != "half_pixel" &&
       coordinates != "align_corners") ||
      (mode == "nearest" && rounding != "floor" &&
       rounding != "round_prefer_floor" && rounding != "round_prefer_ceil"))
    return Unsupported(op, ": mode ", mode, ", ", coordinates, ", ", rounding);
  a.Set("mode", std::move(mode));
  a.Set("coordinates", std::move(coordinates));
  a.Set("rounding", rounding);
  const ValueId sizes = old ? kNoValue : op.input(3);
  if (sizes != kNoValue) {
    const std::vector<ShapeEntry> entries = context.builder.Entries(sizes);
    if (entries.size() != 4 || entries[2].tensor != kNoValue ||
        entries[3].tensor != kNoValue)
      return Unsupported(op, ": sizes computed at run time");
    a.Set("sizes", Ints{entries[2].number, entries[3].number});
    const Dims& shape = context.ShapeOf(op.inputs[0]);
    for (int i = 0; i < 2 && shape.size() == 4; ++i)
      if (entries[i].tensor == kNoValue && shape[i] >= 0 &&
          entries[i].number != shape[i])
        return Unsupported(op, ": other axes than height and width");
  } else {
    MUNJA_RETURN_IF_ERROR(ReadScales(
        context, op, upsample || old ? op.input(1) : op.input(2), &a));
  }
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(op, "resized", "Resize", {op.inputs[0]}, std::move(a)));
  const Dims &from = context.ShapeOf(op.inputs[0]), &to = context.ShapeOf(y);
  for (size_t i = 2; first_of_one && i < to.size(); ++i)
    if (to[i] == 1 && from[i] != 1)
      return Unsupported(op, ": pytorch_half_pixel to one element");
  context.builder.Rename(y, op.outputs[0]);
  return context.Bind(op, 0, y);
}

namespace {

constexpr int64_t kMaxOutputs = 1 << 20;

// 0 where it is nothing that an axis could have.
int64_t SizeOf(double length) {
  return length >= 1 && length <= kMaxOutputs
             ? static_cast<int64_t>(std::floor(length))
             : 0;
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
    w.Damaged("mode ", s.mode);
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
      if (!(std::fabs(l.first) <= kMaxOutputs) ||
          !(std::fabs(l.last) <= kMaxOutputs))
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
      w.Refuse("corners of a size that is not an integer");
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
    if (l.out < 1 || l.out > kMaxOutputs) w.Damaged("to no elements");
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

}  // namespace munja::importer::onnx
