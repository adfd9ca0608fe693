// Regions and suppression of boxes.
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

Status SelectBoxes(Context& context, const Operator& op) {
  Writer w(context, op);
  bool present = false;
  const Int64s most = w.Ints("max_output_boxes_per_class", 2, &present);
  graph::Attributes options;
  options.Set("most", most.empty() ? int64_t{0} : most[0]);
  options.Set("overlap", w.Number("iou_threshold", 3, 0));
  if (w.has(4)) options.Set("score", w.Number("score_threshold", 4, 0));
  options.Set("center", w.Int("center_point_box", 0));
  return w.Done(w.CustomMany("MunjaSelectBoxes", {w.Need(0), w.Need(1)}, {kI64},
                             options, {{kUnknown, 3}})[0]);
}

Status RoiAlign(Context& context, const Operator& op) {
  Writer w(context, op);
  // Before set 16 there was no half.
  const std::string mode =
      w.Text("coordinate_transformation_mode",
             w.opset() < 16 ? "output_half_pixel" : "half_pixel");
  const std::string kind = w.Text("mode", "avg");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    w.Damaged("coordinate_transformation_mode ", mode);
  if (kind != "avg" && kind != "max") w.Damaged("mode ", kind);
  graph::Attributes options;
  options.Set("height", w.Int("output_height", 1));
  options.Set("width", w.Int("output_width", 1));
  options.Set("samples", w.Int("sampling_ratio", 0));
  options.Set("scale", w.Float("spatial_scale", 1));
  options.Set("half", int64_t{mode == "half_pixel"});
  options.Set("max", int64_t{kind == "max"});
  return w.Done(w.Custom("MunjaRoiAlign",
                         {w.Need(0), w.Need(1), w.Cast(w.Need(2), kI32)}, kF32,
                         options));
}

}  // namespace munja::importer::onnx
