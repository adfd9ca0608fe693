#include "ops/support/half_adapter.h"

#include <array>
#include <utility>

#include "base/buffer.h"
#include "ops/support/operands.h"
#include "tensor/half.h"
#include "tensor/int4.h"

namespace munja::ops {
namespace {

constexpr int kMaxInputs = 4;
constexpr size_t kGrain = size_t{1} << 14;

bool IsNarrow(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kInt4;
}

// Scratch memory: that of the kernel first, then the wide tensors.
struct HalfState : State {
  std::unique_ptr<State> inner;
  // Where the wide form lies; 0 when the tensor is not narrow.
  std::array<size_t, kMaxInputs> input_at{};
  size_t output_at = 0;
};

TensorView Widened(TensorView view) {
  if (!IsNarrow(view.type)) return view;
  view.type = view.type == ElementType::kInt4 ? ElementType::kInt8
                                              : ElementType::kFloat32;
  view.data = nullptr;
  view.bytes *= 2;
  return view;
}

// An even grain: no two threads write into one byte of nibbles.
void Widen(const TensorView& from, const TensorView& to, ThreadPool& pool) {
  const auto* bytes = from.as<uint8_t>();
  const auto* halves = from.as<uint16_t>();
  const bool is_int4 = from.type == ElementType::kInt4;
  pool.ParallelFor(static_cast<size_t>(from.shape.elements()), kGrain,
                   [&](size_t begin, size_t end, int) {
                     for (size_t i = begin; i < end; ++i) {
                       if (is_int4) {
                         to.mutable_as<int8_t>()[i] = Int4At(bytes, i);
                       } else {
                         to.mutable_as<float>()[i] = HalfToFloat(halves[i]);
                       }
                     }
                   });
}

void Narrow(const TensorView& from, const TensorView& to, ThreadPool& pool) {
  auto* bytes = to.mutable_as<uint8_t>();
  auto* halves = to.mutable_as<uint16_t>();
  const bool is_int4 = to.type == ElementType::kInt4;
  pool.ParallelFor(static_cast<size_t>(to.shape.elements()), kGrain,
                   [&](size_t begin, size_t end, int) {
                     for (size_t i = begin; i < end; ++i) {
                       if (is_int4) {
                         SetInt4(bytes, i, from.as<int8_t>()[i]);
                       } else {
                         halves[i] = FloatToHalf(from.as<float>()[i]);
                       }
                     }
                   });
}

class HalfPrepareContext final : public PrepareContext {
 public:
  explicit HalfPrepareContext(PrepareContext& outer)
      : outer_(outer), output_(Widened(outer.output(0))) {
    for (int i = 0; i < outer.inputs(); ++i)
      if (outer.has_input(i)) inputs_[i] = Widened(outer.input(i));
  }
  const TensorView& input(int i) const override { return inputs_[i]; }
  int inputs() const override { return outer_.inputs(); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int) const override { return output_; }
  Status SetOutputShape(int i, const Shape& shape) override {
    output_.shape = shape;
    return outer_.SetOutputShape(i, shape);
  }
  void DeferOutputShape(int i) override { outer_.DeferOutputShape(i); }
  void RequestScratch(size_t bytes) override { scratch = bytes; }
  void AllowInPlace(int output, int input) override {
    if (outer_.input(input).type == outer_.output(output).type)
      outer_.AllowInPlace(output, input);
  }
  void SetState(std::unique_ptr<State> s) override { state = std::move(s); }
  int threads() const override { return outer_.threads(); }

  size_t scratch = 0;
  std::unique_ptr<State> state;

 private:
  PrepareContext& outer_;
  std::array<TensorView, kMaxInputs> inputs_;
  TensorView output_;
};

class HalfEvalContext final : public EvalContext {
 public:
  HalfEvalContext(EvalContext& outer, const HalfState& state)
      : outer_(outer), state_(state), output_(outer.output(0)) {
    auto* base = static_cast<uint8_t*>(outer.scratch());
    for (int i = 0; i < outer.inputs(); ++i) {
      if (!outer.has_input(i)) continue;
      inputs_[i] = outer.input(i);
      if (state.input_at[i] != 0)
        inputs_[i] = At(inputs_[i], base + state.input_at[i]);
    }
    if (state.output_at != 0) output_ = At(output_, base + state.output_at);
  }
  const TensorView& input(int i) const override { return inputs_[i]; }
  int inputs() const override { return outer_.inputs(); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int) const override { return output_; }
  void* scratch() const override { return outer_.scratch(); }
  const State* state() const override { return state_.inner.get(); }
  ThreadPool& pool() const override { return outer_.pool(); }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override {
    return outer_.ResizeOutput(i, shape, bytes);
  }
  Host* host() const override { return outer_.host(); }

