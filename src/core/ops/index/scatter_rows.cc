// MunjaScatter, a custom operator: rows of the last input put into a copy of
// the first one, or combined with what is there.
//
// Inputs: data [rows, n]; positions [count], int32; updates [count, n]. Option
// "reduction": "none", "add", "mul", "max", "min". Where a position occurs
// several times, the last row of "none" stays.
#include <algorithm>
#include <cstring>
#include <string>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::scatter_rows {
namespace {

enum class Reduction { kNone, kAdd, kMul, kMax, kMin };

template <class T>
T Combine(Reduction reduction, T a, T b) {
  switch (reduction) {
    case Reduction::kAdd:
      return static_cast<T>(a + b);
    case Reduction::kMul:
      return static_cast<T>(a * b);
    case Reduction::kMax:
      return std::max(a, b);
    case Reduction::kMin:
      return std::min(a, b);
    default:
      return b;
  }
}

template <class T>
Status Scatter(EvalContext& context, Reduction reduction) {
  const TensorView& data = context.input(0);
  const TensorView& positions = context.input(1);
  const TensorView& updates = context.input(2);
  T* out = context.output(0).mutable_as<T>();
  if (data.bytes > 0) std::memcpy(out, data.data, data.bytes);
  const int64_t rows = data.shape[0], n = data.shape[1];
  for (int64_t i = 0; i < positions.shape[0]; ++i) {
    const int64_t row = positions.as<int32_t>()[i];
    if (row < 0 || row >= rows)
      return InvalidArgument("position " + std::to_string(row) + " of " +
                             std::to_string(rows));
    const T* from = updates.as<T>() + i * n;
    T* to = out + row * n;
    for (int64_t k = 0; k < n; ++k) to[k] = Combine(reduction, to[k], from[k]);
  }
  return {};
}

class ScatterKernel final : public Kernel {
 public:
  explicit ScatterKernel(Reduction reduction) : reduction_(reduction) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& data = context.input(0);
    const TensorView& positions = context.input(1);
    const TensorView& updates = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckType(
        data, "the data",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckType(updates, "the rows", {data.type}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {data.type}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(positions, "the positions", {ElementType::kInt32}));
    if (data.shape.rank() != 2 || positions.shape.rank() != 1 ||
        updates.shape != Shape{positions.shape[0], data.shape[1]})
      return InvalidArgument("data " + data.shape.ToString() + ", positions " +
                             positions.shape.ToString() + " and rows " +
                             updates.shape.ToString() + " do not fit");
    return context.SetOutputShape(0, data.shape);
  }

  Status Eval(EvalContext& context) const override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Scatter<float>(context, reduction_);
      case ElementType::kInt32:
        return Scatter<int32_t>(context, reduction_);
      default:
        return Scatter<int64_t>(context, reduction_);
    }
  }

 private:
  Reduction reduction_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes options,
                         DecodeCustomOptions(info.node().custom_options));
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         options.Text("reduction", "none"));
  const char* const names[] = {"none", "add", "mul", "max", "min"};
  for (int i = 0; i < 5; ++i)
    if (name == names[i])
      return std::unique_ptr<Kernel>(
          std::make_unique<ScatterKernel>(static_cast<Reduction>(i)));
  return Malformed("reduction '" + name + "'");
}

}  // namespace munja::ops::scatter_rows
