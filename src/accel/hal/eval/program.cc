#include "hal/eval/program.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/control.h"
#include "hal/eval/single_operation.h"
#include "hal/lower/lowering.h"
#include "hal/slice.h"
#include "hal/types.h"
#include "runtime/session.h"

namespace munja::hal {
namespace {

using Tensors = std::vector<Tensor>;

bool IsKnown(const Dimensions& dimensions) {
  return !dimensions.empty() &&
         std::ranges::none_of(dimensions, [](uint32_t d) { return d == 0; });
}

// Whether an operation is or calls a loop. Its time is limited, by itself and
// not by the whole run's, which a session knows nothing of.
bool HasLoop(const Model& model, const Subgraph& subgraph,
             const Operation& operation) {
  if (operation.type == MUNJA_NN_WHILE) return true;
  return std::ranges::any_of(operation.inputs, [&](uint32_t i) {
    const Operand& operand = subgraph.operands[i];
    if (operand.type != MUNJA_NN_SUBGRAPH) return false;
    const Subgraph& called = model.subgraphs[Model::SubgraphOf(operand)];
    return std::ranges::any_of(called.operations, [&](const Operation& inner) {
      return HasLoop(model, called, inner);
    });
  });
}

// The operation alone needs no values of a request to know its dimensions.
bool IsStatic(const Model& whole, const Operation& operation) {
  const Subgraph& main = whole.main();
  if (HasLoop(whole, main, operation)) return false;
  for (const auto* list : {&operation.inputs, &operation.outputs})
    for (const uint32_t i : *list) {
      const Operand& operand = main.operands[i];
      if (!operand.is_constant() && operand.lifetime != MUNJA_NN_NO_VALUE &&
          IsTensor(operand.type) && !IsKnown(operand.dimensions))
        return false;
    }
  return true;
}

std::vector<Known> KnownInputs(const Model& model) {
  std::vector<Known> inputs;
  for (const uint32_t i : model.main().inputs)
    inputs.emplace_back().dimensions = model.main().operands[i].dimensions;
  return inputs;
}

// Sessions of one graph, one for each run that is under way.
class Sessions {
 public:
  // kUnsupported, kNeedsValues and the like: the runtime does not take it.
  static Result<std::shared_ptr<Sessions>> Create(
      const Model& model, std::shared_ptr<ThreadPool> pool,
      const std::shared_ptr<runtime::Delegate>& delegate) {
    const std::vector<Known> inputs = KnownInputs(model);
    MUNJA_ASSIGN_OR_RETURN(graph::Graph graph, Lower(model, inputs));
    runtime::SessionOptions options;
    options.max_plans = 1;
    if (delegate != nullptr) options.delegates = {delegate};
    auto sessions = std::shared_ptr<Sessions>(new Sessions(std::move(pool)));
    MUNJA_ASSIGN_OR_RETURN(
        sessions->first_,
        runtime::CreateSession(
            std::make_shared<const graph::Graph>(std::move(graph)), options));
    // Errors that only planning finds are found now.
    std::vector<Shape> shapes;
    for (const Known& input : inputs) {
      Shape& shape = shapes.emplace_back();
      for (const uint32_t d : input.dimensions)
        shape.Append(static_cast<int32_t>(d));
    }
    MUNJA_ASSIGN_OR_RETURN(auto session, sessions->Take());
    auto planned = session->Plan(shapes);
    if (!planned.ok() && planned.status().code() != Code::kNeedsValues)
      return std::move(planned).TakeStatus();
    sessions->Give(std::move(session));
    return sessions;
  }

  Result<std::unique_ptr<runtime::Session>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<runtime::Session> session = std::move(idle_.back());
        idle_.pop_back();
        return session;
      }
    }
    return first_->Fork(pool_);
  }
  void Give(std::unique_ptr<runtime::Session> session) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
  }

 private:
  explicit Sessions(std::shared_ptr<ThreadPool> pool)
      : pool_(std::move(pool)) {}

  const std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<runtime::Session> first_;  // Never runs.
  std::mutex mutex_;
  std::vector<std::unique_ptr<runtime::Session>> idle_;
};

