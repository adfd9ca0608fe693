// MEAN, SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL.
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/half_adapter.h"
#include "ops/support/operands.h"
#include "ops/support/quantized/quantized.h"
#include "ops/support/quantized/quantized_reduce.h"
#include "ops/support/reduced_axes.h"

namespace munja::ops::reduce {
namespace {

enum class Kind { kMean, kSum, kProduct, kMaximum, kMinimum, kAny, kAll };

// A tensor of [outer, reduced, inner] becomes [outer, inner].
struct Step {
  size_t outer = 1, reduced = 1, inner = 1;
  size_t elements() const { return outer * inner; }
};

// The sums of a step run over chunks of this many indices, whose partial
// results are then joined in order: work for several threads also when outer
// is 1, and less rounding than one long sum. Part of the result's definition:
// it must not depend on the number of threads.
constexpr size_t kChunk = 256;
size_t Chunks(size_t reduced) {
  return std::max<size_t>(1, (reduced + kChunk - 1) / kChunk);
}

struct ReduceState : State {
  std::vector<Step> steps;  // Innermost reduced dimension first.
  size_t count = 1;         // Elements that meet in one result.
  size_t temporary = 0;     // Bytes of one intermediate result.
  size_t partial = 0;       // Bytes of partial sums.
};

// A step of each reduced group, from the last to the first.
std::vector<Step> MakeSteps(const std::vector<AxisGroup>& groups) {
  std::vector<Step> steps;
  size_t inner = 1;
  for (size_t i = groups.size(); i-- > 0;) {
    if (!groups[i].is_reduced) {
      inner *= groups[i].size;
      continue;
    }
    Step step;
    step.reduced = groups[i].size;
    step.inner = inner;
    for (size_t k = 0; k < i; ++k) step.outer *= groups[k].size;
    steps.push_back(step);
  }
  return steps;
}

// Types other than float: few numbers, plain loops.
template <class T>
T Identity(Kind kind) {
  switch (kind) {
    case Kind::kProduct:
    case Kind::kAll:
      return T{1};
    case Kind::kMaximum:
      return std::numeric_limits<T>::lowest();
    case Kind::kMinimum:
      return std::numeric_limits<T>::max();
    default:
      return T{0};
  }
}

template <class T>
T Join(Kind kind, T a, T b) {
  // Not narrower than int, to which C++ would go back.
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  switch (kind) {
    case Kind::kProduct:
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    case Kind::kMaximum:
      return std::max(a, b);
    case Kind::kMinimum:
      return std::min(a, b);
    case Kind::kAny:
      return a || b;
    case Kind::kAll:
      return a && b;
    default:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
}

template <class T>
void IntegerStep(Kind kind, const Step& s, const T* in, T* out) {
  std::fill_n(out, s.elements(), Identity<T>(kind));
  for (size_t o = 0; o < s.outer; ++o) {
    for (size_t r = 0; r < s.reduced; ++r) {
      for (size_t i = 0; i < s.inner; ++i) {
        T& sum = out[o * s.inner + i];
        sum = Join(kind, sum, in[(o * s.reduced + r) * s.inner + i]);
      }
    }
  }
}

class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(Kind kind, bool keep_dims, bool reference_kernels)
      : kind_(kind), keep_dims_(keep_dims), use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    MUNJA_RETURN_IF_ERROR(CheckInput(in, context.output(0)));
    MUNJA_ASSIGN_OR_RETURN(const ReducedAxes axes,
                           ReadReducedAxes(context, keep_dims_));
    auto state = std::make_unique<ReduceState>();
    state->count = static_cast<size_t>(axes.count);
    state->steps = MakeSteps(axes.groups);
    const size_t size = ElementSize(in.type);
    for (size_t i = 0; i < state->steps.size(); ++i) {
      const Step& s = state->steps[i];
      if (i + 1 < state->steps.size())
        state->temporary = std::max(state->temporary, s.elements() * size);
      if (in.type == ElementType::kFloat32 && s.inner > 1)
        state->partial =
            std::max(state->partial, s.elements() * Chunks(s.reduced) * size);
    }
    state->temporary = RoundUp(state->temporary, kBufferAlignment);
    context.RequestScratch(2 * state->temporary + state->partial);
    context.SetState(std::move(state));
    return context.SetOutputShape(0, axes.output);
  }

  Status Eval(EvalContext& context) const override {
    const ElementType type = context.input(0).type;
    if (type == ElementType::kFloat32) {
      EvalFloats(context);
    } else {  // The last type: uint8 and bool.
      ByType<int64_t, int32_t, int16_t, int8_t, uint8_t>(
          type, [&]<class T>() { EvalIntegers<T>(context); });
    }
    return Status();
  }

 private:
  Status CheckInput(const TensorView& in, const TensorView& out) const {
    if (kind_ == Kind::kAny || kind_ == Kind::kAll)
      return CheckType(in, "the input", {ElementType::kBool});
    if (kind_ == Kind::kMaximum || kind_ == Kind::kMinimum) {
      if (!SameQuantization(in, out))
        return Unsupported("input and output are quantized differently");
      return CheckType(
          in, "the input",
          {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
           ElementType::kInt16, ElementType::kInt8, ElementType::kUInt8});
    }
    return CheckType(
        in, "the input",
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64});
  }

