// Operators that compare, and those that choose elements by their values.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "import/paddle/writer.h"

namespace munja::foreign::paddle {

// To truth values; those themselves are only the same or not.
Status Compare(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = kNoValue, y = kNoValue;
  if (!w.Pair(&x, &y)) return w.Done();
  const char* name = op.type == "equal"          ? "EQUAL"
                     : op.type == "not_equal"    ? "NOT_EQUAL"
                     : op.type == "less_than"    ? "LESS"
                     : op.type == "less_equal"   ? "LESS_EQUAL"
                     : op.type == "greater_than" ? "GREATER"
                                                 : "GREATER_EQUAL";
  return w.Done("Out", w.Compare(name, x, y));
}

Status Logical(Context& context, const Operation& op) {
  Writer w(context, op);
  const auto truth = [&](ValueId v) {
    return w.type(v) == ElementType::kBool || !w.ok()
               ? v
               : w.Compare("NOT_EQUAL", v, w.Like(v, 0));
  };
  const ValueId x = truth(w.Need("X"));
  if (op.type == "logical_not") return w.Done("Out", w.Not(x));
  const ValueId y = truth(w.Need("Y"));
  if (op.type == "logical_xor")
    return w.Done("Out", w.Compare("NOT_EQUAL", x, y));
  return w.Done(
      "Out",
      w.Logical(op.type == "logical_and" ? "LOGICAL_AND" : "LOGICAL_OR", x, y));
}

// Elements of X where the condition holds, those of Y elsewhere.
Status Where(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId condition = w.Need("Condition");
  ValueId x = w.Need("X"), y = w.Need("Y");
  if (!w.ok()) return w.Done();
  w.Match(&x, &y);
  return w.Done("Out", w.Select(condition, x, y));
}

// The first version knows the last axis and the largest alone.
Status TopK(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t k = w.Number("K", w.Given(op.attributes.Int("k", 1)));
  const bool any = op.type == "top_k_v2";
  const int64_t axis = any ? w.Given(op.attributes.Int("axis", -1)) : -1;
  const bool largest = any ? w.Given(Flag(op, {"largest"}, true)) : true;
  const Values both = w.TopK(x, k, axis, largest);
  w.Set("Out", both[0]);
  w.Set("Indices", both[1]);
  return w.Done();
}

// Rows by indices that hold one number for each of the first axes.
Status GatherNd(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), index = w.Need("Index");
  return w.Done("Out", w.Tflite("GATHER_ND", {x, index}, w.type(x)));
}

// Non-maximum suppression of the boxes of each class, and then the best ones of
// all classes: rows of class, score and box.
Status MulticlassNms(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId boxes = w.Need("BBoxes"), scores = w.Need("Scores");
  // Without it a picture without boxes has a row that stands for none.
  if (op.type == "multiclass_nms2" && !w.wants("Index"))
    w.Refuse("no Index is asked for");
  if (w.has("RoisNum")) w.Refuse("boxes of several pictures in one list");
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
    w.Refuse("an unknown number of pictures or boxes");
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

// Each tap looks beside its place; the second version weighs it besides.
Status DeformableConvolution(Context& context, const Operation& op) {
  Writer w(context, op);
  Values inputs = {w.Need("Input"), w.Need("Filter"), w.Need("Offset")};
  if (w.ok() && w.rank(inputs[0]) != 4)
    w.Refuse("maps of shape ", ToString(w.shape(inputs[0])));
  if (op.type == "deformable_conv") {
    inputs.push_back(kNoValue);  // The bias, which an operator behind it adds.
    inputs.push_back(w.Need("Mask"));
  }
  const auto two = [&](Int64s given, const char* name, int64_t fallback) {
    if (given.empty()) given = {fallback, fallback};
    if (given.size() != 2) w.Damaged(name, " ", ToString(given));
    given.resize(2);
    return given;
  };
  Int64s pads = two(w.Given(op.attributes.Ints("paddings")), "paddings", 0);
  pads.insert(pads.end(), {pads[0], pads[1]});
  graph::Attributes options;
  options.Set("strides",
              two(w.Given(op.attributes.Ints("strides")), "strides", 1));
  options.Set("dilations",
              two(w.Given(op.attributes.Ints("dilations")), "dilations", 1));
  options.Set("pads", std::move(pads));
  options.Set("group", w.Given(op.attributes.Int("groups", 1)));
  options.Set("offset_group",
              w.Given(op.attributes.Int("deformable_groups", 1)));
  return w.Done("Output",
                w.Custom("MunjaDeformConv", std::move(inputs), kF32, options));
}

}  // namespace munja::foreign::paddle
