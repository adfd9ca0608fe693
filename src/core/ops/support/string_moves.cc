#include "ops/support/string_moves.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "graph/op_traits.h"
#include "tensor/strings.h"

namespace munja::ops {
namespace {

bool IsString(const TensorView& view) {
  return view.type == ElementType::kString;
}

size_t NumberBytes(const Shape& shape) {
  return RoundUp(static_cast<size_t>(shape.elements()) * sizeof(int32_t),
                 kBufferAlignment);
}

// The view of numbers that stands for one of strings.
TensorView Numbers(const TensorView& view) {
  TensorView numbers = view;
  if (!IsString(view)) return numbers;
  numbers.type = ElementType::kInt32;
  numbers.data = nullptr;
  numbers.bytes = static_cast<size_t>(view.shape.elements()) * sizeof(int32_t);
  return numbers;
}

struct MoveState : State {
  std::unique_ptr<State> inner;
  size_t inner_scratch = 0;
  std::vector<Shape> shapes;  // Shapes of the string outputs.
};

class MovePrepare final : public PrepareContext {
 public:
  MovePrepare(PrepareContext& outer, int outputs, MoveState& state)
      : outer_(outer), state_(state) {
    for (int i = 0; i < outer.inputs(); ++i)
      inputs_.push_back(Numbers(outer.input(i)));
    for (int i = 0; i < outputs; ++i)
      outputs_.push_back(Numbers(outer.output(i)));
    state_.shapes.resize(outputs_.size());
  }
  const TensorView& input(int i) const override {
    return i >= 0 && i < inputs() ? inputs_[i] : outer_.input(i);
  }
  int inputs() const override { return static_cast<int>(inputs_.size()); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int i) const override { return outputs_[i]; }
  Status SetOutputShape(int i, const Shape& shape) override {
    if (!IsString(outer_.output(i))) return outer_.SetOutputShape(i, shape);
    if (shape.elements() < 0 ||
        shape.elements() > std::numeric_limits<int32_t>::max())
      return OutOfMemory("a tensor of shape " + shape.ToString() +
                         " is too large for strings");
    outer_.DeferOutputShape(i);
    outputs_[i].shape = state_.shapes[i] = shape;
    return Status();
  }
  void DeferOutputShape(int i) override { outer_.DeferOutputShape(i); }
  void RequestScratch(size_t bytes) override {
    state_.inner_scratch = std::max(state_.inner_scratch, bytes);
  }
  void AllowInPlace(int, int) override {}
  void SetState(std::unique_ptr<State> state) override {
    state_.inner = std::move(state);
  }
  int threads() const override { return outer_.threads(); }

  // Scratch of the inner kernel, then the numbers of inputs and outputs, then
  // the positions of strings: those of all inputs, those of one output at a
  // time.
  size_t scratch_bytes() const {
    size_t bytes = RoundUp(state_.inner_scratch, kBufferAlignment);
    int64_t in = 0, out = 0;
    for (int i = 0; i < inputs(); ++i) {
      if (!IsString(outer_.input(i))) continue;
      bytes += NumberBytes(inputs_[i].shape);
      in += inputs_[i].shape.elements();
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!IsString(outer_.output(static_cast<int>(i)))) continue;
      bytes += NumberBytes(state_.shapes[i]);
      out = std::max(out, state_.shapes[i].elements());
    }
    return bytes + static_cast<size_t>(in + out) * sizeof(std::string_view);
  }

