// Detection: YOLO boxes, regions of interest, suppression by class.
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {

// Each anchor has maps of positions, sizes, objectness and class scores.
// Outputs boxes and scores, both zero where the objectness is below the
// threshold. Boxes are ordered by anchor, then by row.
Status YoloBox(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  const ValueId size = w.Cast(w.Need("ImgSize"), kF32);
  const Int64s anchors = w.Given(op.attributes.Ints("anchors"));
  const int64_t classes = w.Given(op.attributes.Int("class_num", 0));
  const double least = w.Given(op.attributes.Float("conf_thresh", 0));
  const int64_t step = w.Given(op.attributes.Int("downsample_ratio", 0));
  const bool clip = w.Given(Flag(op, {"clip_bbox"}, true));
  const double stretch = w.Given(op.attributes.Float("scale_x_y", 1));
  const bool has_overlap = w.Given(Flag(op, {"iou_aware"}, false));
  const double share = w.Given(op.attributes.Float("iou_aware_factor", 0.5));
  const auto count = static_cast<int64_t>(anchors.size() / 2);
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  constexpr int64_t kMost = 1 << 20;
  if (count < 1 || count > kMost || anchors.size() % 2 != 0 || classes < 1 ||
      classes > kMost || step < 1 || step > kMost)
    w.Damaged(anchors.size(), " sizes of anchors, ", classes,
              " classes, downsample_ratio ", step);
  if (w.ok() && (dims.size() != 4 ||
                 dims[1] != count * (5 + classes + int64_t{has_overlap}) ||
                 dims[2] < 1 || dims[3] < 1))
    w.Damaged("maps of shape ", ToString(dims));
  if (w.ok() && w.shape(size) != Dims{dims[0], 2})
    w.Damaged("image sizes of shape ", ToString(w.shape(size)));
  if (!w.ok()) return w.Done();
  const int64_t pictures = dims[0], rows = dims[2], columns = dims[3];
  const int64_t places = rows * columns;

  // Images, anchors, positions, values.
  const auto by_place = [&](ValueId maps, int64_t numbers) {
    return w.Transpose(w.Reshape(maps, {pictures, count, numbers, places}),
                       {0, 1, 3, 2});
  };
  ValueId overlap = kNoValue;
  if (has_overlap) {
    overlap = by_place(w.Slice(x, 1, 0, count), 1);
    x = w.Slice(x, 1, count, dims[1]);
  }
  x = by_place(x, 5 + classes);
  const auto numbers = [&](int64_t from, int64_t to) {
    return w.Slice(x, 3, from, to);
  };
  ValueId sure = w.Unary("Sigmoid", numbers(4, 5));
  if (has_overlap)
    sure = w.Mul(w.Binary("Pow", sure, w.Scalar(1 - share)),
                 w.Binary("Pow", w.Unary("Sigmoid", overlap), w.Scalar(share)));
  const ValueId kept = w.Not(w.Compare("LESS", sure, w.Scalar(least)));

  ValueId begin[2], end[2];
  for (const int64_t axis : {int64_t{0}, int64_t{1}}) {  // Across, down.
    const int64_t cells = axis == 0 ? columns : rows;
    std::vector<float> cell, anchor;
    for (int64_t i = 0; i < places; ++i)
      cell.push_back(static_cast<float>(axis == 0 ? i % columns : i / columns) -
                     static_cast<float>(0.5 * (stretch - 1)));
    for (int64_t i = 0; i < count; ++i)
      anchor.push_back(
          static_cast<float>(anchors[static_cast<size_t>(2 * i + axis)]) /
          static_cast<float>(step * cells));
    // ImgSize holds height and width.
    const ValueId picture =
        w.Reshape(w.Slice(size, 1, 1 - axis, 2 - axis), {pictures, 1, 1, 1});
    const ValueId middle = w.Mul(
        w.Mul(w.Add(w.Mul(w.Unary("Sigmoid", numbers(axis, axis + 1)), stretch),
                    w.Constant(Tensor::Floats({1, 1, places, 1}, cell))),
              1.0 / static_cast<double>(cells)),
        picture);
    const ValueId half =
        w.Mul(w.Mul(w.Mul(w.Unary("Exp", numbers(2 + axis, 3 + axis)),
                          w.Constant(Tensor::Floats({1, count, 1, 1}, anchor))),
                    picture),
              0.5);
    begin[axis] = w.Sub(middle, half);
    end[axis] = w.Add(middle, half);
    if (clip) {
      begin[axis] = w.Binary("Max", begin[axis], w.Scalar(0));
      end[axis] = w.Binary("Min", end[axis], w.Add(picture, -1));
    }
  }
  const auto list = [&](ValueId v, int64_t last) {
    return w.Reshape(w.Select(kept, v, w.Scalar(0)),
                     {pictures, count * places, last});
  };
  w.Set("Boxes", list(w.Concat({begin[0], begin[1], end[0], end[1]}, 3), 4));
  w.Set("Scores", list(w.Mul(sure, w.Unary("Sigmoid", numbers(5, 5 + classes))),
                       classes));
  return w.Done();
}

// Regions of the maps of one image.
Status RoiAlign(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), regions = w.Need("ROIs");
  if (!w.ok()) return w.Done();
  if (w.rank(x) != 4 || w.shape(x)[0] != 1)
    w.Refuse("maps of shape ", ToString(w.shape(x)), ", of one image only");
  if (w.rank(regions) != 2 || w.shape(regions)[1] != 4)
    w.Refuse("regions of shape ", ToString(w.shape(regions)));
  if (!w.ok()) return w.Done();
  // A zero for each region, however many there are.
  const ValueId left = w.Squeeze(w.Slice(regions, 1, 0, 1), {1});
  const ValueId of = w.Cast(w.Compare("LESS", left, left), kI32);
  graph::Attributes options;
  options.Set("height", w.Given(op.attributes.Int("pooled_height", 1)));
  options.Set("width", w.Given(op.attributes.Int("pooled_width", 1)));
  const int64_t samples = w.Given(op.attributes.Int("sampling_ratio", -1));
  options.Set("samples", samples > 0 ? samples : int64_t{0});
  options.Set("scale", w.Given(op.attributes.Float("spatial_scale", 1)));
  options.Set("half", int64_t{w.Given(Flag(op, {"aligned"}, false))});
  options.Set("max", int64_t{0});
  return w.Done("Out",
                w.Custom("MunjaRoiAlign", {x, regions, of}, kF32, options));
}

