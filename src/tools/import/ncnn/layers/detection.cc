// The last layers of object detectors: boxes from the outputs at each position.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

constexpr int kFromBlobs = -233;  // Size from the blobs.

constexpr size_t kMaxNumbers = size_t{1} << 24;

// Height and width of a map; both are known.
std::array<int64_t, 2> SizeOf(Writer& w, size_t i) {
  const ValueId map = w.Map(i);
  if (!w.ok()) return {1, 1};
  const int64_t height = w.shape(map)[2], width = w.shape(map)[3];
  if (height < 1 || width < 1)
    w.Refuse("a map of unknown size: boxes need the size of the image");
  return {std::max<int64_t>(height, 1), std::max<int64_t>(width, 1)};
}

// Non-maximum suppression of boxes [1, n, 4] by scores [1, classes, n], then
// rows of label, score and box, best first, as a blob.
struct Selection {
  double overlap = 0, score = 0;
  int64_t candidates = -1, keep = -1, background = -1;
};

Status Select(Writer& w, ValueId boxes, ValueId scores, const Selection& s,
              ValueId label_of_box) {
  graph::Attributes options;
  options.Set("most", int64_t{std::numeric_limits<int32_t>::max()});
  options.Set("raw", int64_t{1});
  options.Set("overlap", s.overlap);
  options.Set("score", s.score);
  options.Set("candidates", s.candidates);
  options.Set("keep", s.keep);
  options.Set("background", s.background);
  options.Set("pixels", int64_t{0});
  const ValueId kept = w.CustomMany("MunjaSelectBoxes", {boxes, scores}, {kI64},
                                    options, {{kUnknown, 3}})[0];
  const ValueId score = w.Tflite("GATHER_ND", {scores, kept}, kF32);
  // The boxes of all classes are sorted together.
  const ValueId count = w.Squeeze(
      w.Cast(w.Slice(w.Neutral("Shape", {kept}), 0, 0, 1), kI32), {0});
  const Values sorted = w.TfliteMany("TOPK_V2", {score, count}, {kF32, kI32},
                                     {}, {{kUnknown}, {kUnknown}});
  const ValueId rows = w.Gather(kept, sorted[1], 0);
  const ValueId box = w.Slice(rows, 1, 2, 3);
  const ValueId corners = w.Tflite(
      "GATHER_ND", {boxes, w.Concat({w.Slice(rows, 1, 0, 1), box}, 1)}, kF32);
  const ValueId label = label_of_box == kNoValue
                            ? w.Cast(w.Slice(rows, 1, 1, 2), kF32)
                            : w.Tflite("GATHER_ND", {label_of_box, box}, kF32);
  const ValueId table =
      w.Concat({label_of_box == kNoValue ? label : w.Unsqueeze(label, {1}),
                w.Unsqueeze(sorted[0], {1}), corners},
               1);
  return w.Done(w.Unsqueeze(table, {0}), 2);
}

}  // namespace

