#include "tflite_api/interpreter.h"

#include <algorithm>
#include <climits>
#include <set>
#include <span>
#include <utility>

#include "runtime/program.h"
#include "tflite_api/guard.h"
#include "tflite_api/model.h"

namespace munja::compat {
namespace {

// kUnsupported for builtin operators that are missing. Custom ones are listed:
// a delegate may have them.
Status FindUnresolved(const graph::Graph& graph,
                      const runtime::Resolver& resolver,
                      std::vector<std::string>* unresolved) {
  std::set<std::string> customs;
  graph::Graph builtins;
  builtins.subgraphs.resize(1);
  for (const int s : runtime::ReachableSubgraphs(graph, 0)) {
    for (const graph::Node& node :
         graph.subgraphs[static_cast<size_t>(s)].nodes) {
      if (!node.is_custom) {
        builtins.subgraphs[0].nodes.push_back(node);
      } else if (!resolver.Find(node)) {
        customs.insert(node.op);
      }
    }
  }
  unresolved->assign(customs.begin(), customs.end());
  const int only[] = {0};
  return runtime::CheckOperators(builtins, only, resolver);
}

std::shared_ptr<ThreadPool> MakePool(int threads) {
  return threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr;
}

}  // namespace

TfLiteInterpreter* CreateInterpreter(const TfLiteModel* model,
                                     const TfLiteInterpreterOptions* options,
                                     bool with_builtins) {
  const TfLiteInterpreterOptions defaults;
  const TfLiteInterpreterOptions& o = options ? *options : defaults;
  const Reporter reporter =
      o.reporter ? *o.reporter : (model ? model->reporter : Reporter());
  return Guard<TfLiteInterpreter*>(
      reporter, nullptr, [&]() -> TfLiteInterpreter* {
        if (model == nullptr) {
          reporter.Report("There is no model.");
          return nullptr;
        }
        if (o.num_threads < -1) {
          reporter.Report(
              "The number of threads is -1 or more; %d was asked for.",
              o.num_threads);
          return nullptr;
        }
        if (o.uses_nnapi) {
          reporter.Report("There is no NNAPI delegate in this library.");
          return nullptr;
        }
        auto interpreter = std::make_unique<TfLiteInterpreter>();
        RunnerContext& context = interpreter->context;
        context.graph = model->graph;
        context.resolver =
            MakeResolver(o, *model->graph, with_builtins, context.shared);
        context.pool = MakePool(o.num_threads);
        context.delegates = o.delegates;
        context.has_own_operators = !o.operators.empty() || o.found;
        context.falls_back = o.falls_back;
        context.reporter = reporter;
        if (o.is_cancellable)
          context.control = std::make_shared<Control>(Control::Limits());
        const Status missing = FindUnresolved(*context.graph, *context.resolver,
                                              &context.unresolved);
        // A delegate may run what is missing here.
        if (!missing.ok() && o.delegates.empty()) {
          reporter.Report(missing);
          return nullptr;
        }
        return interpreter->Runner(0) ? interpreter.release() : nullptr;
      });
}

}  // namespace munja::compat

munja::compat::SubgraphRunner* TfLiteInterpreter::Runner(int subgraph) {
  auto& runner = runners[subgraph];
  if (runner == nullptr)
    munja::compat::SubgraphRunner::Make(context, subgraph, &runner);
  return runner.get();
}

using munja::compat::CreateInterpreter;
using munja::compat::Guard;
using munja::compat::InterpreterUse;
using munja::compat::Reporter;
using munja::compat::RunnerSubgraph;
using munja::compat::SubgraphRunner;

namespace {

// Runs body(runner) of the main subgraph; kTfLiteError without an interpreter.
template <class Body>
TfLiteStatus WithMain(const TfLiteInterpreter* interpreter, Body&& body) {
  if (interpreter == nullptr) return kTfLiteError;
  return Guard(interpreter->context.reporter, kTfLiteError,
               [&] { return body(interpreter->main()); });
}

// The same; kTfLiteError while another thread is in such a call.
template <class Body>
TfLiteStatus ChangeMain(TfLiteInterpreter* interpreter, Body&& body) {
  return WithMain(interpreter, [&](SubgraphRunner& main) {
    const InterpreterUse use(interpreter->is_in_use,
                             interpreter->context.reporter);
    return use.is_allowed() ? body(main) : kTfLiteError;
  });
}

// -1: there is none.
int NumberOf(std::span<const int> tensors, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < tensors.size()
             ? tensors[static_cast<size_t>(index)]
             : -1;
}

}  // namespace

