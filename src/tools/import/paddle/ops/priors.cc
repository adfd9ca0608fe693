// Boxes that detectors begin with, and boxes relative to them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Numbers = std::vector<float>;

constexpr size_t kMaxNumbers = size_t{1} << 24;

std::vector<double> Floats(Writer& w, const Operation& op, const char* name) {
  const graph::AttributeValue* v = op.attributes.Find(name);
  if (v == nullptr) return {};
  if (const auto* list = std::get_if<std::vector<double>>(v)) return *list;
  if (const auto* list = std::get_if<Int64s>(v))
    return std::vector<double>(list->begin(), list->end());
  w.Damaged(name, " is not a list of numbers");
  return {};
}

std::vector<double> Variances(Writer& w, const Operation& op,
                              const char* name) {
  std::vector<double> v = Floats(w, op, name);
  if (v.size() != 4) w.Damaged(name, " are not four");
  return v;
}

// The map and the image that boxes are for.
struct Places {
  int64_t rows = 0, columns = 0;
  double height = 0, width = 0;  // Size of the image.
  double step_h = 0, step_w = 0;
};

Places ReadPlaces(Writer& w, const Operation& op, const char* step_w,
                  const char* step_h) {
  Places p;
  const Dims map = w.Static(w.Need("Input"));
  const Dims picture = w.Static(w.Need("Image"));
  p.step_w = w.Given(op.attributes.Float(step_w, 0));
  p.step_h = w.Given(op.attributes.Float(step_h, 0));
  if (!w.ok()) return p;
  if (map.size() != 4 || picture.size() != 4 || map[2] < 1 || map[3] < 1)
    w.Damaged("a map of shape ", ToString(map), " of an image of shape ",
              ToString(picture));
  if (!w.ok()) return p;
  p.rows = map[2];
  p.columns = map[3];
  p.height = static_cast<double>(picture[2]);
  p.width = static_cast<double>(picture[3]);
  if (p.step_w == 0 || p.step_h == 0) {
    p.step_w = p.width / static_cast<double>(p.columns);
    p.step_h = p.height / static_cast<double>(p.rows);
  }
  return p;
}

// [rows, columns, n, 4] and the variances of each box.
Status Bind(Writer& w, Numbers boxes, int64_t rows, int64_t columns, bool flat,
            const std::vector<double>& variances, const char* first) {
  if (!w.ok()) return w.Done();
  const auto each =
      static_cast<int64_t>(boxes.size()) / std::max<int64_t>(1, rows * columns);
  const Dims dims = flat ? Dims{rows * columns * each / 4, 4}
                         : Dims{rows, columns, each / 4, 4};
  Numbers beside;
  for (size_t i = 0; i < boxes.size(); ++i)
    beside.push_back(static_cast<float>(variances[i % 4]));
  w.Set("Variances", w.Constant(Tensor::Floats(dims, std::move(beside))));
  w.Set(first, w.Constant(Tensor::Floats(dims, std::move(boxes))));
  return w.Done();
}

bool IsTooMany(Writer& w, const Places& p, size_t each) {
  if (w.ok() && each > 0 &&
      static_cast<size_t>(p.rows * p.columns) > kMaxNumbers / 4 / each)
    w.Refuse("too many boxes");
  return !w.ok();
}

}  // namespace

