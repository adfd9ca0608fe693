// The parts between the stages of two-stage detectors: proposals from maps, and
// their assignment to levels. One image only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

constexpr double kLeftOut = -3e38;  // A score that stands for no region.

constexpr int64_t kMaxRegions = 1 << 16;

ValueId Column(Writer& w, ValueId rows, int64_t i) {
  return w.Slice(rows, 1, i, i + 1);
}

ValueId CountOf(Writer& w, ValueId list) {
  return w.Cast(w.Slice(w.Neutral("Shape", {list}), 0, 0, 1), kI64);
}

// By its name in the old format or the one in the new format.
int64_t EitherName(Writer& w, const Operation& op, const char* old,
                   const char* now, int64_t otherwise) {
  return w.Given(
      op.attributes.Int(op.attributes.Has(old) ? old : now, otherwise));
}

}  // namespace

// The best regions of a map: decoded anchors, clipped to the image, of a
// minimum size, with overlapping ones suppressed by better ones.
Status GenerateProposals(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId scores = w.Need("Scores"), moves = w.Need("BboxDeltas");
  const ValueId size = w.Cast(w.Need("ImShape"), kF32);
  const ValueId anchors = w.Need("Anchors"), spread = w.Need("Variances");
  const int64_t before =
      EitherName(w, op, "pre_nms_topN", "pre_nms_top_n", 6000);
  const int64_t after =
      EitherName(w, op, "post_nms_topN", "post_nms_top_n", 1000);
  const double overlap = w.Given(op.attributes.Float("nms_thresh", 0.5));
  const double least =
      std::max(w.Given(op.attributes.Float("min_size", 0.1)), 1.0);
  const double pixel = w.Given(Flag(op, {"pixel_offset"}, true)) ? 1.0 : 0.0;
  if (w.Given(op.attributes.Float("eta", 1)) != 1)
    w.Refuse("a threshold that falls (eta)");
  if (overlap <= 0) w.Refuse("regions that drop no others");
  const Dims dims = w.Static(scores);
  if (!w.ok()) return w.Done();
  if (dims.size() != 4 || dims[0] != 1 || dims[1] < 1 || dims[2] < 1 ||
      dims[3] < 1)
    w.Refuse("scores of shape ", ToString(dims));
  if (w.ok() && w.shape(moves) != Dims{1, 4 * dims[1], dims[2], dims[3]})
    w.Damaged("moves of shape ", ToString(w.shape(moves)));
  if (w.ok() && w.shape(size) != Dims{1, 2})
    w.Damaged("image sizes of shape ", ToString(w.shape(size)));
  if (!w.ok()) return w.Done();
  const int64_t all = w.Given(CountElements(dims));
  if (!w.ok()) return w.Done();
  const int64_t count = before > 0 ? std::min(before, all) : all;
  if (count > kMaxRegions) w.Refuse(count, " regions");
  const Values best = w.TopK(
      w.Reshape(w.Transpose(scores, {0, 2, 3, 1}), {all}), count, 0, true);
  const auto chosen = [&](ValueId v) {
    return w.Gather(w.Reshape(v, {all, 4}), best[1], 0);
  };
  const ValueId move =
      w.Mul(chosen(w.Transpose(moves, {0, 2, 3, 1})), chosen(spread));
  const ValueId anchor = chosen(anchors);
  ValueId begin[2], end[2], fits = kNoValue;
  const auto must = [&](ValueId condition) {
    fits = fits == kNoValue ? condition
                            : w.Logical("LOGICAL_AND", fits, condition);
  };
  for (const int64_t axis : {int64_t{0}, int64_t{1}}) {  // Across, down.
    const ValueId limit =
        w.Reshape(w.Slice(size, 1, 1 - axis, 2 - axis), Dims());
    const ValueId from = Column(w, anchor, axis);
    const ValueId side = w.Add(w.Sub(Column(w, anchor, axis + 2), from), pixel);
    const ValueId middle = w.Add(w.Mul(Column(w, move, axis), side),
                                 w.Add(from, w.Mul(side, 0.5)));
    // No region grows by more than that.
    const ValueId half =
        w.Mul(w.Mul(w.Unary("Exp", w.Binary("Min", Column(w, move, axis + 2),
                                            w.Scalar(std::log(1000.0 / 16)))),
                    side),
              0.5);
    const auto inside = [&](ValueId v) {
      return w.Binary("Max", w.Binary("Min", v, w.Add(limit, -pixel)),
                      w.Scalar(0));
    };
    begin[axis] = inside(w.Sub(middle, half));
    end[axis] = inside(w.Add(w.Add(middle, half), -pixel));
    const ValueId now = w.Add(w.Sub(end[axis], begin[axis]), pixel);
    must(w.Compare("GREATER_EQUAL", now, w.Scalar(least)));
    if (pixel > 0)
      must(w.Compare("LESS_EQUAL", w.Add(begin[axis], w.Mul(now, 0.5)), limit));
  }
  const ValueId boxes = w.Concat({begin[0], begin[1], end[0], end[1]}, 1);
  graph::Attributes options;
  options.Set("most", int64_t{std::numeric_limits<int32_t>::max()});
  options.Set("raw", int64_t{1});
  options.Set("overlap", overlap);
  options.Set("score", kLeftOut / 2);
  options.Set("keep", after > 0 ? after : int64_t{-1});
  options.Set("pixels", int64_t{pixel > 0});
  const ValueId kept = w.CustomMany(
      "MunjaSelectBoxes",
      {w.Reshape(boxes, {1, count, 4}),
       w.Reshape(
           w.Select(w.Reshape(fits, {count}), best[0], w.Scalar(kLeftOut)),
           {1, 1, count})},
      {kI64}, options, {{kUnknown, 3}})[0];
  const ValueId index = w.Reshape(w.Slice(kept, 1, 2, 3), {-1});
  // An empty list becomes one box without size.
  const ValueId number = w.Binary("Max", CountOf(w, index), w.Scalar(1, kI64));
  const ValueId rows = w.TfliteMany(
      "RANGE",
      {w.Scalar(0, kI64), w.Reshape(number, Dims()), w.Scalar(1, kI64)}, {kI64},
      {}, {{kUnknown}})[0];
  const auto list = [&](ValueId v, int64_t width) {
    const ValueId none = w.Constant(Tensor::Floats(
        {1, width}, std::vector<float>(static_cast<size_t>(width), 0.0f)));
    return w.Gather(w.Concat({w.Gather(v, index, 0), none}, 0), rows, 0);
  };
  w.Set("RpnRois", list(boxes, 4));
  w.Set("RpnRoiProbs", list(w.Reshape(best[0], {count, 1}), 1));
  w.Set("RpnRoisNum", number);
  return w.Done();
}