extern "C" {

TfLiteInterpreter* TfLiteInterpreterCreate(
    const TfLiteModel* model,
    const TfLiteInterpreterOptions* optional_options) {
  return CreateInterpreter(model, optional_options, true);
}

TfLiteInterpreter* TfLiteInterpreterCreateWithSelectedOps(
    const TfLiteModel* model, const TfLiteInterpreterOptions* options) {
  return CreateInterpreter(model, options, false);
}

void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter) {
  delete interpreter;
}

int32_t TfLiteInterpreterGetInputTensorCount(
    const TfLiteInterpreter* interpreter) {
  if (interpreter == nullptr) return 0;
  return static_cast<int32_t>(interpreter->main().inputs().size());
}

const int* TfLiteInterpreterInputTensorIndices(
    const TfLiteInterpreter* interpreter) {
  return interpreter == nullptr ? nullptr : interpreter->main().inputs().data();
}

TfLiteTensor* TfLiteInterpreterGetInputTensor(
    const TfLiteInterpreter* interpreter, int32_t input_index) {
  if (interpreter == nullptr) return nullptr;
  SubgraphRunner& main = interpreter->main();
  return main.tensor(NumberOf(main.inputs(), input_index));
}

TfLiteStatus TfLiteInterpreterResizeInputTensor(TfLiteInterpreter* interpreter,
                                                int32_t input_index,
                                                const int* input_dims,
                                                int32_t input_dims_size) {
  if (input_dims_size < 0 || (input_dims == nullptr && input_dims_size > 0))
    return kTfLiteError;
  return ChangeMain(interpreter, [&](SubgraphRunner& main) {
    return main.Resize(NumberOf(main.inputs(), input_index),
                       {input_dims, static_cast<size_t>(input_dims_size)},
                       false);
  });
}

TfLiteStatus TfLiteInterpreterAllocateTensors(TfLiteInterpreter* interpreter) {
  return ChangeMain(interpreter,
                    [](SubgraphRunner& main) { return main.Allocate(); });
}

TfLiteStatus TfLiteInterpreterInvoke(TfLiteInterpreter* interpreter) {
  return ChangeMain(interpreter,
                    [](SubgraphRunner& main) { return main.Invoke(); });
}

int32_t TfLiteInterpreterGetOutputTensorCount(
    const TfLiteInterpreter* interpreter) {
  if (interpreter == nullptr) return 0;
  return static_cast<int32_t>(interpreter->main().outputs().size());
}

const int* TfLiteInterpreterOutputTensorIndices(
    const TfLiteInterpreter* interpreter) {
  return interpreter == nullptr ? nullptr
                                : interpreter->main().outputs().data();
}

const TfLiteTensor* TfLiteInterpreterGetOutputTensor(
    const TfLiteInterpreter* interpreter, int32_t output_index) {
  if (interpreter == nullptr) return nullptr;
  SubgraphRunner& main = interpreter->main();
  return main.tensor(NumberOf(main.outputs(), output_index));
}

TfLiteTensor* TfLiteInterpreterGetTensor(const TfLiteInterpreter* interpreter,
                                         int index) {
  return interpreter == nullptr ? nullptr : interpreter->main().tensor(index);
}

TfLiteStatus TfLiteInterpreterCancel(const TfLiteInterpreter* interpreter) {
  if (interpreter == nullptr || !interpreter->context.control)
    return kTfLiteError;
  interpreter->context.control->Cancel();
  return kTfLiteOk;
}

TfLiteStatus TfLiteInterpreterResetVariableTensors(
    TfLiteInterpreter* interpreter) {
  return ChangeMain(interpreter, [](SubgraphRunner& main) {
    main.ResetVariables();
    return kTfLiteOk;
  });
}

int32_t TfLiteInterpreterGetVariableTensorCount(
    const TfLiteInterpreter* interpreter) {
  if (interpreter == nullptr) return 0;
  return static_cast<int32_t>(interpreter->main().variables().size());
}

TfLiteTensor* TfLiteInterpreterGetVariableTensor(
    const TfLiteInterpreter* interpreter, int32_t variable_index) {
  if (interpreter == nullptr) return nullptr;
  SubgraphRunner& main = interpreter->main();
  return main.tensor(NumberOf(main.variables(), variable_index));
}