// Non-maximum suppression of the boxes of each class, and then the best ones of
// all classes: rows of class, score and box.
Status MulticlassNms(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId boxes = w.Need("BBoxes"), scores = w.Need("Scores");
  // Without it an image without boxes has one row that means none.
  if (op.type == "multiclass_nms2" && !w.wants("Index"))
    w.Refuse("no Index is asked for");
  if (w.has("RoisNum")) w.Refuse("boxes of several images in one list");
  if (w.Given(op.attributes.Float("nms_eta", 1)) != 1)
    w.Refuse("a threshold that falls (nms_eta)");
  if (w.rank(boxes) != 3 || w.rank(scores) != 3 || w.shape(boxes)[2] != 4)
    w.Refuse("boxes ", ToString(w.shape(boxes)), " and scores ",
             ToString(w.shape(scores)));
  graph::Attributes options;
  options.Set("most", int64_t{std::numeric_limits<int32_t>::max()});
  options.Set("raw", int64_t{1});
  options.Set("overlap", w.Given(op.attributes.Float("nms_threshold", 0.3)));
  options.Set("score", w.Given(op.attributes.Float("score_threshold", 0)));
  options.Set("candidates", w.Given(op.attributes.Int("nms_top_k", -1)));
  options.Set("keep", w.Given(op.attributes.Int("keep_top_k", -1)));
  options.Set("background", w.Given(op.attributes.Int("background_label", 0)));
  options.Set("pixels", int64_t{!w.Given(Flag(op, {"normalized"}, true))});
  if (!w.ok()) return w.Done();
  const int64_t pictures = w.shape(boxes)[0], count = w.shape(boxes)[1];
  const bool one = pictures == 1;
  if (!one && (pictures < 0 || (count < 0 && w.wants("Index"))))
    w.Refuse("a dynamic number of images or boxes");
  const ValueId kept = w.CustomMany("MunjaSelectBoxes", {boxes, scores}, {kI64},
                                    options, {{kUnknown, 3}})[0];
  const ValueId picture = w.Slice(kept, 1, 0, 1);
  const ValueId label = w.Slice(kept, 1, 1, 2);
  const ValueId box = w.Slice(kept, 1, 2, 3);
  const ValueId score =
      w.Unsqueeze(w.Tflite("GATHER_ND", {scores, kept}, kF32), {1});
  const ValueId corners =
      w.Tflite("GATHER_ND", {boxes, w.Concat({picture, box}, 1)}, kF32);
  w.Set("Out", w.Concat({w.Cast(label, kF32), score, corners}, 1));
  if (w.wants("Index")) {
    const ValueId first = w.Mul(picture, static_cast<double>(count));
    w.Set("Index", one ? box : w.Add(first, box));
  }
  if (w.wants("NmsRoisNum")) {
    if (one) {
      w.Set("NmsRoisNum", w.Slice(w.Neutral("Shape", {kept}), 0, 0, 1));
    } else {
      Int64s all(static_cast<size_t>(pictures));
      std::iota(all.begin(), all.end(), 0);
      const ValueId is = w.Compare("EQUAL", picture, w.List(all, kI64));
      w.Set("NmsRoisNum", w.Reduce("SUM", w.Cast(is, kI64), {0}, false));
    }
  }
  return w.Done();
}

}  // namespace munja::importer::paddle
