// SPACE_TO_DEPTH and DEPTH_TO_SPACE: blocks of pixels become channels, and
// back.
#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

namespace munja::ops::space_to_depth {
namespace {

class BlockKernel final : public CopyKernel {
 public:
  BlockKernel(const NodeInfo& info, bool to_depth, int32_t block)
      : CopyKernel(info), to_depth_(to_depth), block_(block) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    if (in.shape.rank() != 4)
      return Malformed("the input " + in.shape.ToString() + " is not NHWC");
    const int64_t b = block_;
    const int64_t n = in.shape[0], h = in.shape[1], w = in.shape[2],
                  c = in.shape[3];
    const bool fits = to_depth_ ? h % b == 0 && w % b == 0 : c % (b * b) == 0;
    if (!fits) {
      return Malformed(in.shape.ToString() +
                       " does not divide into blocks of " + std::to_string(b));
    }
    // The image of small pixels, [n, rows, b, cols, b, depth], against the
    // image of large ones, [n, rows, cols, b, b, depth].
    const int64_t rows = to_depth_ ? h / b : h, cols = to_depth_ ? w / b : w;
    const int64_t depth = to_depth_ ? c : c / (b * b);
    MUNJA_ASSIGN_OR_RETURN(
        const Shape out,
        CheckShape(to_depth_ ? std::vector<int64_t>{n, rows, cols, c * b * b}
                             : std::vector<int64_t>{n, h * b, w * b, depth}));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    kernels::StridedCopy copy;
    const auto add = [&](int64_t dim, int64_t small, int64_t large) {
      copy.Append(dim, to_depth_ ? small : large, to_depth_ ? large : small);
    };
    const int64_t line = cols * b * depth;  // A row of the small pixels.
    add(n * rows, b * line, b * line);
    add(cols, b * depth, b * b * depth);
    add(b, line, b * depth);
    add(b, depth, depth);
    add(depth, 1, 1);
    auto plan = std::make_unique<CopyPlan>(size);
    plan->Add(0, 0, copy);
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  bool to_depth_;
  int32_t block_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         info.attributes().Int("block_size", 0));
  if (block < 1 || block > 1 << 15)
    return Malformed("a block size of " + std::to_string(block));
  return std::unique_ptr<Kernel>(std::make_unique<BlockKernel>(
      info, info.node().op == "SPACE_TO_DEPTH", static_cast<int32_t>(block)));
}

}  // namespace munja::ops::space_to_depth