TfLiteStatus TfLiteInterpreterModifyGraphWithDelegate(
    const TfLiteInterpreter* interpreter, TfLiteDelegate* delegate) {
  if (interpreter == nullptr) return kTfLiteError;
  // The interface says const; the object never is.
  auto* changed = const_cast<TfLiteInterpreter*>(interpreter);
  munja::compat::RunnerContext& context = changed->context;
  if (delegate == nullptr) {
    context.reporter.Report("Null delegate.");
    return kTfLiteDelegateError;
  }
  return ChangeMain(changed, [&](SubgraphRunner& main) {
    context.delegates.push_back(delegate);
    const TfLiteStatus status = main.ApplyDelegates();
    if (status != kTfLiteOk) context.delegates.pop_back();
    return status;
  });
}

int32_t TfLiteInterpreterGetInputTensorIndex(
    const TfLiteInterpreter* interpreter, int32_t input_index) {
  return interpreter == nullptr
             ? -1
             : NumberOf(interpreter->main().inputs(), input_index);
}

int32_t TfLiteInterpreterGetOutputTensorIndex(
    const TfLiteInterpreter* interpreter, int32_t output_index) {
  return interpreter == nullptr
             ? -1
             : NumberOf(interpreter->main().outputs(), output_index);
}

TfLiteStatus TfLiteInterpreterSetCustomAllocationForTensor(
    TfLiteInterpreter* interpreter, int tensor_index,
    const TfLiteCustomAllocation* allocation, int64_t flags) {
  if (allocation == nullptr) return kTfLiteError;
  return ChangeMain(interpreter, [&](SubgraphRunner& main) {
    return main.SetCustomAllocation(tensor_index, *allocation, flags);
  });
}

TfLiteStatus TfLiteInterpreterSetBufferHandle(TfLiteInterpreter* interpreter,
                                              TfLiteTensor*, TfLiteBufferHandle,
                                              TfLiteOpaqueDelegate*) {
  return WithMain(interpreter, [&](SubgraphRunner&) {
    interpreter->context.reporter.Report(
        "Buffer handles are set by delegates only.");
    return kTfLiteError;
  });
}

TfLiteStatus TfLiteInterpreterGetBufferHandle(TfLiteInterpreter* interpreter,
                                              int tensor_index,
                                              TfLiteBufferHandle* buffer_handle,
                                              TfLiteOpaqueDelegate** delegate) {
  return WithMain(interpreter, [&](SubgraphRunner& main) {
    const TfLiteTensor* tensor = main.tensor(tensor_index);
    if (tensor == nullptr || buffer_handle == nullptr || delegate == nullptr)
      return kTfLiteError;
    *buffer_handle = tensor->buffer_handle;
    *delegate = tensor->delegate;
    return kTfLiteOk;
  });
}

void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter*, bool) {
  // Outputs are readable after every run, whatever was asked for.
}

TfLiteMunjaSubgraph* TfLiteMunjaInterpreterGetSubgraph(
    TfLiteInterpreter* interpreter, int index) {
  if (index < 0 || index >= TfLiteMunjaInterpreterGetSubgraphCount(interpreter))
    return nullptr;
  return Guard<TfLiteMunjaSubgraph*>(
      interpreter->context.reporter, nullptr, [&]() -> TfLiteMunjaSubgraph* {
        SubgraphRunner* const runner = interpreter->Runner(index);
        if (runner == nullptr) return nullptr;
        auto& shown = interpreter->shown[index];
        if (shown == nullptr)
          shown = std::make_unique<RunnerSubgraph>(interpreter->context, index,
                                                   *runner);
        return shown.get();
      });
}

int TfLiteMunjaInterpreterGetSubgraphCount(
    const TfLiteInterpreter* interpreter) {
  return interpreter == nullptr
             ? 0
             : static_cast<int>(interpreter->context.graph->subgraphs.size());
}

TfLiteStatus TfLiteMunjaInterpreterSetExternalContext(
    TfLiteInterpreter* interpreter, TfLiteExternalContextType type,
    TfLiteExternalContext* external) {
  return interpreter != nullptr &&
                 interpreter->context.shared->SetExternal(type, external)
             ? kTfLiteOk
             : kTfLiteError;
}

TfLiteStatus TfLiteInterpreterEnsureTensorDataIsReadable(
    TfLiteInterpreter* interpreter, int tensor_index) {
  return WithMain(interpreter, [&](SubgraphRunner& main) {
    return main.tensor(tensor_index) != nullptr ? kTfLiteOk : kTfLiteError;
  });
}

}  // extern "C"
