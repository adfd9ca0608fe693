// TOPK_V2: the k largest of the last dimension, descending, and their places.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::topk_v2 {
namespace {

class TopKKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
         ElementType::kInt16, ElementType::kInt8, ElementType::kUInt8}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(1), "the index output",
                  {ElementType::kInt32, ElementType::kInt16}));
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> k,
                           KnownIntegers(context, 1, "number of results", 1));
    if (in.shape.rank() < 1) return Malformed("the input is a scalar");
    if (k[0] < 0 || k[0] > in.shape.back()) {
      return Malformed("takes " + std::to_string(k[0]) + " of " +
                       std::to_string(in.shape.back()));
    }
    if (context.output(1).type == ElementType::kInt16 &&
        in.shape.back() > 32768)
      return Malformed("indices of " + std::to_string(in.shape.back()) +
                       " elements do not fit int16");
    Shape out = in.shape;
    out[out.rank() - 1] = static_cast<int32_t>(k[0]);
    context.RequestScratch(static_cast<size_t>(in.shape.back()) *
                           sizeof(int32_t));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(0, out));
    return context.SetOutputShape(1, out);
  }

  Status Eval(EvalContext& context) const override {
    ByType<float, int32_t, int64_t, int16_t, int8_t, uint8_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
    return Status();
  }

 private:
  template <class T>
  static void Run(EvalContext& context) {
    const Shape& shape = context.input(0).shape;
    const int32_t cols = shape.back();
    const int32_t k = context.output(0).shape.back();
    if (cols == 0 || k == 0) return;
    const int64_t rows = shape.elements() / cols;
    const T* in = context.input(0).as<T>();
    T* values = context.output(0).mutable_as<T>();
    const TensorView& places = context.output(1);
    const bool is_narrow = places.type == ElementType::kInt16;
    int64_t written = 0;
    auto* order = static_cast<int32_t*>(context.scratch());
    for (int64_t r = 0; r < rows; ++r, in += cols) {
      std::iota(order, order + cols, 0);
      // NaN last; of equals the lower index first.
      const auto before = [in](int32_t a, int32_t b) {
        const bool a_nan = in[a] != in[a], b_nan = in[b] != in[b];
        if (a_nan != b_nan) return b_nan;
        if (!a_nan && in[a] != in[b]) return in[a] > in[b];
        return a < b;
      };
      std::partial_sort(order, order + k, order + cols, before);
      for (int32_t i = 0; i < k; ++i) {
        *values++ = in[order[i]];
        if (is_narrow) {
          places.mutable_as<int16_t>()[written++] =
              static_cast<int16_t>(order[i]);
        } else {
          places.mutable_as<int32_t>()[written++] = order[i];
        }
      }
    }
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 2));
  return std::unique_ptr<Kernel>(std::make_unique<TopKKernel>());
}

}  // namespace munja::ops::topk_v2
