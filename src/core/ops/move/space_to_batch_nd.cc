// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: pixels of a block become images of
// a batch, and back. Image number (by * bw + bx) * N + n holds the pixels
// (y * bh + by, x * bw + bx) of image n.
#include <algorithm>
#include <array>
#include <cstring>

#include "ops/support/copy_plan.h"
#include "ops/support/operands.h"

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
    AddCells(space, batch, block, edges, *plan);
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

  // Places within a block, [place, end), whose rows of the batch are the same:
  // [first_row, end_row).
  struct Places {
    int64_t place, end, first_row, end_row;
  };

  // Row k of place p lies at k * block + p - edge of the space.
  static std::vector<Places> PlacesOf(int64_t block, int64_t edge,
                                      int64_t space_rows, int64_t batch_rows) {
    std::vector<Places> all;
    for (int64_t p = 0; p < block;) {
      // Each is one less from a certain place on, and never less again.
      const int64_t before = edge - p + block - 1, after = before + space_rows;
      const int64_t end =
          std::min({block, p + before % block + 1, p + after % block + 1});
      all.push_back(
          {p, end, before / block, std::min(batch_rows, after / block)});
      p = end;
    }
    return all;
  }

  // One copy for all places whose rows are the same, at most three in each
  // dimension: a block may have far more pixels than the image.
  void AddCells(const Shape& space, const Shape& batch,
                const std::vector<int64_t>& block,
                const std::vector<int64_t>& edges, CopyPlan& plan) const {
    const Places one{0, 1, 0, 1};
    const auto places = [&](size_t i) {
      return i < block.size() ? PlacesOf(block[i], edges[2 * i],
                                         space[static_cast<int>(i) + 1],
                                         batch[static_cast<int>(i) + 1])
                              : std::vector<Places>{one};
    };
    for (const Places& outer : places(0))
      for (const Places& inner : places(1))
        AddPlaces(space, batch, block, edges, {outer, inner}, plan);
  }

  void AddPlaces(const Shape& space, const Shape& batch,
                 const std::vector<int64_t>& block,
                 const std::vector<int64_t>& edges,
                 const std::array<Places, 2>& places, CopyPlan& plan) const {
    const std::vector<int64_t> s = Strides(space), b = Strides(batch);
    const int spatial = static_cast<int>(block.size());
    kernels::StridedCopy copy;
    const auto add = [&](int64_t dim, int64_t in_space, int64_t in_batch) {
      copy.Append(dim, to_batch_ ? in_space : in_batch,
                  to_batch_ ? in_batch : in_space);
    };
    // In the order of the batch: images of all places, then their pixels.
    int64_t space_at = 0, batch_at = 0;
    for (int i = 0; i < spatial; ++i) {
      const Places& p = places[static_cast<size_t>(i)];
      const int64_t images =
          space[0] * b[0] * (i == 0 && spatial == 2 ? block[1] : 1);
      add(p.end - p.place, s[i + 1], images);
      space_at += (p.first_row * block[i] + p.place - edges[2 * i]) * s[i + 1];
      batch_at += p.place * images + p.first_row * b[i + 1];
    }
    add(space[0], s[0], b[0]);
    for (int i = 0; i < spatial; ++i) {
      const Places& p = places[static_cast<size_t>(i)];
      add(std::max<int64_t>(0, p.end_row - p.first_row), block[i] * s[i + 1],
          b[i + 1]);
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
