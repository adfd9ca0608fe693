// UNIQUE: the different elements of a vector in order of first appearance,
// and for each element which of them it is.
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::unique {
namespace {

class UniqueKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUInt8,
         ElementType::kInt16, ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(1), "the index list",
                  {ElementType::kInt32, ElementType::kInt64}));
    if (in.shape.rank() != 1)
      return Malformed("the input of shape " + in.shape.ToString() +
                       " is no vector");
    context.DeferOutputShape(0);
    return context.SetOutputShape(1, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    return ByType<float, int8_t, uint8_t, int16_t, int32_t, int64_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
  }

 private:
  template <class T>
  static Status Run(EvalContext& context) {
    return context.output(1).type == ElementType::kInt32
               ? Run<T, int32_t>(context)
               : Run<T, int64_t>(context);
  }

  // A NaN equals nothing: each is an element of its own.
  template <class T, class Index>
  static Status Run(EvalContext& context) {
    const T* in = context.input(0).as<T>();
    Index* places = context.output(1).mutable_as<Index>();
    std::unordered_map<T, Index> place_of;
    std::vector<T> found;
    for (int32_t i = 0; i < context.input(0).shape[0]; ++i) {
      const auto [it, is_new] =
          place_of.emplace(in[i], static_cast<Index>(found.size()));
      if (is_new) found.push_back(in[i]);
      places[i] = it->second;
    }
    MUNJA_RETURN_IF_ERROR(
        context.ResizeOutput(0, Shape{static_cast<int32_t>(found.size())}));
    if (!found.empty())
      std::memcpy(context.output(0).data, found.data(),
                  found.size() * sizeof(T));
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 2));
  return std::unique_ptr<Kernel>(std::make_unique<UniqueKernel>());
}

}  // namespace munja::ops::unique
