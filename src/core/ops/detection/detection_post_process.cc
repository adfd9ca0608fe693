// TFLite_Detection_PostProcess, a custom operator of detection models: decodes
// boxes against anchors and drops those that overlap better ones.
//
// Inputs: encodings [1, n, 4 or more] as y, x, height, width; scores [1, n,
// classes], with or without a background class in front; anchors [n, 4] as y,
// x (center), height, width. Outputs of d = max_detections *
// max_classes_per_detection rows: boxes [1, d, 4] as top, left, bottom, right;
// classes [1, d]; scores [1, d]; count [1]. Unused rows are zero.
//
// Fast mode: each anchor counts by its best class. Regular mode: each class by
// itself, then the best of all classes. Of equal scores the first one wins.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/op.h"
#include "ops/support/detection_options.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"

namespace munja::ops::detection_post_process {
namespace {

struct Box {
  float top, left, bottom, right;
};
// A box with a score, of one class or of the best one.
struct Candidate {
  float score;
  int32_t anchor, label;
};

float IntersectionOverUnion(const Box& a, const Box& b) {
  const float a_area = (a.bottom - a.top) * (a.right - a.left);
  const float b_area = (b.bottom - b.top) * (b.right - b.left);
  if (a_area <= 0.0f || b_area <= 0.0f) return 0.0f;
  const float height =
      std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float width =
      std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float intersection = height * width;
  return intersection / (a_area + b_area - intersection);
}

// Real values of a float32 or uint8 tensor.
class Reals {
 public:
  explicit Reals(const TensorView& view)
      : floats_(view.type == ElementType::kFloat32 ? view.as<float>()
                                                   : nullptr),
        bytes_(view.as<uint8_t>()),
        scale_(view.scale()),
        zero_(static_cast<float>(view.zero_point())) {}
  float operator[](int64_t i) const {
    return floats_ != nullptr
               ? floats_[i]
               : (static_cast<float>(bytes_[i]) - zero_) * scale_;
  }

 private:
  const float* floats_;
  const uint8_t* bytes_;
  float scale_, zero_;
};

// Places in the scratch memory, and the model's sizes.
struct Layout : State {
  int32_t anchors = 0, encoding = 0, classes = 0;  // classes: all, of a row.
  size_t candidates = 0, kept = 0, labels = 0;     // Byte offsets.
};

class DetectionKernel final : public Kernel {
 public:
  explicit DetectionKernel(const DetectionOptions& options) : o_(options) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& encodings = context.input(0);
    const TensorView& scores = context.input(1);
    const TensorView& anchors = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckReal(encodings, "the box list"));
    MUNJA_RETURN_IF_ERROR(CheckReal(scores, "the score list"));
    MUNJA_RETURN_IF_ERROR(CheckReal(anchors, "the anchor list"));
    MUNJA_RETURN_IF_ERROR(CheckSameType(encodings, anchors));
    const Shape& es = encodings.shape;
    const Shape& ss = scores.shape;
    if (es.rank() != 3 || ss.rank() != 3 || es[0] != 1 || ss[0] != 1 ||
        es[2] < 4 || ss[1] != es[1] || anchors.shape != Shape{es[1], 4}) {
      return Malformed("has boxes of shape " + es.ToString() +
                       ", scores of shape " + ss.ToString() +
                       " and anchors of shape " + anchors.shape.ToString());
    }
    if (ss[2] < o_.num_classes || ss[2] > int64_t{o_.num_classes} + 1) {
      return Malformed("has scores for " + std::to_string(ss[2]) +
                       " classes, option 'num_classes' is " +
                       std::to_string(o_.num_classes));
    }
    auto layout = std::make_unique<Layout>();
    layout->anchors = es[1];
    layout->encoding = es[2];
    layout->classes = ss[2];
    const auto n = static_cast<size_t>(es[1]);
    layout->candidates = n * sizeof(Box);
    layout->kept = layout->candidates + n * sizeof(Candidate);
    // The best so far, and what one more class brings.
    layout->labels =
        layout->kept +
        (static_cast<size_t>(o_.max_detections) + n) * sizeof(Candidate);
    context.RequestScratch(layout->labels + static_cast<size_t>(ss[2]) * 4);
    context.SetState(std::move(layout));