// A session that is in use; the views of its outputs hold as long.
class Lease {
 public:
  static Result<std::shared_ptr<Lease>> Take(
      std::shared_ptr<Sessions> sessions) {
    MUNJA_ASSIGN_OR_RETURN(auto session, sessions->Take());
    return std::make_shared<Lease>(std::move(sessions), std::move(session));
  }
  Lease(std::shared_ptr<Sessions> sessions,
        std::unique_ptr<runtime::Session> session)
      : sessions_(std::move(sessions)), session_(std::move(session)) {}
  ~Lease() { sessions_->Give(std::move(session_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  runtime::Session& session() { return *session_; }

 private:
  const std::shared_ptr<Sessions> sessions_;
  std::unique_ptr<runtime::Session> session_;
};

// Kernels want elements where the processor does.
bool IsAligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % alignof(std::max_align_t) == 0;
}

Result<Tensors> RunSession(const std::shared_ptr<Sessions>& sessions,
                           const Model& model, const Tensors& inputs) {
  MUNJA_ASSIGN_OR_RETURN(const std::shared_ptr<Lease> lease,
                         Lease::Take(sessions));
  const Subgraph& main = model.main();
  std::vector<std::vector<uint8_t>> copies(inputs.size());
  std::vector<TensorView> views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int32_t type = main.operands[main.inputs[i]].type;
    std::span<const uint8_t> bytes = inputs[i].bytes;
    if (type == MUNJA_NN_TENSOR_FLOAT16 || !IsAligned(bytes.data())) {
      copies[i] = SchemaBytes(type, bytes);
      bytes = copies[i];
    }
    TensorView& view = views.emplace_back();
    MUNJA_ASSIGN_OR_RETURN(view.type, SchemaType(type));
    for (const uint32_t d : inputs[i].dimensions)
      view.shape.Append(static_cast<int32_t>(d));
    view.data = const_cast<uint8_t*>(bytes.data());  // Read only.
    view.bytes = bytes.size();
  }
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> results,
                         lease->session().Run(views));
  Tensors outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const int32_t type = main.operands[main.outputs[i]].type;
    Tensor& output = outputs.emplace_back();
    if (type == MUNJA_NN_TENSOR_FLOAT16) {
      output = FromSchema(type, results[i]);
      continue;
    }
    for (const int32_t d : results[i].shape.dims())
      output.dimensions.push_back(static_cast<uint32_t>(d));
    // The HAL has no tensors of rank 0.
    if (output.dimensions.empty() && IsTensor(type)) output.dimensions = {1};
    output.bytes = {results[i].as<uint8_t>(), results[i].bytes};
    output.owner = lease;
  }
  return outputs;
}

}  // namespace

struct Program::Part {
  Slice slice;
  size_t operations = 0;
  std::shared_ptr<Sessions> sessions;  // Null: operation by operation.
};

Program::Program(Model model) : model_(std::move(model)) {}
Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::Create(
    Model model, std::shared_ptr<ThreadPool> pool,
    std::shared_ptr<runtime::Delegate> delegate) {
  auto program = std::unique_ptr<Program>(new Program(std::move(model)));
  const Model& whole = program->model_;
  const Subgraph& main = whole.main();
  // Parts whose dimensions come with a request's are not compiled.
  const auto is_static = [&](uint32_t k) {
    return IsStatic(whole, main.operations[k]);
  };
  const auto make = [&](std::span<const uint32_t> operations, bool compile) {
    Part part{SliceOf(whole, operations), operations.size(), nullptr};
    if (compile) {
      auto sessions = Sessions::Create(part.slice.model, pool, delegate);
      if (sessions.ok()) part.sessions = std::move(sessions).value();
    }
    return part;
  };
  std::vector<uint32_t> all(main.operations.size());
  std::iota(all.begin(), all.end(), 0u);
  if (std::ranges::all_of(all, is_static)) {
    Part part = make(all, true);
    if (part.sessions != nullptr) {
      program->parts_.push_back(std::move(part));
      return program;
    }
  }
  // Which ones are to blame, one by one; then all that lies between.
  std::vector<bool> is_taken(all.size());
  for (const uint32_t k : all) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    is_taken[k] = is_static(k) && make({&k, 1}, true).sessions != nullptr;
  }
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && is_taken[end] == is_taken[begin]) ++end;
    program->parts_.push_back(
        make(std::span(all).subspan(begin, end - begin), is_taken[begin]));
    begin = end;
  }
  return program;
}

