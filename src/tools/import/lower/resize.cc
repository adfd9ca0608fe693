#include <cmath>
#include <string>
#include <utility>

#include "import/lower/lowering_context.h"

namespace munja::importer {
namespace {

// How .tflite maps output samples to input samples.
struct Mapping {
  bool align_corners = false, half_pixel_centers = false;
};

// kUnsupported where no flag samples at exactly the same positions. `whole`:
// both factors are integers, at least 1.
Result<Mapping> Map(const std::string& mode, const std::string& coordinates,
                    const std::string& rounding, bool whole) {
  Mapping m;
  m.align_corners = coordinates == "align_corners";
  m.half_pixel_centers = coordinates == "half_pixel";
  if (mode != "nearest") return m;
  // .tflite: asymmetric takes the floor, align_corners rounds halves up,
  // half_pixel takes the floor of the position plus one half, which is
  // rounding, without ties when the factor is whole.
  const bool rounds = rounding != "floor";
  if (coordinates == "asymmetric" && !rounds) return m;
  if (coordinates == "align_corners" && rounding == "round_prefer_ceil")
    return m;
  if (coordinates == "half_pixel" && rounds && whole) return m;
  return Unsupported("nearest samples by ", coordinates, " and ", rounding,
                     " differ from all that .tflite offers");
}

}  // namespace

Status LowerResize(LoweringContext& context, const Node& node) {
  const Dims& x = context.ShapeOf(node.inputs[0]);
  const Dims& y = context.ShapeOf(node.outputs[0]);
  MUNJA_ASSIGN_OR_RETURN(const Dims sizes, node.attributes.Ints("sizes"));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         node.attributes.Text("mode", "nearest"));
  MUNJA_ASSIGN_OR_RETURN(const std::string coordinates,
                         node.attributes.Text("coordinates", "asymmetric"));
  MUNJA_ASSIGN_OR_RETURN(const std::string rounding,
                         node.attributes.Text("rounding", "floor"));
  const Layout layout = ChannelsLast(4);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId in,
                         context.In(node.inputs[0], layout));
  bool whole = true;
  std::vector<RuntimeSize> runtime(2);
  for (int i = 0; i < 2; ++i) {
    double scale = 1;
    if (sizes.empty()) {
      MUNJA_ASSIGN_OR_RETURN(
          scale, node.attributes.Float(i == 0 ? "scale_h" : "scale_w", 1));
      whole = whole && scale >= 1 && scale == std::floor(scale);
    } else {
      whole = whole && x[2 + i] > 0 && sizes[i] % x[2 + i] == 0;
    }
    if (y[2 + i] >= 0) {
      // The sizes alone must express the factor.
      if (sizes.empty() && coordinates != "align_corners" &&
          static_cast<double>(x[2 + i]) * scale !=
              static_cast<double>(y[2 + i]))
        return Unsupported("a factor of ", scale,
                           " that does not divide the size evenly");
      runtime[i].number = y[2 + i];
      continue;
    }
    if (scale < 1 || scale != std::floor(scale))
      return Unsupported("a factor of ", scale, " on an axis of unknown size");
    runtime[i].tensor = in;
    runtime[i].axis = 1 + i;
    runtime[i].factor = static_cast<int64_t>(scale);
  }
  MUNJA_ASSIGN_OR_RETURN(const Mapping mapping,
                         Map(mode, coordinates, rounding, whole));
  const graph::ValueId size = context.SizeVector(node, "size", runtime);
  graph::Attributes a;
  a.Set("align_corners", mapping.align_corners);
  a.Set("half_pixel_centers", mapping.half_pixel_centers);
  graph::Node& out = context.EmitTo(
      node, mode == "nearest" ? "RESIZE_NEAREST_NEIGHBOR" : "RESIZE_BILINEAR",
      {in, size}, layout, std::move(a));
  if (mapping.half_pixel_centers) out.version = 3;
  return {};
}

}  // namespace munja::importer