// Each region to a map, by its size: lists of them, and where each went.
Status DistributeProposals(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId boxes = w.Need("FpnRois");
  const int64_t first = w.Given(op.attributes.Int("min_level", 2));
  const int64_t last = w.Given(op.attributes.Int("max_level", 5));
  const auto middle =
      static_cast<double>(w.Given(op.attributes.Int("refer_level", 4)));
  const auto scale =
      static_cast<double>(w.Given(op.attributes.Int("refer_scale", 224)));
  const double pixel = w.Given(Flag(op, {"pixel_offset"}, true)) ? 1.0 : 0.0;
  if (!w.ok()) return w.Done();
  constexpr int64_t kMaxLevels = 64;
  if (w.rank(boxes) != 2 || w.shape(boxes)[1] != 4)
    w.Refuse("regions of shape ", ToString(w.shape(boxes)));
  if (last < first || last - first >= kMaxLevels || scale < 1)
    w.Damaged("levels ", first, " to ", last);
  if (!w.ok()) return w.Done();
  const ValueId zero = w.Scalar(0);
  ValueId sides[2], turned = kNoValue;
  for (const int64_t axis : {int64_t{0}, int64_t{1}}) {
    const ValueId side =
        w.Sub(Column(w, boxes, axis + 2), Column(w, boxes, axis));
    const ValueId is_turned = w.Compare("LESS", side, zero);
    turned = turned == kNoValue ? is_turned
                                : w.Logical("LOGICAL_OR", turned, is_turned);
    sides[axis] = w.Add(side, pixel);
  }
  const ValueId area = w.Select(turned, zero, w.Mul(sides[0], sides[1]));
  const ValueId level = w.Unary(
      "Floor",
      w.Add(w.Mul(w.Unary("Log",
                          w.Add(w.Mul(w.Unary("Sqrt", area), 1 / scale), 1e-6)),
                  1 / std::log(2.0)),
            middle));
  const ValueId at = w.Reshape(w.Neutral("Clip", {level},
                                         {{"min", static_cast<double>(first)},
                                          {"max", static_cast<double>(last)}}),
                               {-1});
  // A region's index in the concatenation of all lists.
  ValueId place = kNoValue, offset = w.Scalar(0, kI64);
  const auto each = [&](const char* output, int64_t i, ValueId v) {
    const auto it = op.outputs.find(output);
    const auto to = static_cast<size_t>(i);
    if (w.ok() && it != op.outputs.end() && it->second.size() > to)
      w.Keep(context.Bind(op, output, v, to));
  };
  for (int64_t l = first; l <= last; ++l) {
    const ValueId is = w.Compare("EQUAL", at, w.Scalar(static_cast<double>(l)));
    const ValueId rows = w.Reshape(
        w.TfliteMany("WHERE", {is}, {kI64}, {}, {{kUnknown, 1}})[0], {-1});
    each("MultiFpnRois", l - first, w.Gather(boxes, rows, 0));
    const ValueId number = CountOf(w, rows);
    each("MultiLevelRoIsNum", l - first, number);
    const ValueId ones = w.Cast(is, kI64);
    const ValueId counted = w.Tflite("CUMSUM", {ones, w.Scalar(0, kI32)}, kI64,
                                     {{"exclusive", true}, {"reverse", false}});
    const ValueId here = w.Mul(ones, w.Add(counted, offset));
    place = place == kNoValue ? here : w.Add(place, here);
    offset = w.Add(offset, w.Reshape(number, Dims()));
  }
  w.Set("RestoreIndex", w.Cast(w.Unsqueeze(place, {1}), kI64));
  return w.Done();
}