 private:
  PrepareContext& outer_;
  MoveState& state_;
  std::vector<TensorView> inputs_, outputs_;
};

class MoveEval final : public EvalContext {
 public:
  MoveEval(EvalContext& outer, int outputs)
      : outer_(outer), state_(*static_cast<const MoveState*>(outer.state())) {
    auto* at = static_cast<uint8_t*>(outer.scratch()) +
               RoundUp(state_.inner_scratch, kBufferAlignment);
    int32_t number = 0;
    for (int i = 0; i < outer.inputs(); ++i) {
      TensorView& view = inputs_.emplace_back(Numbers(outer.input(i)));
      if (!IsString(outer.input(i))) continue;
      view.data = at;
      at += NumberBytes(view.shape);
      const auto count = static_cast<int32_t>(view.shape.elements());
      std::iota(view.mutable_as<int32_t>(), view.mutable_as<int32_t>() + count,
                number);
      number += count;
    }
    for (int i = 0; i < outputs; ++i) {
      TensorView view = outer.output(i);
      if (IsString(view)) {
        view.shape = state_.shapes[i];
        view = Numbers(view);
        view.data = at;
        at += NumberBytes(view.shape);
      }
      outputs_.push_back(view);
    }
    strings_ = reinterpret_cast<std::string_view*>(at);
  }
  // Memory behind the numbers for the strings of all inputs and of an output.
  std::string_view* strings() const { return strings_; }
  const TensorView& input(int i) const override {
    return i >= 0 && i < inputs() ? inputs_[i] : outer_.input(i);
  }
  int inputs() const override { return static_cast<int>(inputs_.size()); }
  bool has_input(int i) const override { return outer_.has_input(i); }
  const TensorView& output(int i) const override { return outputs_[i]; }
  void* scratch() const override { return outer_.scratch(); }
  const State* state() const override { return state_.inner.get(); }
  ThreadPool& pool() const override { return outer_.pool(); }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override {
    return outer_.ResizeOutput(i, shape, bytes);
  }
  Host* host() const override { return outer_.host(); }

 private:
  EvalContext& outer_;
  const MoveState& state_;
  std::vector<TensorView> inputs_, outputs_;
  std::string_view* strings_ = nullptr;
};

class StringMover final : public Kernel {
 public:
  StringMover(std::unique_ptr<Kernel> inner, int outputs)
      : inner_(std::move(inner)), outputs_(outputs) {}

  Status Prepare(PrepareContext& context) const override {
    int64_t strings = 0;
    for (int i = 0; i < context.inputs(); ++i)
      if (IsString(context.input(i)))
        strings += context.input(i).shape.elements();
    if (strings > std::numeric_limits<int32_t>::max())
      return OutOfMemory("there are too many strings");
    auto state = std::make_unique<MoveState>();
    MovePrepare inner(context, outputs_, *state);
    MUNJA_RETURN_IF_ERROR(inner_->Prepare(inner));
    context.RequestScratch(inner.scratch_bytes());
    context.SetState(std::move(state));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    MoveEval inner(context, outputs_);
    MUNJA_RETURN_IF_ERROR(inner_->Eval(inner));
    std::string_view* const all = inner.strings();
    std::string_view* end = all;
    for (int i = 0; i < context.inputs(); ++i) {
      const TensorView& view = context.input(i);
      if (!IsString(view)) continue;
      for (int64_t k = 0; k < view.shape.elements(); ++k)
        *end++ = StringAt(view, static_cast<size_t>(k));
    }
    for (int i = 0; i < outputs_; ++i) {
      if (!IsString(context.output(i))) continue;
      const TensorView& numbers = inner.output(i);
      const std::span<std::string_view> moved(
          end, static_cast<size_t>(numbers.shape.elements()));
      for (size_t k = 0; k < moved.size(); ++k)
        moved[k] = all[numbers.as<int32_t>()[k]];
      const size_t bytes = StringBytes(moved);
      if (bytes > std::numeric_limits<int32_t>::max())
        return OutOfMemory("the strings of a tensor take less than 2 GiB");
      MUNJA_RETURN_IF_ERROR(context.ResizeOutput(i, numbers.shape, bytes));
      WriteStrings(moved, context.output(i).data);
    }
    return Status();
  }

 private:
  std::unique_ptr<Kernel> inner_;
  int outputs_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> MakeMovingStrings(const NodeInfo& info,
                                                  MakeFunction make) {
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, make(info));
  bool has_strings = false;
  for (int i = 0; i < info.inputs(); ++i)
    has_strings |=
        info.input(i) != nullptr && info.input(i)->type == ElementType::kString;
  const bool is_mover =
      graph::TraitsOf(info.node()).reads == graph::Reads::kNothing;
  if (!has_strings || !is_mover) return kernel;
  return std::unique_ptr<Kernel>(
      std::make_unique<StringMover>(std::move(kernel), info.outputs()));
}

}  // namespace munja::ops
