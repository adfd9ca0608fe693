// PAD, PADV2 and MIRROR_PAD.
#include <cstring>

#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::pad {
namespace {

enum class Mode { kConstant, kReflect, kSymmetric };

struct Widths {
  std::vector<int64_t> before, after;
};

Result<Widths> ReadWidths(const PrepareContext& context, int rank) {
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<int64_t> values,
      KnownIntegers(context, 1, "padding", static_cast<size_t>(rank) * 2));
  Widths widths;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] > (int64_t{1} << 31))
      return Malformed("a padding of " + std::to_string(values[i]));
    (i % 2 == 0 ? widths.before : widths.after).push_back(values[i]);
  }
  return widths;
}

class PadKernel final : public CopyKernel {
 public:
  PadKernel(const NodeInfo& info, Mode mode) : CopyKernel(info), mode_(mode) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    const int rank = in.shape.rank();
    MUNJA_ASSIGN_OR_RETURN(const Widths widths, ReadWidths(context, rank));
    Shape out;
    for (int i = 0; i < rank; ++i) {
      MUNJA_ASSIGN_OR_RETURN(
          const int32_t dim,
          CheckDim(in.shape[i] + widths.before[i] + widths.after[i]));
      out.Append(dim);
    }
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    if (mode_ == Mode::kConstant) {
      MUNJA_RETURN_IF_ERROR(PlanConstant(context, widths, out, *plan));
    } else {
      MUNJA_RETURN_IF_ERROR(PlanMirror(in.shape, widths, out, *plan));
    }
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  // The fill value is the third input, or else zero (the zero point, which is
  // a real zero, for quantized values).
  static Result<int> FillSource(const PrepareContext& context, CopyPlan& plan) {
    const TensorView& in = context.input(0);
    if (context.has_input(2)) {
      const TensorView& value = context.input(2);
      MUNJA_RETURN_IF_ERROR(CheckSameType(in, value));
      if (value.shape.elements() != 1)
        return Malformed("the padding value is not a scalar");
      return 2;
    }
    std::array<uint8_t, 16> fill{};
    const int32_t zero_point = in.zero_point();
    switch (in.type) {
      case ElementType::kInt8:
      case ElementType::kUInt8:
        fill[0] = static_cast<uint8_t>(zero_point);
        break;
      case ElementType::kInt16: {
        const auto value = static_cast<int16_t>(zero_point);
        std::memcpy(fill.data(), &value, sizeof(value));
        break;
      }
      default:
        break;
    }
    plan.SetFill(fill.data());
    return CopyStep::kFillValue;
  }

  static Status PlanConstant(const PrepareContext& context,
                             const Widths& widths, const Shape& out,
                             CopyPlan& plan) {
    const Shape& in = context.input(0).shape;
    MUNJA_ASSIGN_OR_RETURN(const int source, FillSource(context, plan));
    const std::vector<int64_t> out_strides = Strides(out);
    // The border before and after along dimension k, inside the middle of the
    // dimensions before it and over all of those behind: every element once.
    for (int k = 0; k < in.rank(); ++k) {
      for (const bool is_after : {false, true}) {
        kernels::StridedCopy copy;
        for (int i = 0; i < in.rank(); ++i) {
          const int64_t dim = i < k      ? in[i]
                              : i > k    ? out[i]
                              : is_after ? widths.after[i]
                                         : widths.before[i];
          const int64_t start = i < k      ? widths.before[i]
                                : i > k    ? 0
                                : is_after ? widths.before[i] + in[i]
                                           : 0;
          copy.Append(dim, 0, out_strides[i]);
          copy.out_offset += start * out_strides[i];
        }
        plan.Add(source, 0, copy);
      }
    }
    const std::vector<int64_t> box(in.dims().begin(), in.dims().end());
    plan.Add(0, 0, BoxCopy(in, {}, out, widths.before, box));
    return Status();
  }

  // Each dimension falls into three runs: mirrored, as it is, mirrored. Every
  // combination of runs is one copy.
  Status PlanMirror(const Shape& in, const Widths& widths, const Shape& out,
                    CopyPlan& plan) const {
    const int64_t skip = mode_ == Mode::kReflect ? 1 : 0;
    int combinations = 1;
    for (int i = 0; i < in.rank(); ++i) {
      if (widths.before[i] > in[i] - skip || widths.after[i] > in[i] - skip) {
        return Malformed("mirrors more than a dimension of " +
                         std::to_string(in[i]) + " has");
      }
      combinations *= 3;
    }
    const std::vector<int64_t> in_strides = Strides(in);
    const std::vector<int64_t> out_strides = Strides(out);
    for (int number = 0; number < combinations; ++number) {
      kernels::StridedCopy copy;
      bool is_empty = false;
      int rest = number;
      for (int i = 0; i < in.rank(); ++i, rest /= 3) {
        const int64_t dim = in[i], before = widths.before[i];
        int64_t count = before, from = before - 1 + skip, to = 0, step = -1;
        if (rest % 3 == 1) {
          count = dim;
          from = 0;
          to = before;
          step = 1;
        } else if (rest % 3 == 2) {
          count = widths.after[i];
          from = dim - 1 - skip;
          to = before + dim;
        }
        is_empty |= count == 0;
        copy.Append(count, step * in_strides[i], out_strides[i]);
        copy.in_offset += from * in_strides[i];
        copy.out_offset += to * out_strides[i];
      }
      if (!is_empty) plan.Add(0, 0, copy);
    }
    return Status();
  }

  Mode mode_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  const int inputs = op == "PADV2" ? 3 : 2;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(inputs, inputs, 1));
  Mode mode = Mode::kConstant;
  if (op == "MIRROR_PAD") {
    MUNJA_ASSIGN_OR_RETURN(const std::string text,
                           info.attributes().Text("mode", "REFLECT"));
    if (text != "REFLECT" && text != "SYMMETRIC")
      return Unsupported("the mode " + text);
    mode = text == "REFLECT" ? Mode::kReflect : Mode::kSymmetric;
  }
  return std::unique_ptr<Kernel>(std::make_unique<PadKernel>(info, mode));
}

}  // namespace munja::ops::pad
