// MunjaSelectBoxes, a custom operator: non-maximum suppression of the boxes of
// each picture and class by themselves.
//
// Inputs, float32: boxes [pictures, n, 4], two corners as y, x, y, x or, with
// the option "center", center x, center y, width, height; scores [pictures,
// classes, n]. Output, int64: [m, 3], picture, class and box of those that are
// kept, best first within each class; of equal scores the first one. Options:
// "most" of each class, "overlap" (intersection over union from which on a
// better box drops one), "score" (only boxes above it, where given).
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::select_boxes {
namespace {

struct Options {
  int64_t most = 0;
  double overlap = 0, score = -std::numeric_limits<double>::infinity();
  bool center = false;
};

struct Box {
  float top, left, bottom, right;
};

Box Read(const float* p, bool center) {
  if (center)
    return {p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2};
  return {std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]),
          std::max(p[1], p[3])};
}

double Overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0 && width > 0)) return 0;
  const double area = [](const Box& x) {
    return static_cast<double>(x.bottom - x.top) * (x.right - x.left);
  }(a) + static_cast<double>(b.bottom - b.top) * (b.right - b.left);
  const double both = height * width;
  return both / (area - both);
}

class SelectKernel final : public Kernel {
 public:
  explicit SelectKernel(const Options& options) : o_(options) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& boxes = context.input(0);
    const TensorView& scores = context.input(1);
    for (const TensorView* view : {&boxes, &scores})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "the operand", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kInt64}));
    if (boxes.shape.rank() != 3 || scores.shape.rank() != 3 ||
        boxes.shape[2] != 4 || scores.shape[0] != boxes.shape[0] ||
        scores.shape[2] != boxes.shape[1])
      return InvalidArgument("boxes " + boxes.shape.ToString() +
                             " and scores " + scores.shape.ToString() +
                             " do not fit");
    context.DeferOutputShape(0);
    return {};
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& boxes = context.input(0);
    const TensorView& scores = context.input(1);
    const int64_t n = boxes.shape[1], classes = scores.shape[1];
    std::vector<int64_t> kept;
    std::vector<int64_t> order;
    std::vector<Box> chosen;
    for (int64_t picture = 0; picture < boxes.shape[0]; ++picture) {
      for (int64_t c = 0; c < classes; ++c) {
        const float* score = scores.as<float>() + (picture * classes + c) * n;
        order.clear();
        chosen.clear();
        for (int64_t i = 0; i < n; ++i)
          if (score[i] > o_.score) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return score[a] > score[b];
        });
        for (const int64_t i : order) {
          if (static_cast<int64_t>(chosen.size()) >= o_.most) break;
          const Box box =
              Read(boxes.as<float>() + (picture * n + i) * 4, o_.center);
          if (std::any_of(chosen.begin(), chosen.end(), [&](const Box& b) {
                return Overlap(b, box) > o_.overlap;
              }))
            continue;
          chosen.push_back(box);
          kept.insert(kept.end(), {picture, c, i});
        }
      }
    }
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(
        0, Shape{static_cast<int32_t>(kept.size() / 3), 3}));
    if (!kept.empty())
      std::memcpy(context.output(0).data, kept.data(),
                  kept.size() * sizeof(int64_t));
    return {};
  }

 private:
  Options o_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  Options o;
  MUNJA_ASSIGN_OR_RETURN(o.most, given.Int("most", 0));
  MUNJA_ASSIGN_OR_RETURN(o.overlap, given.Float("overlap", 0));
  MUNJA_ASSIGN_OR_RETURN(o.score, given.Float("score", o.score));
  MUNJA_ASSIGN_OR_RETURN(const int64_t center, given.Int("center", 0));
  o.center = center != 0;
  return std::unique_ptr<Kernel>(std::make_unique<SelectKernel>(o));
}

}  // namespace munja::ops::select_boxes