    for (int i = 0; i < 4; ++i)
      MUNJA_RETURN_IF_ERROR(
          CheckType(context.output(i), "an output", {ElementType::kFloat32}));
    MUNJA_ASSIGN_OR_RETURN(
        const int32_t rows,
        CheckDim(int64_t{o_.max_detections} * o_.max_classes_per_detection));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, Shape{1, rows, 4}));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(1, Shape{1, rows}));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(2, Shape{1, rows}));
    return context.SetOutputShape(3, Shape{1});
  }

  Status Eval(EvalContext& context) const override {
    for (int i = 0; i < 4; ++i)
      std::fill_n(context.output(i).mutable_as<float>(),
                  context.output(i).shape.elements(), 0.0f);
    MUNJA_RETURN_IF_ERROR(Decode(context));
    if (o_.is_regular)
      Regular(context);
    else
      Fast(context);
    return Status();
  }

 private:
  static const Layout& LayoutOf(const EvalContext& context) {
    return *static_cast<const Layout*>(context.state());
  }
  template <class T>
  static T* Scratch(const EvalContext& context, size_t offset) {
    return reinterpret_cast<T*>(static_cast<uint8_t*>(context.scratch()) +
                                offset);
  }

  static Status CheckReal(const TensorView& view, const char* what) {
    MUNJA_RETURN_IF_ERROR(
        CheckType(view, what, {ElementType::kFloat32, ElementType::kUInt8}));
    if (view.type == ElementType::kFloat32) return Status();
    return PerTensor(view, what).TakeStatus();
  }

  Status Decode(EvalContext& context) const {
    const Layout& layout = LayoutOf(context);
    const Reals encodings(context.input(0)), anchors(context.input(2));
    Box* const boxes = Scratch<Box>(context, 0);
    for (int32_t i = 0; i < layout.anchors; ++i) {
      const int64_t e = int64_t{i} * layout.encoding, a = int64_t{i} * 4;
      const double height = anchors[a + 2], width = anchors[a + 3];
      const auto y = static_cast<float>(
          double{encodings[e]} / o_.y_scale * height + anchors[a]);
      const auto x = static_cast<float>(
          double{encodings[e + 1]} / o_.x_scale * width + anchors[a + 1]);
      const auto half_height = static_cast<float>(
          0.5 * std::exp(double{encodings[e + 2]} / o_.h_scale) * height);
      const auto half_width = static_cast<float>(
          0.5 * std::exp(double{encodings[e + 3]} / o_.w_scale) * width);
      boxes[i] = {y - half_height, x - half_width, y + half_height,
                  x + half_width};
      if (boxes[i].top > boxes[i].bottom || boxes[i].left > boxes[i].right)
        return InvalidArgument("box " + std::to_string(i) +
                               " has a negative size");
    }
    return Status();
  }

  // Orders `candidates` [count] by score and moves those that overlap no
  // better one too much to the front, at most `limit`; gives their number.
  int32_t Suppress(EvalContext& context, Candidate* candidates, int32_t count,
                   int32_t limit) const {
    const Box* const boxes = Scratch<Box>(context, 0);
    std::sort(candidates, candidates + count, IsBetter);
    int32_t kept = 0;
    for (int32_t i = 0; i < count && kept < limit; ++i) {
      const Box& box = boxes[candidates[i].anchor];
      const bool is_free = std::none_of(
          candidates, candidates + kept, [&](const Candidate& better) {
            return IntersectionOverUnion(boxes[better.anchor], box) >
                   o_.iou_threshold;
          });
      if (is_free) candidates[kept++] = candidates[i];
    }
    return kept;
  }
  // Scores are no NaN: those pass no threshold.
  static bool IsBetter(const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.label != b.label ? a.label < b.label : a.anchor < b.anchor;
  }

  static void Put(EvalContext& context, int64_t row, int32_t anchor,
                  int32_t label, float score) {
    const Box& box = Scratch<Box>(context, 0)[anchor];
    float* const corner = context.output(0).mutable_as<float>() + 4 * row;
    corner[0] = box.top;
    corner[1] = box.left;
    corner[2] = box.bottom;
    corner[3] = box.right;
    context.output(1).mutable_as<float>()[row] = static_cast<float>(label);
    context.output(2).mutable_as<float>()[row] = score;
  }

  void Regular(EvalContext& context) const {
    const Layout& layout = LayoutOf(context);
    const Reals scores(context.input(1));
    auto* const candidates = Scratch<Candidate>(context, layout.candidates);
    auto* const kept = Scratch<Candidate>(context, layout.kept);
    const int32_t background = layout.classes - o_.num_classes;
    int32_t count = 0;
    for (int32_t label = 0; label < o_.num_classes; ++label) {
      int32_t found = 0;
      for (int32_t i = 0; i < layout.anchors; ++i) {
        const float score =
            scores[int64_t{i} * layout.classes + background + label];
        if (score >= o_.score_threshold)
          candidates[found++] = {score, i, label};
      }
      found = Suppress(context, candidates, found, o_.detections_per_class);
      std::copy(candidates, candidates + found, kept + count);
      count += found;
      std::sort(kept, kept + count, IsBetter);
      count = std::min(count, o_.max_detections);
    }
    for (int32_t i = 0; i < count; ++i)
      Put(context, i, kept[i].anchor, kept[i].label, kept[i].score);
    *context.output(3).mutable_as<float>() = static_cast<float>(count);
  }

  void Fast(EvalContext& context) const {
    const Layout& layout = LayoutOf(context);
    const Reals scores(context.input(1));
    auto* const candidates = Scratch<Candidate>(context, layout.candidates);
    auto* const labels = Scratch<int32_t>(context, layout.labels);
    const int32_t background = layout.classes - o_.num_classes;
    int32_t found = 0;
    for (int32_t i = 0; i < layout.anchors; ++i) {
      const int64_t row = int64_t{i} * layout.classes + background;
      float best = scores[row];
      for (int32_t k = 1; k < o_.num_classes; ++k)
        if (scores[row + k] > best) best = scores[row + k];
      if (best >= o_.score_threshold) candidates[found++] = {best, i, 0};
    }
    found = Suppress(context, candidates, found, o_.max_detections);
    const int32_t wanted =
        std::min(o_.max_classes_per_detection, o_.num_classes);
    for (int32_t d = 0; d < found; ++d) {
      const int64_t row =
          int64_t{candidates[d].anchor} * layout.classes + background;
      for (int32_t k = 0; k < o_.num_classes; ++k) labels[k] = k;
      std::partial_sort(
          labels, labels + wanted, labels + o_.num_classes,
          [&](int32_t a, int32_t b) {
            const float x = scores[row + a], y = scores[row + b];
            if (std::isnan(x) || std::isnan(y))
              return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
            return x != y ? x > y : a < b;
          });
      for (int32_t k = 0; k < wanted; ++k)
        Put(context, int64_t{d} * o_.max_classes_per_detection + k,
            candidates[d].anchor, labels[k], scores[row + labels[k]]);
    }
    *context.output(3).mutable_as<float>() = static_cast<float>(found);
  }

  DetectionOptions o_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 4));
  MUNJA_ASSIGN_OR_RETURN(const DetectionOptions options,
                         ParseDetectionOptions(info.node().custom_options));
  return std::unique_ptr<Kernel>(std::make_unique<DetectionKernel>(options));
}

}  // namespace munja::ops::detection_post_process
