// DENSIFY: a sparse constant as a dense one. Constants are dense as soon as
// they are read, so that nothing is left but to copy.
#include <cstring>
#include <memory>
#include <utility>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::densify {
namespace {

class DensifyKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    auto size = MovableSize(in);
    if (!size.ok()) return std::move(size).TakeStatus();
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    if (out.bytes != 0 && out.data != in.data)
      std::memcpy(out.data, in.data, out.bytes);
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  return std::unique_ptr<Kernel>(std::make_unique<DensifyKernel>());
}

}  // namespace munja::ops::densify