// Prior boxes at each position of a map, in fractions of the image: two rows,
// corners and variances, four values per box.
Status PriorBox(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const std::vector<double> smallest = w.Given(layer.Floats(0));
  const std::vector<double> largest = w.Given(layer.Floats(1));
  const std::vector<double> ratios = w.Given(layer.Floats(2));
  const float variances[] = {static_cast<float>(w.Given(layer.Float(3, 0.1))),
                             static_cast<float>(w.Given(layer.Float(4, 0.1))),
                             static_cast<float>(w.Given(layer.Float(5, 0.2))),
                             static_cast<float>(w.Given(layer.Float(6, 0.2)))};
  const bool flips = w.Given(layer.Int(7, 1)) != 0;
  const bool clips = w.Given(layer.Int(8, 0)) != 0;
  const int given_width = w.Given(layer.Int(9, 0));
  const int given_height = w.Given(layer.Int(10, 0));
  double step_x = w.Given(layer.Float(11, kFromBlobs));
  double step_y = w.Given(layer.Float(12, kFromBlobs));
  const auto offset = static_cast<float>(w.Given(layer.Float(13, 0)));
  const auto [height, width] = SizeOf(w, 0);
  const bool needs_picture =
      given_width == kFromBlobs || given_height == kFromBlobs;
  if (layer.inputs.size() != 2 && needs_picture)
    w.Refuse("boxes without an image (MXNet's)");
  if (smallest.empty()) w.Damaged("no sizes");
  if (!largest.empty() && largest.size() != smallest.size())
    w.Damaged(smallest.size(), " smallest sizes and ", largest.size(),
              " largest ones");
  std::array<int64_t, 2> picture = {1, 1};
  if (w.ok() && needs_picture) picture = SizeOf(w, 1);
  if (given_height != kFromBlobs) picture[0] = given_height;
  if (given_width != kFromBlobs) picture[1] = given_width;
  if (picture[0] < 1 || picture[1] < 1)
    w.Damaged("an image of ", picture[1], " x ", picture[0]);
  const size_t boxes =
      smallest.size() * (1 + ratios.size() * (flips ? 2 : 1)) + largest.size();
  if (w.ok() && boxes > kMaxNumbers / 4 / static_cast<size_t>(height * width))
    w.Refuse("too many boxes");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const auto picture_w = static_cast<float>(picture[1]),
             picture_h = static_cast<float>(picture[0]);
  if (step_x == kFromBlobs) step_x = picture_w / static_cast<float>(width);
  if (step_y == kFromBlobs) step_y = picture_h / static_cast<float>(height);
  // The boxes of one position, by their sizes.
  std::vector<std::array<float, 2>> sizes;
  for (size_t k = 0; k < smallest.size(); ++k) {
    const auto low = static_cast<float>(smallest[k]);
    sizes.push_back({low, low});
    if (!largest.empty()) {
      const float middle = std::sqrt(low * static_cast<float>(largest[k]));
      sizes.push_back({middle, middle});
    }
    for (const double ratio : ratios) {
      const float root = std::sqrt(static_cast<float>(ratio));
      sizes.push_back({low * root, low / root});
      if (flips) sizes.push_back({low / root, low * root});
    }
  }
  std::vector<float> numbers;
  numbers.reserve(8 * boxes * static_cast<size_t>(height * width));
  const auto add = [&](float v) {
    numbers.push_back(clips ? std::clamp(v, 0.0f, 1.0f) : v);
  };
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const auto sx = static_cast<float>(step_x),
                 sy = static_cast<float>(step_y);
      const float center_x = (offset + static_cast<float>(x)) * sx;
      const float center_y = (offset + static_cast<float>(y)) * sy;
      for (const auto& [box_w, box_h] : sizes) {
        add((center_x - box_w * 0.5f) / picture_w);
        add((center_y - box_h * 0.5f) / picture_h);
        add((center_x + box_w * 0.5f) / picture_w);
        add((center_y + box_h * 0.5f) / picture_h);
      }
    }
  }
  const auto count = static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < count; i += 4)
    numbers.insert(numbers.end(), variances, variances + 4);
  return w.Done(w.Constant(Tensor::Floats({1, 2, count}, std::move(numbers))),
                2);
}

// Decodes boxes relative to the prior boxes, then keeps the best of each class
// (class 0 is the background).
Status DetectionOutput(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t classes = w.Given(layer.Int(0, 0));
  Selection s;
  s.overlap = w.Given(layer.Float(1, 0.05));
  s.candidates = w.Given(layer.Int(2, 300));
  s.keep = w.Given(layer.Int(3, 100));
  s.score = static_cast<float>(w.Given(layer.Float(4, 0.5)));
  s.background = 0;
  if (classes == kFromBlobs) w.Refuse("classes before boxes (MXNet's)");
  if (w.in_rank(2) != 2) w.Refuse("prior boxes without variances");
  if (s.candidates < 0 || s.keep < 0) w.Damaged("less than no boxes");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const int64_t numbers = w.shape(w.in(2))[2];
  if (classes < 1 || numbers < 4 || numbers % 4 != 0)
    w.Damaged(classes, " classes of ", numbers / 4, " boxes");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const int64_t n = numbers / 4;
  const ValueId place = w.Reshape(w.in(0), {1, n, 4});
  const ValueId each = w.Reshape(w.in(1), {1, n, classes});
  const ValueId prior = w.Reshape(w.in(2), {2, n, 4});
  const ValueId box = w.Slice(prior, 0, 0, 1),
                variance = w.Slice(prior, 0, 1, 2);
  const auto half = [&](ValueId v, int64_t from) {
    return w.Slice(v, 2, from, from + 2);
  };
  const ValueId size = w.Sub(half(box, 2), half(box, 0));
  const ValueId center = w.Mul(w.Add(half(box, 0), half(box, 2)), 0.5);
  const ValueId moved = w.Mul(variance, place);
  const ValueId middle = w.Add(w.Mul(half(moved, 0), size), center);
  const ValueId extent =
      w.Mul(w.Mul(w.Unary("Exp", half(moved, 2)), size), 0.5);
  const ValueId corners =
      w.Concat({w.Sub(middle, extent), w.Add(middle, extent)}, 2);
  return Select(w, corners, w.Transpose(each, {0, 2, 1}), s, kNoValue);
}

