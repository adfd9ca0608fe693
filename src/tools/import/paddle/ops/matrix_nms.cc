// Non-maximum suppression that drops no box but lowers its score, of all boxes
// of a class at once.
#include <algorithm>
#include <utility>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

constexpr int64_t kMaxPairs = 1 << 25;

constexpr double kNone = -3e38;  // The score of a box that is left out.

// How much two boxes have in common, of what both cover: [..., i, j] of boxes
// [..., i, 4]. Turned ones have no area.
ValueId Overlaps(Writer& w, ValueId boxes, int64_t classes, int64_t count,
                 double pixel) {
  const auto sides = [&](int64_t from, bool across) {
    return w.Reshape(
        w.Slice(boxes, 2, from, from + 1),
        across ? Dims{classes, 1, count} : Dims{classes, count, 1});
  };
  const ValueId zero = w.Scalar(0);
  ValueId both = kNoValue, area = kNoValue, other = kNoValue;
  for (const int64_t axis : {int64_t{0}, int64_t{1}}) {
    const ValueId from = sides(axis, false), to = sides(axis + 2, false);
    const ValueId from_2 = sides(axis, true), to_2 = sides(axis + 2, true);
    const ValueId begin = w.Binary("Max", from, from_2);
    const ValueId end = w.Binary("Min", to, to_2);
    const auto times = [&](ValueId product, ValueId a, ValueId b) {
      const ValueId side =
          w.Select(w.Compare("LESS", b, a), zero, w.Add(w.Sub(b, a), pixel));
      return product == kNoValue ? side : w.Mul(product, side);
    };
    both = times(both, begin, end);
    area = times(area, from, to);
    other = times(other, from_2, to_2);
  }
  const ValueId all = w.Sub(w.Add(area, other), both);
  return w.Select(w.Compare("GREATER", both, zero), w.Div(both, all), zero);
}

}  // namespace

// A box keeps as much of its score as better boxes leave to it.
Status MatrixNms(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId boxes = w.Need("BBoxes"), scores = w.Need("Scores");
  const int64_t background = w.Given(op.attributes.Int("background_label", 0));
  const double least = w.Given(op.attributes.Float("score_threshold", 0));
  const double least_after = w.Given(op.attributes.Float("post_threshold", 0));
  const int64_t top = w.Given(op.attributes.Int("nms_top_k", -1));
  const int64_t keep = w.Given(op.attributes.Int("keep_top_k", -1));
  const bool normalized = w.Given(Flag(op, {"normalized"}, true));
  const bool gaussian = w.Given(Flag(op, {"use_gaussian"}, false));
  const double sigma = w.Given(op.attributes.Float("gaussian_sigma", 2));
  const Dims dims = w.Static(boxes), of = w.Static(scores);
  if (!w.ok()) return w.Done();
  if (dims.size() != 3 || dims[0] != 1 || dims[2] != 4 || of.size() != 3 ||
      of[0] != 1 || of[2] != dims[1] || dims[1] < 1)
    w.Refuse("boxes ", ToString(dims), " and scores ", ToString(of));
  Int64s classes;
  for (int64_t c = 0; w.ok() && c < of[1]; ++c)
    if (c != background) classes.push_back(c);
  const auto kinds = static_cast<int64_t>(classes.size());
  const int64_t count = top < 0 ? dims[1] : std::min(top, dims[1]);
  if (w.ok() && (kinds < 1 || count < 1 || kinds > kMaxPairs / count / count))
    w.Refuse(count, " boxes of ", kinds, " classes");
  if (!w.ok()) return w.Done();

  const Values best = w.TopK(
      w.Gather(w.Reshape(scores, {of[1], of[2]}), w.List(classes, kI64), 0),
      count, 1, true);
  const ValueId list = w.Reshape(boxes, {dims[1], 4});
  const ValueId overlap =
      Overlaps(w, w.Gather(list, best[1], 0), kinds, count, normalized ? 0 : 1);
  // Only better boxes count: those before.
  std::vector<float> before;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < count; ++j) before.push_back(j < i ? 1 : 0);
  const ValueId beside =
      w.Mul(overlap, w.Constant(Tensor::Floats({1, count, count}, before)));
  // The largest overlap of the better box with still better ones.
  const ValueId most =
      w.Reshape(w.Reduce("REDUCE_MAX", beside, {2}, false), {kinds, 1, count});
  ValueId left;
  if (gaussian)
    left = w.Unary(
        "Exp", w.Mul(w.Sub(w.Unary("Square", most), w.Unary("Square", beside)),
                     sigma));
  else
    left = w.Div(w.Add(w.Unary("Neg", beside), 1),
                 w.Add(w.Unary("Neg", most), 1 + 1e-10));
  for (float& v : before) v = 1 - v;
  const ValueId is_not = w.Compare(
      "GREATER", w.Constant(Tensor::Floats({1, count, count}, before)),
      w.Scalar(0.5));
  left = w.Binary(
      "Min",
      w.Reduce("REDUCE_MIN", w.Select(is_not, w.Scalar(1), left), {2}, false),
      w.Scalar(1));
  const ValueId after = w.Mul(best[0], left);
  const ValueId stays =
      w.Logical("LOGICAL_AND", w.Compare("GREATER", best[0], w.Scalar(least)),
                w.Compare("GREATER", after, w.Scalar(least_after)));

  // The best of all classes.
  const int64_t all = kinds * count;
  const Values chosen =
      w.TopK(w.Reshape(w.Select(stays, after, w.Scalar(kNone)), {all}),
             keep < 0 ? all : std::min(keep, all), 0, true);
  const ValueId rows = w.Reshape(
      w.TfliteMany("WHERE",
                   {w.Compare("GREATER", chosen[0], w.Scalar(kNone / 2))},
                   {kI64}, {}, {{kUnknown, 1}})[0],
      {-1});
  const ValueId places = w.Gather(chosen[1], rows, 0);
  const ValueId index = w.Gather(w.Reshape(best[1], {all}), places, 0);
  std::vector<float> labels;
  for (const int64_t c : classes)
    labels.insert(labels.end(), static_cast<size_t>(count),
                  static_cast<float>(c));
  const ValueId label =
      w.Gather(w.Constant(Tensor::Floats({all}, std::move(labels))), places, 0);
  w.Set("Out", w.Concat({w.Unsqueeze(label, {1}),
                         w.Unsqueeze(w.Gather(chosen[0], rows, 0), {1}),
                         w.Gather(list, index, 0)},
                        1));
  w.Set("Index", w.Unsqueeze(index, {1}));
  w.Set("RoisNum", w.Neutral("Shape", {rows}));
  return w.Done();
}

}  // namespace munja::importer::paddle
