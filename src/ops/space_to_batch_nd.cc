// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: pixels of a block become images of
// a batch, and back. Image number (by * bw + bx) * N + n holds the pixels
// (y * bh + by, x * bw + bx) of image n.
#include <algorithm>
#include <array>
#include <cstring>

#include "ops/copy_plan.h"
#include "ops/operands.h"

namespace munja::ops::space_to_batch_nd {
namespace {

class BatchKernel final : public CopyKernel {
 public:
  BatchKernel(const NodeInfo& info, bool to_batch)
      : CopyKernel(info), to_batch_(to_batch) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(in));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> block,
                           KnownIntegers(context, 1, "block shape"));
    MUNJA_ASSIGN_OR_RETURN(
        const std::vector<int64_t> edges,
        KnownIntegers(context, 2, to_batch_ ? "padding" : "crop",
                      block.size() * 2));
    const int spatial = static_cast<int>(block.size());
    if (spatial < 1 || spatial > 2 || in.shape.rank() < spatial + 1)
      return Unsupported("blocks of " + std::to_string(spatial) +
                         " dimensions of " + in.shape.ToString());
    int64_t cells = 1;
    for (const int64_t b : block) {
      if (b < 1 || b > 1 << 15)
        return Malformed("a block size of " + std::to_string(b));
      cells *= b;
    }
    for (const int64_t e : edges) {
      if (e < 0 || e > int64_t{1} << 31)
        return Malformed("a border of " + std::to_string(e));
    }
    std::vector<int64_t> dims(in.shape.dims().begin(), in.shape.dims().end());
    if (!to_batch_ && dims[0] % cells != 0)
      return Malformed("the batch does not divide into blocks");
    dims[0] = to_batch_ ? dims[0] * cells : dims[0] / cells;
    for (int i = 0; i < spatial; ++i) {
      int64_t& dim = dims[i + 1];
      const int64_t border = edges[2 * i] + edges[2 * i + 1];
      if (to_batch_) {
        dim += border;
        if (dim % block[i] != 0)
          return Malformed("a padded dimension of " + std::to_string(dim) +
                           " does not divide into blocks");
        dim /= block[i];
      } else {
        dim = dim * block[i] - border;
      }
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape out, CheckShape(dims));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    auto plan = std::make_unique<CopyPlan>(size);
    Fill(in, out, *plan);
    // `space` is the image of single pixels, `batch` that of blocks.
    const Shape& space = to_batch_ ? in.shape : out;
    const Shape& batch = to_batch_ ? out : in.shape;
    for (int64_t cell = 0; cell < cells; ++cell)
      AddCell(space, batch, block, edges, cell, *plan);
    context.SetState(std::move(plan));
    return Status();
  }

 private:
  // Padding is zero: for quantized values the zero point.
  void Fill(const TensorView& in, const Shape& out, CopyPlan& plan) const {
    if (!to_batch_) return;
    std::array<uint8_t, 16> fill{};
    const auto zero = static_cast<int16_t>(in.zero_point());
    const size_t size = plan.element_size();
    if (size <= sizeof(zero)) std::memcpy(fill.data(), &zero, size);
    plan.SetFill(fill.data());
    kernels::StridedCopy copy;
    copy.Append(out.elements(), 0, 1);
    plan.Add(CopyStep::kFillValue, 0, copy);
  }

  void AddCell(const Shape& space, const Shape& batch,
               const std::vector<int64_t>& block,
               const std::vector<int64_t>& edges, int64_t cell,
               CopyPlan& plan) const {
    const std::vector<int64_t> s = Strides(space), b = Strides(batch);
    const int spatial = static_cast<int>(block.size());
    kernels::StridedCopy copy;
    const auto add = [&](int64_t dim, int64_t in_space, int64_t in_batch) {
      copy.Append(dim, to_batch_ ? in_space : in_batch,
                  to_batch_ ? in_batch : in_space);
    };
    int64_t space_at = 0, batch_at = cell * space[0] * b[0];
    add(space[0], s[0], b[0]);
    int64_t inside = cell;
    std::array<int64_t, 2> place{};
    for (int i = spatial - 1; i >= 0; --i) {
      place[i] = inside % block[i];
      inside /= block[i];
    }
    for (int i = 0; i < spatial; ++i) {
      // Rows k of the batch lie at k * block + place - edge of the space.
      const int64_t edge = edges[2 * i], step = block[i];
      const int64_t first =
          std::max<int64_t>(0, (edge - place[i] + step - 1) / step);
      const int64_t end = std::min<int64_t>(
          batch[i + 1], (space[i + 1] + edge - place[i] + step - 1) / step);
      add(std::max<int64_t>(0, end - first), step * s[i + 1], b[i + 1]);
      space_at += (first * step + place[i] - edge) * s[i + 1];
      batch_at += first * b[i + 1];
    }
    for (int i = spatial + 1; i < space.rank(); ++i) add(space[i], s[i], b[i]);
    copy.in_offset = to_batch_ ? space_at : batch_at;
    copy.out_offset = to_batch_ ? batch_at : space_at;
    plan.Add(0, 0, copy);
  }

  bool to_batch_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  return std::unique_ptr<Kernel>(std::make_unique<BatchKernel>(
      info, info.node().op == "SPACE_TO_BATCH_ND"));
}

}  // namespace munja::ops::space_to_batch_nd
