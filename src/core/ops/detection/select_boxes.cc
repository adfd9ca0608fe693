// MunjaSelectBoxes, a custom operator: non-maximum suppression of the boxes of
// each image and class by themselves.
//
// Inputs, float32: boxes [images, n, 4], two corners as y, x, y, x or, with
// the option "center", center x, center y, width, height; scores [images,
// classes, n]. Output, int64: [m, 3], image, class and box of those that are
// kept, best first within each class; of equal scores the first one. Options:
// "most" of each class, "overlap" (intersection over union from which on a
// better box drops one), "score" (only boxes above it, where given),
// "candidates" (so many of the best of each class compete; -1: all),
// "background" (a class that is left out), "keep" (so many of the best of all
// classes of an image stay, in the same order; -1: all), "raw" (corners are as
// they are: turned ones have no area, and boxes without area drop each other),
// "pixels" (with "raw": the second corner is inside).
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
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
  int64_t candidates = -1, background = -1, keep = -1;
  bool raw = false, pixels = false;
};

struct Box {
  float top, left, bottom, right;
};

Box Read(const float* p, const Options& o) {
  if (o.raw) return {p[0], p[1], p[2], p[3]};
  if (o.center)
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

// Whether the better box drops the other.
bool Drops(const Box& better, const Box& box, const Options& o) {
  if (!o.raw) return Overlap(better, box) > o.overlap;
  if (box.top > better.bottom || box.bottom < better.top ||
      box.left > better.right || box.right < better.left)
    return 0 > o.overlap;
  const float more = o.pixels ? 1.0f : 0.0f;
  const auto area = [&](const Box& b) {
    return b.bottom < b.top || b.right < b.left
               ? 0.0f
               : (b.bottom - b.top + more) * (b.right - b.left + more);
  };
  const float both = (std::min(better.bottom, box.bottom) -
                      std::max(better.top, box.top) + more) *
                     (std::min(better.right, box.right) -
                      std::max(better.left, box.left) + more);
  // Not a number, of boxes without area, is not small enough either.
  return !(both / (area(better) + area(box) - both) <=
           static_cast<float>(o.overlap));
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
      const size_t first = kept.size();
      for (int64_t c = 0; c < classes; ++c) {
        if (c == o_.background) continue;
        const float* score = scores.as<float>() + (picture * classes + c) * n;
        order.clear();
        chosen.clear();
        for (int64_t i = 0; i < n; ++i)
          if (score[i] > o_.score) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return score[a] > score[b];
        });
        if (o_.candidates >= 0 &&
            static_cast<int64_t>(order.size()) > o_.candidates)
          order.resize(static_cast<size_t>(o_.candidates));
        for (const int64_t i : order) {
          if (static_cast<int64_t>(chosen.size()) >= o_.most) break;
          const Box box = Read(boxes.as<float>() + (picture * n + i) * 4, o_);
          if (std::any_of(chosen.begin(), chosen.end(),
                          [&](const Box& b) { return Drops(b, box, o_); }))
            continue;
          chosen.push_back(box);
          kept.insert(kept.end(), {picture, c, i});
        }
      }
      KeepBest(scores, first, &kept);
    }
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(
        0, Shape{static_cast<int32_t>(kept.size() / 3), 3}));
    if (!kept.empty())
      std::memcpy(context.output(0).data, kept.data(),
                  kept.size() * sizeof(int64_t));
    return {};
  }

 private:
  // Keeps the best rows of one image, which begin at `first`.
  void KeepBest(const TensorView& scores, size_t first,
                std::vector<int64_t>* kept) const {
    const size_t rows = (kept->size() - first) / 3;
    if (o_.keep < 0 || static_cast<int64_t>(rows) <= o_.keep) return;
    const int64_t* row = kept->data() + first;
    const auto score = [&](size_t i) {
      const int64_t* r = row + 3 * i;
      return scores.as<
          float>()[(r[0] * scores.shape[1] + r[1]) * scores.shape[2] + r[2]];
    };
    std::vector<size_t> best(rows);
    std::iota(best.begin(), best.end(), size_t{0});
    std::stable_sort(best.begin(), best.end(),
                     [&](size_t a, size_t b) { return score(a) > score(b); });
    best.resize(static_cast<size_t>(o_.keep));
    std::sort(best.begin(), best.end());
    size_t to = first;
    for (const size_t i : best)
      for (size_t k = 0; k < 3; ++k) (*kept)[to++] = (*kept)[first + 3 * i + k];
    kept->resize(to);
  }

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
  MUNJA_ASSIGN_OR_RETURN(o.candidates, given.Int("candidates", -1));
  MUNJA_ASSIGN_OR_RETURN(o.background, given.Int("background", -1));
  MUNJA_ASSIGN_OR_RETURN(o.keep, given.Int("keep", -1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t raw, given.Int("raw", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t pixels, given.Int("pixels", 0));
  o.raw = raw != 0;
  o.pixels = pixels != 0;
  return std::unique_ptr<Kernel>(std::make_unique<SelectKernel>(o));
}

}  // namespace munja::ops::select_boxes
