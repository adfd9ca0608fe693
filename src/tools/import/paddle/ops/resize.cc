// Resizing and sampling.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "import/compose/resample.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

// Height and width that a program computes from shapes, as far as they can be
// followed; empty when nothing is given.
Result<Ints> GivenSizes(Context& context, const Operation& op) {
  Ints sizes;
  for (const char* name : {"SizeTensor", "OutSize"}) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all,
                           context.All(op, name));
    for (const ValueId v : all) {
      const std::vector<ShapeEntry> entries = context.builder.Entries(v);
      if (entries.empty())
        return Unsupported(op, ": sizes computed at run time");
      for (const ShapeEntry& e : entries) {
        if (e.tensor != kNoValue)
          return Unsupported(op, ": sizes computed at run time");
        sizes.push_back(e.number);
      }
    }
    if (!all.empty()) break;
  }
  if (!sizes.empty() && sizes.size() != 2)
    return Malformed(op, ": ", sizes.size(), " sizes");
  return sizes;
}

// Factors for height and width; empty when there are none above 0.
Result<std::vector<double>> GivenScales(Context& context, const Operation& op) {
  std::vector<double> scales;
  MUNJA_ASSIGN_OR_RETURN(const Tensor* t, context.Constant(op, "Scale"));
  if (t != nullptr) {
    scales.assign(t->floats.begin(), t->floats.end());
  } else if (const graph::AttributeValue* v = op.attributes.Find("scale")) {
    if (const auto* one = std::get_if<double>(v)) scales = {*one};
    if (const auto* whole = std::get_if<int64_t>(v))
      scales = {static_cast<double>(*whole)};
    if (const auto* list = std::get_if<std::vector<double>>(v)) scales = *list;
    if (const auto* list = std::get_if<std::vector<int64_t>>(v))
      scales.assign(list->begin(), list->end());
  }
  if (scales.size() == 1) scales.push_back(scales[0]);
  if (scales.empty() || !(scales[0] > 0)) return std::vector<double>();
  if (scales.size() != 2) return Malformed(op, ": ", scales.size(), " factors");
  return scales;
}

// By weights: .tflite has no cubic samples.
Status Cubic(Context& context, const Operation& op, ValueId x, bool corners,
             const Ints& sizes, const std::vector<double>& scales) {
  Writer w(context, op);
  const Dims d = w.Static(x);
  if (w.ok() && d.size() != 4) w.Damaged("a map of shape ", ToString(d));
  Sampling s;
  s.mode = "cubic";
  s.coordinates = corners ? "align_corners" : "half_pixel";
  ValueId y = x;
  for (size_t i = 0; i < 2 && w.ok(); ++i) {
    Line line;
    line.in = d[2 + i];
    const double wanted = sizes.empty()
                              ? static_cast<double>(line.in) * scales[i]
                              : static_cast<double>(sizes[i]);
    if (!(wanted >= 1) || wanted > (1 << 20)) w.Damaged("a size of ", wanted);
    if (!w.ok()) break;
    line.out = static_cast<int64_t>(wanted);
    // A factor counts as it is given, not as the sizes have it.
    line.scale = sizes.empty() ? scales[i]
                               : static_cast<double>(line.out) /
                                     static_cast<double>(line.in);
    y = ResizeAxis(w, y, static_cast<int64_t>(2 + i), s, line);
  }
  return w.Done("Out", y);
}

}  // namespace

Status Interpolate(Context& context, const Operation& op) {
  MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  const bool nearest = op.type.starts_with("nearest");
  MUNJA_ASSIGN_OR_RETURN(const bool corners, Flag(op, {"align_corners"}, true));
  MUNJA_ASSIGN_OR_RETURN(const int64_t mode,
                         op.attributes.Int("align_mode", 1));
  graph::Attributes a;
  a.Set("mode", std::string(nearest ? "nearest" : "linear"));
  // Nearest samples round halves up with aligned corners and take the floor
  // without; align_mode is for linear ones.
  a.Set("coordinates", std::string(corners                ? "align_corners"
                                   : nearest || mode == 1 ? "asymmetric"
                                                          : "half_pixel"));
  a.Set("rounding", std::string(corners ? "round_prefer_ceil" : "floor"));
  MUNJA_ASSIGN_OR_RETURN(Ints sizes, GivenSizes(context, op));
  const bool cubic = op.type.starts_with("bicubic");
  if (sizes.empty()) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<double> scales,
                           GivenScales(context, op));
    if (!scales.empty() && cubic)
      return Cubic(context, op, x, corners, {}, scales);
    if (!scales.empty()) {
      a.Set("scale_h", scales[0]);
      a.Set("scale_w", scales[1]);
      return context.Emit(op, "Out", "Resize", {x}, std::move(a));
    }
    for (const char* name : {"out_h", "out_w"}) {
      MUNJA_ASSIGN_OR_RETURN(const int64_t size, op.attributes.Int(name, -1));
      sizes.push_back(size);
    }
    if (sizes[0] < 1 || sizes[1] < 1)
      return Malformed(op, " has neither factors nor sizes");
  }
  if (cubic) return Cubic(context, op, x, corners, sizes, {});
  a.Set("sizes", std::move(sizes));
  return context.Emit(op, "Out", "Resize", {x}, std::move(a));
}

// Samples a map at the positions of a grid.
Status GridSampler(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::string mode = w.Given(op.attributes.Text("mode", "bilinear"));
  graph::Attributes options;
  options.Set("mode", mode == "bilinear" ? std::string("linear") : mode);
  options.Set("padding", w.Given(op.attributes.Text("padding_mode", "zeros")));
  options.Set("align_corners",
              int64_t{w.Given(Flag(op, {"align_corners"}, true))});
  return w.Done("Output",
                w.Custom("MunjaGridSample", {w.Need("X"), w.Need("Grid")}, kF32,
                         options));
}

}  // namespace munja::importer::paddle
