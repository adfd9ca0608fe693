// Operators that run other subgraphs: IF, WHILE, CALL, CALL_ONCE and
// STABLEHLO_COMPOSITE (by its decomposition).
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::control_flow {
namespace {

// Limit of loop variables: as much as the values of a subgraph may take.
constexpr size_t kMaxKeptBytes = size_t{1} << (sizeof(size_t) > 4 ? 33 : 30);

// A subgraph that the node names by this attribute.
Result<int> Callee(const NodeInfo& info, std::string_view attribute) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t index,
                         info.attributes().Int(attribute, -1));
  if (index < 0 || index > INT32_MAX)
    return Malformed("'" + std::string(attribute) + "' names no subgraph");
  return static_cast<int>(index);
}

void DeferAll(PrepareContext& context, int outputs) {
  for (int i = 0; i < outputs; ++i) context.DeferOutputShape(i);
}

Status CheckCondition(const TensorView& condition) {
  if (condition.type != ElementType::kBool || condition.shape.elements() != 1) {
    return Malformed(std::string("the condition is ") +
                     ElementTypeName(condition.type) + " of shape " +
                     condition.shape.ToString() + ", wants one bool");
  }
  return Status();
}

// Copies what a subgraph gave out, or the loop variables, to the outputs.
Status GiveOutputs(EvalContext& context, std::span<const TensorView> values,
                   int outputs) {
  if (values.size() != static_cast<size_t>(outputs)) {
    return Malformed("the subgraph has " + std::to_string(values.size()) +
                     " outputs, the node " + std::to_string(outputs));
  }
  for (int i = 0; i < outputs; ++i) {
    const TensorView& value = values[static_cast<size_t>(i)];
    if (value.type != context.output(i).type) {
      return Malformed("output " + std::to_string(i) + " is " +
                       ElementTypeName(context.output(i).type) +
                       ", the subgraph gives " + ElementTypeName(value.type));
    }
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(i, value.shape, value.bytes));
    if (value.bytes > 0)
      std::memcpy(context.output(i).data, value.data, value.bytes);
  }
  return Status();
}

// Inputs `first` and after.
std::vector<TensorView> InputsFrom(const EvalContext& context, int first) {
  std::vector<TensorView> views;
  for (int i = first; i < context.inputs(); ++i)
    views.push_back(context.input(i));
  return views;
}

class HostKernel : public Kernel {
 public:
  bool needs_host() const final { return true; }
};

class CallKernel final : public HostKernel {
 public:
  CallKernel(int callee, int outputs) : callee_(callee), outputs_(outputs) {}
  Status Prepare(PrepareContext& context) const override {
    DeferAll(context, outputs_);
    return Status();
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(
        const auto values,
        context.host()->Call(callee_, InputsFrom(context, 0)));
    return GiveOutputs(context, values, outputs_);
  }

 private:
  int callee_, outputs_;
};

class IfKernel final : public HostKernel {
 public:
  IfKernel(int then_callee, int else_callee, int outputs)
      : then_(then_callee), else_(else_callee), outputs_(outputs) {}
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(CheckCondition(context.input(0)));
    DeferAll(context, outputs_);
    return Status();
  }
  Status Eval(EvalContext& context) const override {
    const bool holds = *context.input(0).as<uint8_t>() != 0;
    MUNJA_ASSIGN_OR_RETURN(
        const auto values,
        context.host()->Call(holds ? then_ : else_, InputsFrom(context, 1)));
    return GiveOutputs(context, values, outputs_);
  }

 private:
  int then_, else_, outputs_;
};

// Runs its subgraph in the first run of a session, and after the session
// forgot its resources.
class CallOnceKernel final : public HostKernel {
 public:
  explicit CallOnceKernel(int callee) : callee_(callee) {}
  Status Prepare(PrepareContext&) const override { return Status(); }
  Status Eval(EvalContext& context) const override {
    Resources& resources = context.host()->resources();
    const int32_t id = resources.Id("call once/" + std::to_string(callee_));
    if (*resources.Find(id) != nullptr) return Status();
    MUNJA_RETURN_IF_ERROR(
        context.host()->Call(callee_, {}).With("initialization").TakeStatus());
    *resources.Find(id) = std::make_unique<State>();
    return Status();
  }

 private:
  int callee_;
};

class WhileKernel final : public HostKernel {
 public:
  WhileKernel(int condition, int body, int variables)
      : condition_(condition), body_(body), variables_(variables) {}