// At each position of a map, in fractions of the image: for each size a square
// and one for each ratio, and a larger square.
Status PriorBox(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::vector<double> least = Floats(w, op, "min_sizes");
  const std::vector<double> most = Floats(w, op, "max_sizes");
  const std::vector<double> given = Floats(w, op, "aspect_ratios");
  const std::vector<double> variances = Variances(w, op, "variances");
  const bool flip = w.Given(Flag(op, {"flip"}, true));
  const bool clip = w.Given(Flag(op, {"clip"}, true));
  const double offset = w.Given(op.attributes.Float("offset", 0.5));
  const bool ordered =
      w.Given(Flag(op, {"min_max_aspect_ratios_order"}, false));
  const Places p = ReadPlaces(w, op, "step_w", "step_h");
  if (least.empty() || (!most.empty() && most.size() != least.size()))
    w.Damaged(least.size(), " sizes from, ", most.size(), " to");
  std::vector<double> ratios = {1};
  for (const double r : given) {
    if (!(r > 0)) w.Damaged("a ratio of ", r);
    if (std::any_of(ratios.begin(), ratios.end(),
                    [&](double old) { return std::fabs(r - old) < 1e-6; }))
      continue;
    ratios.push_back(r);
    if (flip) ratios.push_back(1 / r);
  }
  if (IsTooMany(w, p, (ratios.size() + 1) * least.size())) return w.Done();
  Numbers boxes;
  for (int64_t y = 0; y < p.rows; ++y) {
    for (int64_t x = 0; x < p.columns; ++x) {
      const double cx = (static_cast<double>(x) + offset) * p.step_w;
      const double cy = (static_cast<double>(y) + offset) * p.step_h;
      const auto add = [&](double width, double height) {
        for (const double v :
             {(cx - width / 2) / p.width, (cy - height / 2) / p.height,
              (cx + width / 2) / p.width, (cy + height / 2) / p.height})
          boxes.push_back(
              static_cast<float>(clip ? std::clamp(v, 0.0, 1.0) : v));
      };
      for (size_t i = 0; i < least.size(); ++i) {
        const auto larger = [&] {
          if (most.empty()) return;
          const double side = std::sqrt(least[i] * most[i]);
          add(side, side);
        };
        if (ordered) {
          add(least[i], least[i]);
          larger();
        }
        for (const double r : ratios) {
          if (ordered && std::fabs(r - 1) < 1e-6) continue;
          add(least[i] * std::sqrt(r), least[i] / std::sqrt(r));
        }
        if (!ordered) larger();
      }
    }
  }
  return Bind(w, std::move(boxes), p.rows, p.columns, false, variances,
              "Boxes");
}

// A row of squares of each size, as many as its density.
Status DensityPriorBox(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::vector<double> sizes = Floats(w, op, "fixed_sizes");
  const std::vector<double> ratios = Floats(w, op, "fixed_ratios");
  const std::vector<double> densities = Floats(w, op, "densities");
  const std::vector<double> variances = Variances(w, op, "variances");
  const bool clip = w.Given(Flag(op, {"clip"}, true));
  const bool flat = w.Given(Flag(op, {"flatten_to_2d"}, false));
  const double offset = w.Given(op.attributes.Float("offset", 0.5));
  const Places p = ReadPlaces(w, op, "step_w", "step_h");
  size_t each = 0;
  for (const double d : densities) {
    if (!(d >= 1) || d > 64 || d != std::floor(d))
      w.Damaged("a density of ", d);
    else
      each += static_cast<size_t>(d * d) * ratios.size();
  }
  if (sizes.empty() || sizes.size() != densities.size() || ratios.empty())
    w.Damaged(sizes.size(), " sizes, ", densities.size(), " densities");
  if (IsTooMany(w, p, each)) return w.Done();
  Numbers boxes;
  const double step = std::trunc((p.step_w + p.step_h) * 0.5);
  for (int64_t y = 0; y < p.rows; ++y) {
    for (int64_t x = 0; x < p.columns; ++x) {
      const double cx = (static_cast<double>(x) + offset) * p.step_w;
      const double cy = (static_cast<double>(y) + offset) * p.step_h;
      for (size_t i = 0; i < sizes.size(); ++i) {
        const double shift = std::trunc(step / densities[i]);
        for (const double r : ratios) {
          const double width = sizes[i] * std::sqrt(r);
          const double height = sizes[i] / std::sqrt(r);
          for (double dy = 0; dy < densities[i]; ++dy) {
            for (double dx = 0; dx < densities[i]; ++dx) {
              const double mx = cx - step / 2 + shift / 2 + dx * shift;
              const double my = cy - step / 2 + shift / 2 + dy * shift;
              // These are cut always, those with `clip` once more.
              boxes.push_back(static_cast<float>(
                  std::max((mx - width / 2) / p.width, 0.0)));
              boxes.push_back(static_cast<float>(
                  std::max((my - height / 2) / p.height, 0.0)));
              boxes.push_back(static_cast<float>(
                  std::min((mx + width / 2) / p.width, 1.0)));
              boxes.push_back(static_cast<float>(
                  std::min((my + height / 2) / p.height, 1.0)));
            }
          }
        }
      }
    }
  }
  if (clip)
    for (float& v : boxes) v = std::clamp(v, 0.0f, 1.0f);
  return Bind(w, std::move(boxes), p.rows, p.columns, flat, variances, "Boxes");
}