  kernels::ReduceKind FloatKind() const {
    switch (kind_) {
      case Kind::kProduct:
        return kernels::ReduceKind::kProduct;
      case Kind::kMaximum:
        return kernels::ReduceKind::kMaximum;
      case Kind::kMinimum:
        return kernels::ReduceKind::kMinimum;
      default:
        return kernels::ReduceKind::kSum;
    }
  }

  void Rows(const float* in, size_t rows, size_t cols, float* out) const {
    std::fill_n(out, cols, kernels::ReduceIdentity(FloatKind()));
    use_reference_
        ? kernels::reference::ReduceRows(FloatKind(), in, rows, cols, cols, out)
        : kernels::ReduceRows(FloatKind(), in, rows, cols, cols, out);
  }

  void FloatStep(const Step& s, const float* in, float* partial, float* out,
                 ThreadPool& pool) const {
    constexpr size_t kGrain = size_t{1} << 14;
    if (s.inner == 1) {
      pool.ParallelFor(
          s.outer, std::max<size_t>(1, kGrain / std::max<size_t>(1, s.reduced)),
          [&](size_t begin, size_t end, int) {
            for (size_t o = begin; o < end; ++o) {
              const float* row = in + o * s.reduced;
              out[o] = use_reference_
                           ? kernels::reference::ReduceRow(FloatKind(), row,
                                                           s.reduced)
                           : kernels::ReduceRow(FloatKind(), row, s.reduced);
            }
          });
      return;
    }
    const size_t chunks = Chunks(s.reduced);
    const size_t work = std::min(s.reduced, kChunk) * s.inner;
    pool.ParallelFor(
        s.outer * chunks,
        std::max<size_t>(1, kGrain / std::max<size_t>(1, work)),
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            const size_t first = i % chunks * kChunk;
            const size_t rows = std::min(kChunk, s.reduced - first);
            Rows(in + (i / chunks * s.reduced + first) * s.inner, rows, s.inner,
                 (chunks == 1 ? out : partial) + i * s.inner);
          }
        });
    if (chunks == 1) return;
    for (size_t o = 0; o < s.outer; ++o)
      Rows(partial + o * chunks * s.inner, chunks, s.inner, out + o * s.inner);
  }

  // Runs the steps; `step` takes the step, its input and its output.
  template <class T, class F>
  void RunSteps(EvalContext& context, const F& step) const {
    const auto& state = *static_cast<const ReduceState*>(context.state());
    const T* in = context.input(0).as<T>();
    T* out = context.output(0).mutable_as<T>();
    if (state.steps.empty()) {
      std::copy_n(in, context.output(0).shape.elements(), out);
      return;
    }
    auto* scratch = static_cast<uint8_t*>(context.scratch());
    for (size_t i = 0; i < state.steps.size(); ++i) {
      T* to = i + 1 == state.steps.size()
                  ? out
                  : reinterpret_cast<T*>(scratch + i % 2 * state.temporary);
      step(state.steps[i], in, to);
      in = to;
    }
  }

  void EvalFloats(EvalContext& context) const {
    const auto& state = *static_cast<const ReduceState*>(context.state());
    auto* partial = reinterpret_cast<float*>(
        static_cast<uint8_t*>(context.scratch()) + 2 * state.temporary);
    RunSteps<float>(context, [&](const Step& s, const float* in, float* out) {
      FloatStep(s, in, partial, out, context.pool());
    });
    if (kind_ == Kind::kMean) {
      float* out = context.output(0).mutable_as<float>();
      const auto n = static_cast<float>(state.count);
      const int64_t elements = context.output(0).shape.elements();
      for (int64_t i = 0; i < elements; ++i) out[i] /= n;
    }
  }

  template <class T>
  void EvalIntegers(EvalContext& context) const {
    RunSteps<T>(context, [&](const Step& s, const T* in, T* out) {
      IntegerStep(kind_, s, in, out);
    });
  }

  Kind kind_;
  bool keep_dims_;
  bool use_reference_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
  MUNJA_ASSIGN_OR_RETURN(const bool keep_dims,
                         info.attributes().Bool("keep_dims", false));
  const std::string& op = info.node().op;
  const Kind kind = op == "MEAN"          ? Kind::kMean
                    : op == "SUM"         ? Kind::kSum
                    : op == "REDUCE_PROD" ? Kind::kProduct
                    : op == "REDUCE_MAX"  ? Kind::kMaximum
                    : op == "REDUCE_MIN"  ? Kind::kMinimum
                    : op == "REDUCE_ANY"  ? Kind::kAny
                                          : Kind::kAll;
  if (kind == Kind::kMean || kind == Kind::kSum || kind == Kind::kProduct) {
    const WideReduceKind wide = kind == Kind::kMean  ? WideReduceKind::kMean
                                : kind == Kind::kSum ? WideReduceKind::kSum
                                                     : WideReduceKind::kProduct;
    if (TakesQuantized(info)) return MakeWideReduce(wide, keep_dims, true);
    const graph::Value* input = info.input(0);
    if (kind == Kind::kMean && input != nullptr &&
        (input->type == ElementType::kInt32 ||
         input->type == ElementType::kInt64))
      return MakeWideReduce(wide, keep_dims, false);
  }
  return OnHalves(info, std::make_unique<ReduceKernel>(
                            kind, keep_dims, info.options().reference_kernels));
}

}  // namespace munja::ops::reduce