 private:
  static TensorView At(TensorView view, void* data) {
    view = Widened(view);
    view.data = data;
    return view;
  }

  EvalContext& outer_;
  const HalfState& state_;
  std::array<TensorView, kMaxInputs> inputs_;
  TensorView output_;
};

class HalfKernel final : public Kernel {
 public:
  explicit HalfKernel(std::unique_ptr<Kernel> kernel)
      : kernel_(std::move(kernel)) {}

  Status Prepare(PrepareContext& context) const override {
    if (context.inputs() > kMaxInputs)
      return Unsupported("float16 or int4 with so many inputs");
    MUNJA_RETURN_IF_ERROR(CheckUnmixed(context));
    HalfPrepareContext inner(context);
    MUNJA_RETURN_IF_ERROR(kernel_->Prepare(inner));
    auto state = std::make_unique<HalfState>();
    // Never 0, which stands for "not narrow".
    size_t next = RoundUp(inner.scratch, kBufferAlignment) + kBufferAlignment;
    const auto reserve = [&](const Shape& shape) {
      const size_t at = next;
      const auto count = static_cast<size_t>(shape.elements());
      next += RoundUp(count * sizeof(float), kBufferAlignment);
      return at;
    };
    for (int i = 0; i < context.inputs(); ++i) {
      if (context.has_input(i) && IsNarrow(context.input(i).type))
        state->input_at[i] = reserve(context.input(i).shape);
    }
    if (IsNarrow(context.output(0).type))
      state->output_at = reserve(inner.output(0).shape);
    state->inner = std::move(inner.state);
    context.RequestScratch(next);
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto& state = *static_cast<const HalfState*>(context.state());
    HalfEvalContext inner(context, state);
    for (int i = 0; i < context.inputs(); ++i) {
      if (state.input_at[i] == 0) continue;
      Widen(context.input(i), inner.input(i), context.pool());
    }
    MUNJA_RETURN_IF_ERROR(kernel_->Eval(inner));
    if (state.output_at == 0) return Status();
    Narrow(inner.output(0), context.output(0), context.pool());
    return Status();
  }

  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return kernel_->MultiplyAccumulates(inputs, outputs);
  }
  size_t packed_bytes() const override { return kernel_->packed_bytes(); }

 private:
  // The kernel could not tell a tensor of the wide type from a widened one.
  static Status CheckUnmixed(const PrepareContext& context) {
    const auto check = [&](const TensorView& view) {
      return view.type == Widened(context.input(0)).type
                 ? CheckSameType(context.input(0), view)
                 : Status();
    };
    for (int i = 0; i < context.inputs(); ++i)
      if (context.has_input(i)) MUNJA_RETURN_IF_ERROR(check(context.input(i)));
    return check(context.output(0));
  }

  std::unique_ptr<Kernel> kernel_;
};

std::unique_ptr<Kernel> On(ElementType type, const NodeInfo& info,
                           std::unique_ptr<Kernel> kernel) {
  const graph::Value* input = info.input(0);
  if (input == nullptr || input->type != type) return kernel;
  return std::make_unique<HalfKernel>(std::move(kernel));
}

}  // namespace

std::unique_ptr<Kernel> OnHalves(const NodeInfo& info,
                                 std::unique_ptr<Kernel> kernel) {
  return On(ElementType::kFloat16, info, std::move(kernel));
}

std::unique_ptr<Kernel> OnNibbles(const NodeInfo& info,
                                  std::unique_ptr<Kernel> kernel) {
  return On(ElementType::kInt4, info, std::move(kernel));
}

}  // namespace munja::ops
