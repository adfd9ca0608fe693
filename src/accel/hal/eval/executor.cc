#include "hal/eval/executor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "hal/eval/single_operation.h"
#include "hal/operations.h"
#include "hal/types.h"

namespace munja::hal {
namespace {

using Tensors = std::vector<Tensor>;

uint64_t Now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

class Executor {
 public:
  Executor(const Model& model, const EvalOptions& options)
      : model_(model), options_(options) {}

  Result<Tensors> Run(size_t subgraph, Tensors inputs) const;

 private:
  Result<Tensors> RunOperation(const Subgraph& subgraph,
                               const Operation& operation,
                               Tensors inputs) const;
  Result<Tensors> If(const Subgraph& subgraph, const Operation& operation,
                     Tensors inputs) const;
  Result<Tensors> While(const Subgraph& subgraph, const Operation& operation,
                        Tensors inputs) const;
  Status CheckTime() const {
    if (options_.deadline_ns == 0 || Now() < options_.deadline_ns)
      return Status();
    return TimedOut("the deadline of the execution has passed");
  }

  const Model& model_;
  const EvalOptions& options_;
};

bool IsTrue(const Tensor& condition) {
  return !condition.bytes.empty() && condition.bytes[0] != 0;
}

size_t Called(const Subgraph& subgraph, const Operation& operation, size_t i) {
  return Model::SubgraphOf(subgraph.operands[operation.inputs[i]]);
}

Result<Tensors> Executor::If(const Subgraph& subgraph,
                             const Operation& operation, Tensors inputs) const {
  if (inputs[0].is_absent || inputs[0].bytes.size() != 1)
    return InvalidArgument("a condition without its one element");
  const size_t branch = Called(subgraph, operation, IsTrue(inputs[0]) ? 1 : 2);
  inputs.erase(inputs.begin(), inputs.begin() + 3);
  return Run(branch, std::move(inputs));
}

Result<Tensors> Executor::While(const Subgraph& subgraph,
                                const Operation& operation,
                                Tensors inputs) const {
  const size_t condition = Called(subgraph, operation, 0);
  const size_t body = Called(subgraph, operation, 1);
  inputs.erase(inputs.begin(), inputs.begin() + 2);
  const uint64_t given = options_.loop_timeout_ns == 0
                             ? MUNJA_NN_DEFAULT_LOOP_TIMEOUT_NS
                             : options_.loop_timeout_ns;
  const uint64_t end = Now() + std::min(given, MUNJA_NN_MAX_LOOP_TIMEOUT_NS);
  while (true) {
    MUNJA_ASSIGN_OR_RETURN(const Tensors decided, Run(condition, inputs));
    if (!IsTrue(decided[0])) break;
    if (Now() > end) return TimedOut("a loop ran for longer than it may");
    MUNJA_ASSIGN_OR_RETURN(Tensors changed, Run(body, inputs));
    std::ranges::move(changed, inputs.begin());
  }
  inputs.resize(operation.outputs.size());
  return inputs;
}

Result<Tensors> Executor::RunOperation(const Subgraph& subgraph,
                                       const Operation& operation,
                                       Tensors inputs) const {
  if (operation.type == MUNJA_NN_IF)
    return If(subgraph, operation, std::move(inputs));
  if (operation.type == MUNJA_NN_WHILE)
    return While(subgraph, operation, std::move(inputs));
  // Inputs of the model may be absent without the model's saying so.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].is_absent && !MayBeAbsent(subgraph, operation, i))
      return InvalidArgument("input " + std::to_string(i) +
                             " has no value, and must have one");
  return EvaluateOperation(subgraph, operation, std::move(inputs),
                           options_.reference_kernels);
}

Result<Tensors> Executor::Run(size_t index, Tensors inputs) const {
  const Subgraph& subgraph = model_.subgraphs[index];
  Tensors values(subgraph.operands.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Operand& operand = subgraph.operands[i];
    values[i].is_absent = operand.lifetime == MUNJA_NN_NO_VALUE;
    if (!operand.is_constant()) continue;
    values[i].dimensions = operand.dimensions;
    values[i].bytes = {model_.ConstantData(operand), operand.location.length};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_absent)
      MUNJA_RETURN_IF_ERROR(
          CheckStated(subgraph.operands[subgraph.inputs[i]], inputs[i])
              .With("input " + std::to_string(i)));
    values[subgraph.inputs[i]] = std::move(inputs[i]);
  }
  for (size_t k = 0; k < subgraph.operations.size(); ++k) {
    MUNJA_RETURN_IF_ERROR(CheckTime());
    const Operation& operation = subgraph.operations[k];
    const std::string where = "operation " + std::to_string(k) + " (" +
                              OperationName(operation.type) + ")";
    Tensors given;
    for (const uint32_t i : operation.inputs) given.push_back(values[i]);
    auto made = RunOperation(subgraph, operation, std::move(given));
    if (!made.ok()) return std::move(made).TakeStatus().With(where);
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      const uint32_t o = operation.outputs[i];
      MUNJA_RETURN_IF_ERROR(
          CheckStated(subgraph.operands[o], (*made)[i]).With(where));
      values[o] = std::move((*made)[i]);
    }
  }
  Tensors outputs;
  for (const uint32_t o : subgraph.outputs) outputs.push_back(values[o]);
  return outputs;
}

}  // namespace

Status CheckStated(const Operand& operand, const Tensor& tensor) {
  const Dimensions &stated = operand.dimensions, &is = tensor.dimensions;
  bool fits = stated.empty() || stated.size() == is.size();
  for (size_t i = 0; fits && i < stated.size(); ++i)
    fits = stated[i] == 0 || stated[i] == is[i];
  if (fits) return Status();
  return InvalidArgument("gives " + ToText(is) + ", where the model says " +
                         ToText(stated));
}

Result<Tensors> Evaluate(const Model& model, Tensors inputs,
                         const EvalOptions& options) {
  return Executor(model, options).Run(0, std::move(inputs));
}

}  // namespace munja::hal