// In pixels: each ratio in each size, rounded for the smallest.
Status AnchorGenerator(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::vector<double> sizes = Floats(w, op, "anchor_sizes");
  const std::vector<double> ratios = Floats(w, op, "aspect_ratios");
  const std::vector<double> variances = Variances(w, op, "variances");
  const std::vector<double> stride = Floats(w, op, "stride");
  const double offset = w.Given(op.attributes.Float("offset", 0.5));
  const Dims map = w.Static(w.Need("Input"));
  if (w.ok() && (map.size() != 4 || map[2] < 1 || map[3] < 1))
    w.Damaged("a map of shape ", ToString(map));
  if (stride.size() != 2 || sizes.empty() || ratios.empty() ||
      !(stride[0] > 0) || !(stride[1] > 0))
    w.Damaged("stride, anchor_sizes or aspect_ratios");
  if (!w.ok()) return w.Done();
  Places p;
  p.rows = map[2];
  p.columns = map[3];
  if (IsTooMany(w, p, sizes.size() * ratios.size())) return w.Done();
  Numbers boxes;
  for (int64_t y = 0; y < p.rows; ++y) {
    for (int64_t x = 0; x < p.columns; ++x) {
      const double cx =
          static_cast<double>(x) * stride[0] + offset * (stride[0] - 1);
      const double cy =
          static_cast<double>(y) * stride[1] + offset * (stride[1] - 1);
      for (const double r : ratios) {
        for (const double size : sizes) {
          const double base = std::round(std::sqrt(stride[0] * stride[1] / r));
          const double width = size / stride[0] * base;
          const double height = size / stride[1] * std::round(base * r);
          for (const double v :
               {cx - 0.5 * (width - 1), cy - 0.5 * (height - 1),
                cx + 0.5 * (width - 1), cy + 0.5 * (height - 1)})
            boxes.push_back(static_cast<float>(v));
        }
      }
    }
  }
  return Bind(w, std::move(boxes), p.rows, p.columns, false, variances,
              "Anchors");
}

namespace {

// Left, top, right, bottom of boxes whose last axis has these.
struct Corners {
  ValueId x1, y1, x2, y2;
};

Corners CornersOf(Writer& w, ValueId boxes) {
  const int64_t last = w.rank(boxes) - 1;
  const auto one = [&](int64_t i) { return w.Slice(boxes, last, i, i + 1); };
  return {one(0), one(1), one(2), one(3)};
}

}  // namespace

