// BUCKETIZE: how many of the boundaries are not above each element.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::bucketize {
namespace {

class BucketizeKernel final : public Kernel {
 public:
  explicit BucketizeKernel(std::vector<double> boundaries)
      : boundaries_(std::move(boundaries)) {}

  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.input(0), "the input",
                  {ElementType::kFloat32, ElementType::kFloat64,
                   ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kInt32}));
    return context.SetOutputShape(0, context.input(0).shape);
  }

  Status Eval(EvalContext& context) const override {
    ByType<float, double, int32_t, int64_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
    return Status();
  }

 private:
  // A NaN is above all of them.
  template <class T>
  void Run(EvalContext& context) const {
    const T* in = context.input(0).as<T>();
    int32_t* out = context.output(0).mutable_as<int32_t>();
    const int64_t count = context.output(0).shape.elements();
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<int32_t>(
          std::upper_bound(boundaries_.begin(), boundaries_.end(),
                           static_cast<double>(in[i])) -
          boundaries_.begin());
    }
  }

  std::vector<double> boundaries_;  // Ascending.
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  std::vector<double> boundaries;
  if (const auto* value = info.attributes().Find("boundaries")) {
    const auto* list = std::get_if<std::vector<double>>(value);
    if (list == nullptr) return Malformed("'boundaries' is no list of numbers");
    boundaries = *list;
  }
  for (size_t i = 0; i < boundaries.size(); ++i) {
    if (!(boundaries[i] == boundaries[i]) ||
        (i > 0 && boundaries[i] < boundaries[i - 1]))
      return Malformed("'boundaries' are not in order");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<BucketizeKernel>(std::move(boundaries)));
}

}  // namespace munja::ops::bucketize
