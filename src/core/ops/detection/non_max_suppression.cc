// NON_MAX_SUPPRESSION_V4 and _V5: the boxes of highest score that overlap no
// better one too much.
//
// Candidates are taken in descending score, of equals the lower index first. A
// candidate that overlaps a selected box by iou_threshold or more is dropped.
// With sigma > 0 (V5) smaller overlaps lower its score by exp(-iou^2 / (2
// sigma)), and it is selected when its turn comes by the lowered score.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/control.h"
#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::non_max_suppression {
namespace {

struct Candidate {
  int32_t box;
  float score;
  // Selected boxes before this one have lowered the score already.
  int32_t first_selected;
};

// Orders a heap: the best one on top.
bool IsWorse(const Candidate& a, const Candidate& b) {
  return a.score < b.score || (a.score == b.score && a.box > b.box);
}

// Boxes are two opposite corners as y, x, y, x, in any order. One without an
// area overlaps nothing.
float IntersectionOverUnion(const float* a, const float* b) {
  const float a_top = std::min(a[0], a[2]), a_bottom = std::max(a[0], a[2]);
  const float a_left = std::min(a[1], a[3]), a_right = std::max(a[1], a[3]);
  const float b_top = std::min(b[0], b[2]), b_bottom = std::max(b[0], b[2]);
  const float b_left = std::min(b[1], b[3]), b_right = std::max(b[1], b[3]);
  const float a_area = (a_bottom - a_top) * (a_right - a_left);
  const float b_area = (b_bottom - b_top) * (b_right - b_left);
  if (a_area <= 0.0f || b_area <= 0.0f) return 0.0f;
  const float height =
      std::max(std::min(a_bottom, b_bottom) - std::max(a_top, b_top), 0.0f);
  const float width =
      std::max(std::min(a_right, b_right) - std::max(a_left, b_left), 0.0f);
  const float intersection = height * width;
  return intersection / (a_area + b_area - intersection);
}

struct Thresholds {
  float iou, score, sigma;
};

// Lowers the candidate's score by what was selected since it was looked at
// last. False: it is dropped.
bool Lower(const float* boxes, const int32_t* selected, int32_t count,
           const Thresholds& t, Candidate& candidate) {
  if (IsStopped()) return false;
  for (int32_t i = count - 1; i >= candidate.first_selected; --i) {
    const float iou = IntersectionOverUnion(boxes + int64_t{4} * candidate.box,
                                            boxes + int64_t{4} * selected[i]);
    if (iou >= t.iou) return false;
    if (t.sigma > 0.0f)
      candidate.score *= std::exp(-0.5f / t.sigma * iou * iou);
    if (!(candidate.score > t.score)) return false;  // Also false for NaN.
  }
  candidate.first_selected = count;
  return true;
}

class NonMaxSuppressionKernel final : public Kernel {
 public:
  explicit NonMaxSuppressionKernel(bool is_soft) : is_soft_(is_soft) {}

  Status Prepare(PrepareContext& context) const override {
    constexpr const char* kNames[] = {
        "the box list",      "the score list",  "the number of boxes",
        "the overlap limit", "the score limit", "sigma"};
    for (int i = 0; i < context.inputs(); ++i) {
      MUNJA_RETURN_IF_ERROR(
          CheckType(context.input(i), kNames[i],
                    {i == 2 ? ElementType::kInt32 : ElementType::kFloat32}));
      if (i >= 2 && context.input(i).shape.elements() != 1)
        return Malformed(std::string(kNames[i]) + " is no scalar");
    }
    const Shape& boxes = context.input(0).shape;
    const Shape& scores = context.input(1).shape;
    if (boxes.rank() != 2 || boxes[1] != 4 || scores.rank() != 1 ||
        scores[0] != boxes[0]) {
      return Malformed("has boxes of shape " + boxes.ToString() +
                       " and scores of shape " + scores.ToString());
    }
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> limit,
                           KnownIntegers(context, 2, "number of boxes", 1));
    MUNJA_ASSIGN_OR_RETURN(const int32_t count, CheckDim(limit[0]));
    context.RequestScratch(static_cast<size_t>(boxes[0]) * sizeof(Candidate));
    int output = 0;
    MUNJA_RETURN_IF_ERROR(CheckType(context.output(output), "the index list",
                                    {ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(output++, Shape{count}));
    if (is_soft_) {
      MUNJA_RETURN_IF_ERROR(CheckType(context.output(output),
                                      "the selected scores",
                                      {ElementType::kFloat32}));
      MUNJA_RETURN_IF_ERROR(context.SetOutputShape(output++, Shape{count}));
    }
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(output), "the count", {ElementType::kInt32}));
    return context.SetOutputShape(output, Shape());
  }

  Status Eval(EvalContext& context) const override {
    const float* boxes = context.input(0).as<float>();
    const float* scores = context.input(1).as<float>();
    const Thresholds t = {*context.input(3).as<float>(),
                          *context.input(4).as<float>(),
                          is_soft_ ? *context.input(5).as<float>() : 0.0f};
    if (!(t.iou >= 0.0f))
      return InvalidArgument("the overlap limit is " + std::to_string(t.iou));
    if (!(t.sigma >= 0.0f))
      return InvalidArgument("sigma is " + std::to_string(t.sigma));
    auto* const heap = static_cast<Candidate*>(context.scratch());
    Candidate* end = heap;
    for (int32_t i = 0; i < context.input(1).shape[0]; ++i)
      if (scores[i] > t.score) *end++ = {i, scores[i], 0};
    std::make_heap(heap, end, IsWorse);

    const int32_t limit = context.output(0).shape[0];
    int32_t* const selected = context.output(0).mutable_as<int32_t>();
    float* const selected_scores =
        is_soft_ ? context.output(1).mutable_as<float>() : nullptr;
    int32_t count = 0;
    while (count < limit && end != heap) {
      std::pop_heap(heap, end, IsWorse);
      Candidate& candidate = end[-1];
      const float score = candidate.score;
      if (!Lower(boxes, selected, count, t, candidate)) {
        --end;
      } else if (candidate.score == score) {
        if (is_soft_) selected_scores[count] = score;
        selected[count++] = candidate.box;
        --end;
      } else {
        std::push_heap(heap, end, IsWorse);
      }
    }
    *context.output(is_soft_ ? 2 : 1).mutable_as<int32_t>() = count;
    std::fill(selected + count, selected + limit, 0);
    if (is_soft_)
      std::fill(selected_scores + count, selected_scores + limit, 0.0f);
    return Status();
  }

 private:
  bool is_soft_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const bool is_soft = info.node().op == "NON_MAX_SUPPRESSION_V5";
  const int inputs = is_soft ? 6 : 5;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(inputs, inputs, is_soft ? 3 : 2));
  return std::unique_ptr<Kernel>(
      std::make_unique<NonMaxSuppressionKernel>(is_soft));
}

}  // namespace munja::ops::non_max_suppression