Result<std::vector<bool>> OperationsTakenBy(runtime::Delegate& delegate,
                                            const Model& model) {
  const Subgraph& main = model.main();
  std::vector<bool> taken(main.operations.size());
  for (uint32_t k = 0; k < taken.size(); ++k) {
    if (!IsStatic(model, main.operations[k])) continue;
    const Slice slice = SliceOf(model, {&k, 1});
    const auto graph = Lower(slice.model, KnownInputs(slice.model));
    if (!graph.ok()) continue;
    MUNJA_ASSIGN_OR_RETURN(const auto support,
                           delegate.CheckSupport(*graph, graph->main()));
    taken[k] = !support.empty() &&
               std::ranges::all_of(
                   support, [](const auto& node) { return node.is_supported; });
  }
  return taken;
}

size_t Program::compiled_operations() const {
  size_t count = 0;
  for (const Part& part : parts_)
    if (part.sessions != nullptr) count += part.operations;
  return count;
}

Result<Tensors> Program::RunParts(Tensors inputs,
                                  const EvalOptions& options) const {
  const Subgraph& main = model_.main();
  Tensors values(main.operands.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[main.inputs[i]] = std::move(inputs[i]);
  for (const Part& part : parts_) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    Tensors given;
    for (const uint32_t i : part.slice.inputs) given.push_back(values[i]);
    MUNJA_ASSIGN_OR_RETURN(
        Tensors made,
        part.sessions != nullptr
            ? RunSession(part.sessions, part.slice.model, given)
            : Evaluate(part.slice.model, std::move(given), options));
    for (size_t i = 0; i < made.size(); ++i)
      values[part.slice.outputs[i]] = std::move(made[i]);
  }
  Tensors outputs;
  for (const uint32_t o : main.outputs) outputs.push_back(values[o]);
  return outputs;
}

Result<Tensors> Program::Run(Tensors inputs, const EvalOptions& options) const {
  const Subgraph& main = model_.main();
  bool is_usual = compiled_operations() > 0;
  for (size_t i = 0; is_usual && i < inputs.size(); ++i) {
    const Operand& operand = main.operands[main.inputs[i]];
    is_usual =
        !inputs[i].is_absent &&
        (!IsTensor(operand.type) || inputs[i].dimensions == operand.dimensions);
  }
  if (is_usual) {
    std::optional<Control> control;
    if (options.deadline_ns != 0) {
      const double left =
          1e-9 *
          static_cast<double>(static_cast<int64_t>(
              options.deadline_ns -
              static_cast<uint64_t>(
                  std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count())));
      if (left <= 0)
        return TimedOut("the deadline of the execution has passed");
      Control::Limits limits;
      limits.seconds = left;
      control.emplace(limits);
    }
    const ControlScope scope(control ? &*control : CurrentControl());
    auto outputs = RunParts(inputs, options);
    if (outputs.ok() || outputs.status().code() == Code::kTimedOut ||
        outputs.status().code() == Code::kCancelled)
      return outputs;
  }
  // The kernels refuse these inputs: operations run one by one, so that the
  // error names the one at fault.
  return Evaluate(model_, std::move(inputs), options);
}

}  // namespace munja::hal
