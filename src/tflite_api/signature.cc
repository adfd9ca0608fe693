// Signatures: the named entry points of a model.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "tflite_api/guard.h"
#include "tflite_api/interpreter.h"

namespace munja::compat {
namespace {

// The signature of a model without signatures.
constexpr const char* kPlaceholderKey = "<placeholder signature>";

const graph::Signature* FindSignature(const graph::Graph& graph,
                                      const char* key) {
  for (const graph::Signature& signature : graph.signatures) {
    // Without a key: the first one of the main subgraph.
    if (key == nullptr ? signature.subgraph == 0 : signature.key == key)
      return &signature;
  }
  return nullptr;
}

NamedTensors Sorted(const std::vector<std::pair<std::string, int>>& names) {
  NamedTensors sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

NamedTensors NamesOf(const graph::Subgraph& subgraph, std::span<const int> list,
                     const char* prefix) {
  NamedTensors names;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string& name =
        subgraph.values[static_cast<size_t>(list[i])].name;
    names.emplace_back(name.empty() ? prefix + std::to_string(i) : name,
                       list[i]);
  }
  return Sorted(names);
}

TfLiteSignatureRunner* MakeRunner(TfLiteInterpreter* interpreter,
                                  const char* key) {
  const graph::Graph& graph = *interpreter->context.graph;
  const graph::Signature* signature = FindSignature(graph, key);
  auto made = std::make_unique<TfLiteSignatureRunner>();
  made->interpreter = interpreter;
  if (signature != nullptr) {
    made->runner = interpreter->Runner(signature->subgraph);
    made->key = signature->key;
    made->inputs = Sorted(signature->inputs);
    made->outputs = Sorted(signature->outputs);
  } else if (graph.signatures.empty() &&
             (key == nullptr || std::strcmp(key, kPlaceholderKey) == 0)) {
    made->runner = &interpreter->main();
    made->key = kPlaceholderKey;
    made->inputs = NamesOf(graph.main(), made->runner->inputs(), "input");
    made->outputs = NamesOf(graph.main(), made->runner->outputs(), "output");
  }
  return made->runner != nullptr ? made.release() : nullptr;
}

int Find(const NamedTensors& tensors, const char* name) {
  for (const auto& [key, tensor] : tensors)
    if (name != nullptr && key == name) return tensor;
  return -1;
}

const char* NameAt(const NamedTensors& tensors, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < tensors.size()
             ? tensors[static_cast<size_t>(index)].first.c_str()
             : nullptr;
}

template <class Body>
TfLiteStatus With(TfLiteSignatureRunner* signature, Body&& body) {
  if (signature == nullptr) return kTfLiteError;
  TfLiteInterpreter& interpreter = *signature->interpreter;
  return Guard(interpreter.context.reporter, kTfLiteError, [&] {
    const InterpreterUse use(interpreter.is_in_use,
                             interpreter.context.reporter);
    return use.is_allowed() ? body(*signature->runner) : kTfLiteError;
  });
}

}  // namespace
}  // namespace munja::compat

using munja::compat::SubgraphRunner;

extern "C" {

int32_t TfLiteInterpreterGetSignatureCount(
    const TfLiteInterpreter* interpreter) {
  if (interpreter == nullptr) return 0;
  return static_cast<int32_t>(interpreter->context.graph->signatures.size());
}

const char* TfLiteInterpreterGetSignatureKey(
    const TfLiteInterpreter* interpreter, int32_t signature_index) {
  if (interpreter == nullptr) return nullptr;
  const auto& signatures = interpreter->context.graph->signatures;
  return signature_index >= 0 &&
                 static_cast<size_t>(signature_index) < signatures.size()
             ? signatures[static_cast<size_t>(signature_index)].key.c_str()
             : nullptr;
}

TfLiteSignatureRunner* TfLiteInterpreterGetSignatureRunner(
    const TfLiteInterpreter* interpreter, const char* signature_key) {
  if (interpreter == nullptr) return nullptr;
  return munja::compat::Guard<TfLiteSignatureRunner*>(
      interpreter->context.reporter, nullptr, [&] {
        // The interface says const; the object never is.
        return munja::compat::MakeRunner(
            const_cast<TfLiteInterpreter*>(interpreter), signature_key);
      });
}

void TfLiteSignatureRunnerDelete(TfLiteSignatureRunner* signature_runner) {
  delete signature_runner;
}

size_t TfLiteSignatureRunnerGetInputCount(
    const TfLiteSignatureRunner* signature_runner) {
  return signature_runner == nullptr ? 0 : signature_runner->inputs.size();
}

const char* TfLiteSignatureRunnerGetInputName(
    const TfLiteSignatureRunner* signature_runner, int32_t input_index) {
  return signature_runner == nullptr
             ? nullptr
             : munja::compat::NameAt(signature_runner->inputs, input_index);
}

TfLiteStatus TfLiteSignatureRunnerResizeInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name,
    const int* input_dims, int32_t input_dims_size) {
  if (input_dims_size < 0 || (input_dims == nullptr && input_dims_size > 0))
    return kTfLiteError;
  return munja::compat::With(signature_runner, [&](SubgraphRunner& runner) {
    return runner.Resize(
        munja::compat::Find(signature_runner->inputs, input_name),
        {input_dims, static_cast<size_t>(input_dims_size)}, true);
  });
}

TfLiteStatus TfLiteSignatureRunnerAllocateTensors(
    TfLiteSignatureRunner* signature_runner) {
  return munja::compat::With(signature_runner, [](SubgraphRunner& runner) {
    return runner.Allocate();
  });
}

TfLiteTensor* TfLiteSignatureRunnerGetInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name) {
  if (signature_runner == nullptr) return nullptr;
  return signature_runner->runner->tensor(
      munja::compat::Find(signature_runner->inputs, input_name));
}

TfLiteStatus TfLiteSignatureRunnerInvoke(
    TfLiteSignatureRunner* signature_runner) {
  return munja::compat::With(
      signature_runner, [](SubgraphRunner& runner) { return runner.Invoke(); });
}

size_t TfLiteSignatureRunnerGetOutputCount(
    const TfLiteSignatureRunner* signature_runner) {
  return signature_runner == nullptr ? 0 : signature_runner->outputs.size();
}

const char* TfLiteSignatureRunnerGetOutputName(
    const TfLiteSignatureRunner* signature_runner, int32_t output_index) {
  return signature_runner == nullptr
             ? nullptr
             : munja::compat::NameAt(signature_runner->outputs, output_index);
}

const TfLiteTensor* TfLiteSignatureRunnerGetOutputTensor(
    const TfLiteSignatureRunner* signature_runner, const char* output_name) {
  if (signature_runner == nullptr) return nullptr;
  return signature_runner->runner->tensor(
      munja::compat::Find(signature_runner->outputs, output_name));
}

TfLiteStatus TfLiteSignatureRunnerCancel(
    TfLiteSignatureRunner* signature_runner) {
  return signature_runner == nullptr
             ? kTfLiteError
             : TfLiteInterpreterCancel(signature_runner->interpreter);
}

}  // extern "C"