// Boxes as moves and stretches of prior ones, or back.
Status BoxCoder(Context& context, const Operation& op) {
  Writer w(context, op);
  const std::string type =
      w.Given(op.attributes.Text("code_type", "encode_center_size"));
  const bool normalized = w.Given(Flag(op, {"box_normalized"}, true));
  const int64_t axis = w.Given(op.attributes.Int("axis", 0));
  std::vector<double> variance = Floats(w, op, "variance");
  const bool decode = type == "decode_center_size";
  if (!decode && type != "encode_center_size") w.Damaged("code_type ", type);
  if (axis != 0 && axis != 1) w.Damaged("axis ", axis);
  ValueId prior = w.Need("PriorBox"), target = w.Need("TargetBox");
  ValueId scale = kNoValue;
  if (w.has("PriorBoxVar")) scale = w.Need("PriorBoxVar");
  if (!w.ok()) return w.Done();
  if (w.rank(prior) != 2 || w.rank(target) != (decode ? 3 : 2))
    w.Refuse("prior boxes of shape ", ToString(w.shape(prior)),
             " and boxes of shape ", ToString(w.shape(target)));
  if (!variance.empty() && variance.size() != 4)
    w.Damaged("variances that are not four");
  if (!w.ok()) return w.Done();
  // Each target is combined with each prior box: [1, n, 4], or [n, 1, 4] with
  // axis 1.
  const Int64s beside = {decode && axis == 1 ? int64_t{1} : int64_t{0}};
  prior = w.Unsqueeze(prior, beside);
  if (scale != kNoValue) {
    if (w.rank(scale) == 2) scale = w.Unsqueeze(scale, beside);
  } else if (!variance.empty()) {
    scale = w.Constant(
        Tensor::Floats({1, 1, 4}, Numbers(variance.begin(), variance.end())));
  }
  const double one = normalized ? 0 : 1;
  const Corners p = CornersOf(w, prior);
  const ValueId pw = w.Add(w.Sub(p.x2, p.x1), one);
  const ValueId ph = w.Add(w.Sub(p.y2, p.y1), one);
  const ValueId px = w.Add(p.x1, w.Mul(pw, 0.5));
  const ValueId py = w.Add(p.y1, w.Mul(ph, 0.5));
  if (decode) {
    const Corners t =
        CornersOf(w, scale != kNoValue ? w.Mul(target, scale) : target);
    const ValueId cx = w.Add(w.Mul(t.x1, pw), px);
    const ValueId cy = w.Add(w.Mul(t.y1, ph), py);
    const ValueId half_w = w.Mul(w.Mul(w.Unary("Exp", t.x2), pw), 0.5);
    const ValueId half_h = w.Mul(w.Mul(w.Unary("Exp", t.y2), ph), 0.5);
    return w.Done("OutputBox", w.Concat({w.Sub(cx, half_w), w.Sub(cy, half_h),
                                         w.Add(w.Add(cx, half_w), -one),
                                         w.Add(w.Add(cy, half_h), -one)},
                                        2));
  }
  const Corners t = CornersOf(w, w.Unsqueeze(target, {1}));
  const ValueId cx = w.Mul(w.Add(t.x1, t.x2), 0.5);
  const ValueId cy = w.Mul(w.Add(t.y1, t.y2), 0.5);
  const auto stretch = [&](ValueId size, ValueId of) {
    return w.Unary("Log", w.Unary("Abs", w.Div(size, of)));
  };
  ValueId y = w.Concat({w.Div(w.Sub(cx, px), pw), w.Div(w.Sub(cy, py), ph),
                        stretch(w.Add(w.Sub(t.x2, t.x1), one), pw),
                        stretch(w.Add(w.Sub(t.y2, t.y1), one), ph)},
                       2);
  if (scale != kNoValue) y = w.Div(y, scale);
  return w.Done("OutputBox", y);
}

// How much each box of X and each of Y have in common.
Status IouSimilarity(Context& context, const Operation& op) {
  Writer w(context, op);
  const double one = w.Given(Flag(op, {"box_normalized"}, true)) ? 0 : 1;
  const ValueId x = w.Need("X"), y = w.Need("Y");
  if (w.ok() && (w.rank(x) != 2 || w.rank(y) != 2))
    w.Refuse("boxes of several images");
  if (!w.ok()) return w.Done();
  const Corners a = CornersOf(w, w.Unsqueeze(x, {1}));
  const Corners b = CornersOf(w, w.Unsqueeze(y, {0}));
  const auto side = [&](ValueId from, ValueId to) {
    return w.Add(w.Sub(to, from), one);
  };
  const auto shared = [&](ValueId a1, ValueId a2, ValueId b1, ValueId b2) {
    return w.Unary("Relu",
                   side(w.Binary("Max", a1, b1), w.Binary("Min", a2, b2)));
  };
  const ValueId both =
      w.Mul(shared(a.x1, a.x2, b.x1, b.x2), shared(a.y1, a.y2, b.y1, b.y2));
  const ValueId all = w.Add(w.Mul(side(a.x1, a.x2), side(a.y1, a.y2)),
                            w.Mul(side(b.x1, b.x2), side(b.y1, b.y2)));
  return w.Done("Out", w.Squeeze(w.Div(both, w.Sub(all, both)), {2}));
}

}  // namespace munja::importer::paddle