// The best regions of all maps.
Status CollectProposals(Context& context, const Operation& op) {
  Writer w(context, op);
  const Values lists = w.Given(context.All(op, "MultiLevelRois"));
  const Values scores = w.Given(context.All(op, "MultiLevelScores"));
  const int64_t most = EitherName(w, op, "post_nms_topN", "post_nms_topn", 0);
  if (lists.empty() || lists.size() != scores.size())
    w.Damaged(lists.size(), " lists of regions");
  if (most < 1 || most > kMaxRegions) w.Refuse("post_nms_topN ", most);
  if (!w.ok()) return w.Done();
  // Regions that are none follow, so that there are enough.
  Values boxes = lists, sure;
  for (const ValueId v : scores) sure.push_back(w.Reshape(v, {-1}));
  boxes.push_back(w.Constant(Tensor::Floats(
      {most, 4}, std::vector<float>(static_cast<size_t>(4 * most), 0.0f))));
  sure.push_back(w.Constant(Tensor::Floats(
      {most}, std::vector<float>(static_cast<size_t>(most),
                                 static_cast<float>(kLeftOut)))));
  const Values best = w.TopK(w.Concat(sure, 0), most, 0, true);
  const ValueId rows = w.Reshape(
      w.TfliteMany("WHERE",
                   {w.Compare("GREATER", best[0], w.Scalar(kLeftOut / 2))},
                   {kI64}, {}, {{kUnknown, 1}})[0],
      {-1});
  w.Set("FpnRois", w.Gather(w.Concat(boxes, 0), w.Gather(best[1], rows, 0), 0));
  w.Set("RoisNum", CountOf(w, rows));
  return w.Done();
}

}  // namespace munja::importer::paddle
