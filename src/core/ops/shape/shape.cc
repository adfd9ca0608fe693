// SHAPE and RANK: facts about a shape, known before the run.
#include <algorithm>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::shape {
namespace {

class ShapeKernel final : public Kernel {
 public:
  explicit ShapeKernel(bool is_rank) : is_rank_(is_rank) {}

  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output",
                  {ElementType::kInt32, ElementType::kInt64}));
    const int32_t rank = context.input(0).shape.rank();
    return context.SetOutputShape(0, is_rank_ ? Shape() : Shape{rank});
  }

  Status Eval(EvalContext& context) const override {
    const Shape& shape = context.input(0).shape;
    const TensorView& out = context.output(0);
    if (out.type == ElementType::kInt32) {
      Write(shape, out.mutable_as<int32_t>());
    } else {
      Write(shape, out.mutable_as<int64_t>());
    }
    return Status();
  }

 private:
  template <class T>
  void Write(const Shape& shape, T* out) const {
    if (is_rank_) {
      *out = static_cast<T>(shape.rank());
    } else {
      std::copy(shape.dims().begin(), shape.dims().end(), out);
    }
  }

  bool is_rank_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  return std::unique_ptr<Kernel>(
      std::make_unique<ShapeKernel>(info.node().op == "RANK"));
}

}  // namespace munja::ops::shape
