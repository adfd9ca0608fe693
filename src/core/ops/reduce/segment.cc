// SEGMENT_SUM and UNSORTED_SEGMENT_{SUM,PROD,MIN,MAX}: combine the slices of
// the data that have the same id.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::segment {
namespace {

enum class Reduction { kSum, kProd, kMin, kMax };

// Data [ids, slice], out [segments, slice].
struct SegmentState : State {
  int64_t ids = 0, segments = 0, slice = 1;
};

template <class T>
T Start(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return T{0};
    case Reduction::kProd:
      return T{1};
    case Reduction::kMin:
      return std::numeric_limits<T>::max();
    default:
      return std::numeric_limits<T>::lowest();
  }
}

// Integers wrap.
template <class T>
T Combine(Reduction reduction, T a, T b) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint32_t, T>;
  const auto x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  switch (reduction) {
    case Reduction::kSum:
      return static_cast<T>(x + y);
    case Reduction::kProd:
      return static_cast<T>(x * y);
    case Reduction::kMin:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

class SegmentKernel final : public Kernel {
 public:
  SegmentKernel(Reduction reduction, bool is_sorted)
      : reduction_(reduction), is_sorted_(is_sorted) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& data = context.input(0);
    const TensorView& ids = context.input(1);
    MUNJA_RETURN_IF_ERROR(CheckType(
        data, "the input", {ElementType::kFloat32, ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(data, context.output(0)));
    MUNJA_RETURN_IF_ERROR(
        CheckType(ids, "the list of ids", {ElementType::kInt32}));
    bool fits = ids.shape.rank() <= data.shape.rank() &&
                (!is_sorted_ || ids.shape.rank() == 1);
    for (int i = 0; fits && i < ids.shape.rank(); ++i)
      fits = ids.shape[i] == data.shape[i];
    if (!fits)
      return Malformed("has ids of shape " + ids.shape.ToString() +
                       " for data of shape " + data.shape.ToString());
    auto state = std::make_unique<SegmentState>();
    state->ids = ids.shape.elements();
    MUNJA_ASSIGN_OR_RETURN(state->segments, Segments(context));
    state->slice = data.shape.elements(ids.shape.rank(), data.shape.rank());
    std::vector<int64_t> out = {state->segments};
    for (int i = ids.shape.rank(); i < data.shape.rank(); ++i)
      out.push_back(data.shape[i]);
    context.SetState(std::move(state));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(out));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    return context.input(0).type == ElementType::kFloat32
               ? Run<float>(context)
               : Run<int32_t>(context);
  }

 private:
  Result<int64_t> Segments(const PrepareContext& context) const {
    if (!is_sorted_) {
      MUNJA_ASSIGN_OR_RETURN(
          const std::vector<int64_t> count,
          KnownIntegers(context, 2, "number of segments", 1));
      return count[0];
    }
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                           KnownIntegers(context, 1, "list of ids"));
    int64_t last = -1;
    for (const int64_t id : ids) {
      if (id != last + 1 && (id != last || last < 0))
        return Malformed("id " + std::to_string(id) + " follows " +
                         std::to_string(last));
      last = id;
    }
    return last + 1;
  }

  template <class T>
  Status Run(EvalContext& context) const {
    const auto& s = *static_cast<const SegmentState*>(context.state());
    const T* data = context.input(0).as<T>();
    const int32_t* ids = context.input(1).as<int32_t>();
    T* out = context.output(0).mutable_as<T>();
    std::fill_n(out, s.segments * s.slice, Start<T>(reduction_));
    for (int64_t i = 0; i < s.ids; ++i, data += s.slice) {
      // A slice with a negative id belongs to no segment.
      if (ids[i] < 0 && !is_sorted_) continue;
      if (ids[i] < 0 || ids[i] >= s.segments) {
        return InvalidArgument("id " + std::to_string(ids[i]) +
                               " is outside of " + std::to_string(s.segments) +
                               " segments");
      }
      T* const to = out + ids[i] * s.slice;
      for (int64_t k = 0; k < s.slice; ++k)
        to[k] = Combine(reduction_, to[k], data[k]);
    }
    return Status();
  }

  Reduction reduction_;
  bool is_sorted_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  const bool is_sorted = op == "SEGMENT_SUM";
  const int inputs = is_sorted ? 2 : 3;
  MUNJA_RETURN_IF_ERROR(info.CheckArity(inputs, inputs, 1));
  Reduction reduction = Reduction::kSum;
  if (op.ends_with("PROD")) reduction = Reduction::kProd;
  if (op.ends_with("MIN")) reduction = Reduction::kMin;
  if (op.ends_with("MAX")) reduction = Reduction::kMax;
  return std::unique_ptr<Kernel>(
      std::make_unique<SegmentKernel>(reduction, is_sorted));
}

}  // namespace munja::ops::segment