// YOLO's third version: maps of boxes, each a center, a size, how sure it is
// that there is anything, and how sure of each class. The surest class counts,
// and boxes of all classes compete.
Status Yolov3DetectionOutput(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t classes = w.Given(layer.Int(0, 20));
  const int64_t own = w.Given(layer.Int(1, 5));
  const auto least = static_cast<float>(w.Given(layer.Float(2, 0.01)));
  Selection s;
  s.overlap = w.Given(layer.Float(3, 0.45));
  const std::vector<double> anchors = w.Given(layer.Floats(4));
  const std::vector<double> mask = w.Given(layer.Floats(5));
  const std::vector<double> scales = w.Given(layer.Floats(6));
  // From the threshold on, and not above it alone.
  s.score = std::nextafter(least, -1.0f);
  if (classes < 1 || own < 1 || scales.size() < layer.inputs.size() ||
      mask.size() < layer.inputs.size() * static_cast<size_t>(own))
    w.Damaged("anchors do not fit ", layer.inputs.size(), " maps");
  Values boxes, scores, labels;
  for (size_t b = 0; w.ok() && b < layer.inputs.size(); ++b) {
    const auto [height, width] = SizeOf(w, b);
    if (!w.ok()) break;
    if (w.shape(w.in(b))[1] != own * (5 + classes)) {
      w.Damaged("map ", b, " lacks ", own * (5 + classes), " channels");
      break;
    }
    const auto net_w = std::trunc(static_cast<float>(scales[b]) *
                                  static_cast<float>(width)),
               net_h = std::trunc(static_cast<float>(scales[b]) *
                                  static_cast<float>(height));
    // Per box and cell: corners of cells, sizes.
    std::vector<float> cells, sizes;
    for (int64_t k = 0; k < own; ++k) {
      const double index =
          mask[b * static_cast<size_t>(own) + static_cast<size_t>(k)];
      if (!(index >= 0 &&
            2 * index + 1 < static_cast<double>(anchors.size()))) {
        w.Damaged("an anchor that is not there");
        break;
      }
      const auto at = static_cast<size_t>(index) * 2;
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) {
          cells.push_back(static_cast<float>(x));
          cells.push_back(static_cast<float>(y));
          sizes.push_back(static_cast<float>(anchors[at]) / net_w);
          sizes.push_back(static_cast<float>(anchors[at + 1]) / net_h);
        }
      }
    }
    if (!w.ok()) break;
    const int64_t n = own * height * width;
    const ValueId each = w.Reshape(
        w.Transpose(w.Reshape(w.in(b), {own, 5 + classes, height * width}),
                    {0, 2, 1}),
        {1, n, 5 + classes});
    const auto part = [&](int64_t from, int64_t to) {
      return w.Slice(each, 2, from, to);
    };
    const ValueId grid = w.Constant(Tensor::Floats(
        {1, 1, 2},
        {1.0f / static_cast<float>(width), 1.0f / static_cast<float>(height)}));
    const ValueId center =
        w.Mul(w.Add(w.Unary("Sigmoid", part(0, 2)),
                    w.Constant(Tensor::Floats({1, n, 2}, std::move(cells)))),
              grid);
    const ValueId extent =
        w.Mul(w.Mul(w.Unary("Exp", part(2, 4)),
                    w.Constant(Tensor::Floats({1, n, 2}, std::move(sizes)))),
              0.5);
    boxes.push_back(
        w.Concat({w.Sub(center, extent), w.Add(center, extent)}, 2));
    const ValueId of_class = part(5, 5 + classes);
    const ValueId best =
        w.Unary("Sigmoid", w.Reduce("REDUCE_MAX", of_class, {2}, true));
    scores.push_back(w.Mul(w.Unary("Sigmoid", part(4, 5)), best));
    labels.push_back(w.TopK(of_class, 1, 2, true)[1]);
  }
  if (!w.ok()) return w.Done(kNoValue, 2);
  const ValueId score = w.Transpose(w.Concat(scores, 1), {0, 2, 1});
  // A background class comes before the others.
  const ValueId label = w.Add(
      w.Reshape(w.Cast(w.Concat(labels, 1), kF32), {w.shape(score)[2]}), 1);
  return Select(w, w.Concat(boxes, 1), score, s, label);
}

}  // namespace munja::importer::ncnn