  Status Prepare(PrepareContext& context) const override {
    for (int i = 0; i < variables_; ++i)
      MUNJA_RETURN_IF_ERROR(CheckSameType(context.input(i), context.output(i))
                                .With("loop variable " + std::to_string(i)));
    DeferAll(context, variables_);
    auto kept = std::make_unique<Kept>();
    kept->buffers.resize(static_cast<size_t>(variables_));
    context.SetState(std::move(kept));
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    std::vector<TensorView> variables = InputsFrom(context, 0);
    auto& buffers = static_cast<const Kept*>(context.state())->buffers;
    for (;;) {
      MUNJA_ASSIGN_OR_RETURN(const bool holds,
                             Holds(*context.host(), variables));
      if (!holds) break;
      MUNJA_ASSIGN_OR_RETURN(const auto next,
                             context.host()->Call(body_, variables));
      MUNJA_RETURN_IF_ERROR(Keep(next, variables, buffers));
    }
    return GiveOutputs(context, variables, variables_);
  }

 private:
  // The loop variables between two runs of the body: the condition may run
  // the body's subgraph, too, whose outputs then are gone.
  struct Kept : State {
    mutable std::vector<Buffer> buffers;
  };

  Result<bool> Holds(Host& host, std::span<const TensorView> variables) const {
    MUNJA_ASSIGN_OR_RETURN(const auto result, host.Call(condition_, variables));
    if (result.size() != 1) {
      return Malformed("the condition has " + std::to_string(result.size()) +
                       " outputs, wants one");
    }
    MUNJA_RETURN_IF_ERROR(CheckCondition(result[0]));
    return *result[0].as<uint8_t>() != 0;
  }

  static Status Keep(std::span<const TensorView> next,
                     std::vector<TensorView>& variables,
                     std::vector<Buffer>& buffers) {
    if (next.size() != variables.size()) {
      return Malformed("the body has " + std::to_string(next.size()) +
                       " outputs for " + std::to_string(variables.size()) +
                       " loop variables");
    }
    size_t total = 0;
    for (const TensorView& view : next) {
      if (!CheckedAdd(total, view.bytes, &total) || total > kMaxKeptBytes)
        return OutOfMemory("the loop variables need more than " +
                           std::to_string(kMaxKeptBytes >> 20) + " MiB");
    }
    for (size_t i = 0; i < next.size(); ++i) {
      MUNJA_RETURN_IF_ERROR(CheckSameType(variables[i], next[i])
                                .With("loop variable " + std::to_string(i)));
      if (next[i].bytes > buffers[i].size()) {
        // A variable that grows does so often: then with room to spare.
        const size_t room = buffers[i].size() == 0 ? 0 : next[i].bytes / 4;
        buffers[i] = Buffer();
        MUNJA_ASSIGN_OR_RETURN(buffers[i],
                               Buffer::Allocate(next[i].bytes + room));
      }
      variables[i] = next[i];
      variables[i].data = buffers[i].data();
      if (next[i].bytes > 0)
        std::memcpy(buffers[i].data(), next[i].data, next[i].bytes);
    }
    return Status();
  }

  int condition_, body_, variables_;
};

template <class K, class... Args>
std::unique_ptr<Kernel> New(Args... args) {
  return std::make_unique<K>(args...);
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  for (int i = 0; i < info.inputs(); ++i) {
    if (info.input(i) == nullptr)
      return Malformed("input " + std::to_string(i) + " is absent");
  }
  if (op == "IF") {
    if (info.inputs() < 1) return Malformed("has no condition");
    MUNJA_ASSIGN_OR_RETURN(const int yes, Callee(info, "then_subgraph_index"));
    MUNJA_ASSIGN_OR_RETURN(const int no, Callee(info, "else_subgraph_index"));
    return New<IfKernel>(yes, no, info.outputs());
  }
  if (op == "WHILE") {
    if (info.inputs() != info.outputs()) {
      return Malformed("has " + std::to_string(info.inputs()) + " inputs and " +
                       std::to_string(info.outputs()) +
                       " outputs, wants as many");
    }
    MUNJA_ASSIGN_OR_RETURN(const int cond, Callee(info, "cond_subgraph_index"));
    MUNJA_ASSIGN_OR_RETURN(const int body, Callee(info, "body_subgraph_index"));
    return New<WhileKernel>(cond, body, info.outputs());
  }
  if (op == "CALL_ONCE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(0, 0, 0));
    MUNJA_ASSIGN_OR_RETURN(const int init, Callee(info, "init_subgraph_index"));
    return New<CallOnceKernel>(init);
  }
  MUNJA_ASSIGN_OR_RETURN(
      const int callee,
      Callee(info, op == "CALL" ? "subgraph" : "decomposition_subgraph_index"));
  return New<CallKernel>(callee, info.outputs());
}

}  // namespace munja::ops::control_flow
