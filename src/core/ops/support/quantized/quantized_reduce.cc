#include "ops/support/quantized/quantized_reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/quant/fixed_point.h"
#include "kernels/reduce/column_sums.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/reduced_axes.h"

namespace munja::ops {
namespace {

using kernels::Multiplier;

struct Group : AxisGroup {
  size_t in_stride = 1;
  size_t out_stride = 0;  // 0 when reduced.
};

struct ReduceState : State {
  std::vector<Group> groups;  // The last dimensions last.
  size_t outputs = 1;
  int64_t count = 1;  // Elements that meet in one result.
  Affine in, out;
  Multiplier scale;
};

// At least one.
std::vector<Group> MakeGroups(const std::vector<AxisGroup>& axes) {
  std::vector<Group> groups;
  for (const AxisGroup& axis : axes) groups.push_back({axis});
  if (groups.empty()) groups.push_back({});
  size_t in_stride = 1, out_stride = 1;
  for (size_t i = groups.size(); i-- > 0;) {
    Group& g = groups[i];
    g.in_stride = in_stride;
    g.out_stride = g.is_reduced ? 0 : out_stride;
    in_stride *= g.size;
    if (!g.is_reduced) out_stride *= g.size;
  }
  return groups;
}

// Calls step(accumulator, element, whether it is the accumulator's first) for
// every element, in order.
template <class T, class F>
void ForEach(const Group* group, const Group* end, const T* in, int64_t* sums,
             bool is_first, const F& step) {
  if (group + 1 == end) {
    if (group->is_reduced) {
      for (size_t i = 0; i < group->size; ++i)
        step(*sums, in[i], is_first && i == 0);
    } else {
      for (size_t i = 0; i < group->size; ++i) step(sums[i], in[i], is_first);
    }
    return;
  }
  for (size_t i = 0; i < group->size; ++i) {
    ForEach(group + 1, end, in + i * group->in_stride,
            sums + i * group->out_stride,
            is_first && (i == 0 || !group->is_reduced), step);
  }
}

// Sums: as ForEach, many columns at a time.
template <class T>
void AddAll(const Group* group, const Group* end, const T* in, int64_t* sums) {
  if constexpr (sizeof(T) <= 2) {
    if (group + 2 == end && group->is_reduced && !group[1].is_reduced) {
      kernels::AddColumns(in, group->size, group[1].size, sums);
      return;
    }
  }
  if (group + 1 < end) {
    for (size_t i = 0; i < group->size; ++i) {
      AddAll(group + 1, end, in + i * group->in_stride,
             sums + i * group->out_stride);
    }
    return;
  }
  ForEach(group, end, in, sums, true, [](int64_t& sum, T v, bool) {
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                               static_cast<uint64_t>(v));
  });
}

// Whether only the last dimension but one is reduced, of few enough lines that
// their sums are scaled as they are made.
bool AreColumns(const std::vector<Group>& groups) {
  const size_t n = groups.size();
  return n >= 2 && !groups[n - 1].is_reduced && groups[n - 2].is_reduced &&
         groups[n - 2].size <= kernels::kMostScaledRows &&
         std::none_of(groups.begin(), groups.end() - 2,
                      [](const Group& group) { return group.is_reduced; });
}

class WideReduceKernel final : public Kernel {
 public:
  WideReduceKernel(WideReduceKind kind, bool keep_dims, bool is_quantized)
      : kind_(kind), keep_dims_(keep_dims), is_quantized_(is_quantized) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, out));
    MUNJA_ASSIGN_OR_RETURN(const ReducedAxes axes,
                           ReadReducedAxes(context, keep_dims_));
    auto state = std::make_unique<ReduceState>();
    state->count = axes.count;
    state->groups = MakeGroups(axes.groups);
    state->outputs = static_cast<size_t>(axes.output.elements());
    if (is_quantized_) {
      MUNJA_ASSIGN_OR_RETURN(state->in, PerTensor(in, "the input"));
      MUNJA_ASSIGN_OR_RETURN(state->out, PerTensor(out, "the output"));
      SetScale(*state);
    }
    context.RequestScratch(state->outputs * sizeof(int64_t));
    context.SetState(std::move(state));
    return context.SetOutputShape(0, axes.output);
  }

  Status Eval(EvalContext& context) const override {
    ByType<int8_t, uint8_t, int16_t, int32_t, int64_t>(
        context.input(0).type, [&]<class T>() { return Run<T>(context); });
    return Status();
  }

 private:
  void SetScale(ReduceState& state) const {
    const double in = state.in.scale, out = state.out.scale;
    const int64_t n = state.count;
    if (n == 0) return;
    if (kind_ == WideReduceKind::kProduct) {
      // Every multiplication is scaled, by the n-th part of the whole.
      state.scale = kernels::QuantizeMultiplier(
          in / std::pow(out, 1.0 / static_cast<double>(n)));
      return;
    }
    state.scale = kernels::QuantizeMultiplier(in / out);
    if (kind_ == WideReduceKind::kSum) return;
    // The division by n goes into the multiplier, with as many bits as fit.
    int shift = 63 - std::countl_zero(static_cast<uint64_t>(n));
    shift = std::min({shift, 32, 31 + state.scale.exponent});
    state.scale.mantissa = static_cast<int32_t>(
        (static_cast<int64_t>(state.scale.mantissa) << shift) / n);
    state.scale.exponent -= shift;
  }

  template <class T>
  void Run(EvalContext& context) const {
    const auto& state = *static_cast<const ReduceState*>(context.state());
    const T* in = context.input(0).as<T>();
    T* out = context.output(0).mutable_as<T>();
    auto* sums = static_cast<int64_t*>(context.scratch());
    if (state.count == 0 || context.input(0).shape.elements() == 0) {
      std::fill_n(out, state.outputs, static_cast<T>(state.out.zero));
      return;
    }
    if constexpr (sizeof(T) == 1) {
      if (is_quantized_ && kind_ != WideReduceKind::kProduct &&
          AreColumns(state.groups)) {
        ScaleColumns(state, in, out);
        return;
      }
    }
    std::fill_n(sums, state.outputs, int64_t{0});
    const Group* begin = state.groups.data();
    const Group* end = begin + state.groups.size();
    if (kind_ == WideReduceKind::kProduct) {
      const auto multiply = [&](int64_t& product, T v, bool is_first) {
        const int64_t x = static_cast<int64_t>(v) - state.in.zero;
        product = is_first ? x : kernels::Multiply(product * x, state.scale);
      };
      ForEach(begin, end, in, sums, true, multiply);
    } else {
      AddAll(begin, end, in, sums);
    }
    for (size_t i = 0; i < state.outputs; ++i)
      out[i] = static_cast<T>(Result(state, sums[i], context.input(0).type));
  }

  template <class T>
  static void ScaleColumns(const ReduceState& state, const T* in, T* out) {
    const size_t rows = state.groups[state.groups.size() - 2].size;
    const size_t columns = state.groups.back().size;
    const kernels::SumScale scale = {
        static_cast<int32_t>(state.in.zero * state.count), state.scale,
        state.out.zero};
    for (size_t i = 0; i < state.outputs; i += columns)
      kernels::ScaleColumnSums(in + i * rows, rows, columns, scale, out + i);
  }

  int64_t Result(const ReduceState& state, int64_t sum,
                 ElementType type) const {
    if (!is_quantized_) return sum / state.count;
    const StoredRange range = RangeOf(type);
    if (kind_ == WideReduceKind::kProduct) {
      return std::clamp<int64_t>(
          int64_t{kernels::Multiply(sum, state.scale)} + state.out.zero,
          range.low, range.high);
    }
    constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
    constexpr int64_t kHigh = std::numeric_limits<int32_t>::max();
    const auto x = static_cast<int32_t>(
        std::clamp(sum - state.in.zero * state.count, kLow, kHigh));
    return kernels::Rescale(x, state.scale, state.out.zero, range.low,
                            range.high);
  }

  WideReduceKind kind_;
  bool keep_dims_, is_quantized_;
};

}  // namespace

std::unique_ptr<Kernel> MakeWideReduce(WideReduceKind kind, bool keep_dims,
                                       bool is_quantized) {
  return std::make_unique<WideReduceKernel>(kind, keep_dims, is_quantized);
}

}  // namespace munja::ops
