// Subgraph: tensors, nodes and resources, as operators reach them through
// TfLiteContext::impl_ and programs through an Interpreter.
#ifndef MUNJA_TFLITE_CORE_SUBGRAPH_H_
#define MUNJA_TFLITE_CORE_SUBGRAPH_H_

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "munja_subgraph.h"
#include "tensorflow/lite/experimental/resource/initialization_status.h"
#include "tensorflow/lite/experimental/resource/resource_base.h"

namespace tflite {

// Never made by C++ code: a pointer to one points at an object of the library.
class Subgraph {
 public:
  using Node = std::pair<TfLiteNode, TfLiteRegistration>;
  static constexpr int kInvalidSubgraphIndex = -1;

  Subgraph() = delete;
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;

  TfLiteContext* context() { return TfLiteMunjaSubgraphContext(c()); }
  const TfLiteContext* context() const {
    return TfLiteMunjaSubgraphContext(c());
  }
  TfLiteTensor* tensors() { return context()->tensors; }
  size_t tensors_size() const { return context()->tensors_size; }
  // Null when there is no such tensor.
  TfLiteTensor* tensor(int index) {
    return const_cast<TfLiteTensor*>(std::as_const(*this).tensor(index));
  }
  const TfLiteTensor* tensor(int index) const {
    const TfLiteContext* shown = context();
    return index >= 0 && static_cast<size_t>(index) < shown->tensors_size
               ? &shown->tensors[index]
               : nullptr;
  }
  // Numbers of tensors. What is written there changes nothing.
  std::vector<int>& inputs() { return state().inputs; }
  const std::vector<int>& inputs() const { return state().inputs; }
  std::vector<int>& outputs() { return state().outputs; }
  const std::vector<int>& outputs() const { return state().outputs; }
  std::vector<int>& variables() { return state().variables; }
  const std::vector<int>& variables() const { return state().variables; }

  // Nodes as the model has them, including those that delegates run.
  size_t nodes_size() const { return state().nodes.size(); }
  const std::vector<Node>& nodes_and_registration() const {
    return state().nodes;
  }
  const Node* node_and_registration(int index) const {
    const std::vector<Node>& nodes = state().nodes;
    return index >= 0 && static_cast<size_t>(index) < nodes.size()
               ? &nodes[static_cast<size_t>(index)]
               : nullptr;
  }
  std::vector<int>& execution_plan() { return state().plan; }
  const std::vector<int>& execution_plan() const { return state().plan; }
  const std::vector<int>& pre_delegation_execution_plan() const {
    return state().plan;
  }

  // Resources that all operators of the session share; they end with it.
  resource::ResourceMap& resources() { return *resources_ptr(); }
  resource::ResourceMap* resources_ptr() {
    return Shared<resource::ResourceMap>("tflite::resource::ResourceMap");
  }
  resource::ResourceIDMap& resource_ids() {
    return *Shared<resource::ResourceIDMap>("tflite::resource::ResourceIDMap");
  }
  resource::InitializationStatusMap& initialization_status_map() {
    return *Shared<resource::InitializationStatusMap>(
        "tflite::resource::InitializationStatusMap");
  }

  // For an interpreter's subgraph; an operator cannot run what it is part of.
  TfLiteStatus ResizeInputTensor(int tensor, const int* dims, int rank) {
    return TfLiteMunjaSubgraphResize(c(), tensor, dims, rank, false);
  }
  TfLiteStatus ResizeInputTensor(int tensor, const std::vector<int>& dims) {
    return ResizeInputTensor(tensor, dims.data(),
                             static_cast<int>(dims.size()));
  }
  TfLiteStatus ResizeInputTensorStrict(int tensor,
                                       const std::vector<int>& dims) {
    return TfLiteMunjaSubgraphResize(c(), tensor, dims.data(),
                                     static_cast<int>(dims.size()), true);
  }
  TfLiteStatus AllocateTensors() { return TfLiteMunjaSubgraphAllocate(c()); }
  TfLiteStatus Invoke() { return TfLiteMunjaSubgraphInvoke(c()); }
  TfLiteStatus ResetVariableTensors() {
    return TfLiteMunjaSubgraphResetVariables(c());
  }
  // Outputs are readable after every run.
  TfLiteStatus EnsureTensorDataIsReadable(int index) {
    return tensor(index) != nullptr ? kTfLiteOk : kTfLiteError;
  }
  // The session's memory is its own.
  TfLiteStatus ReleaseMemory() { return kTfLiteOk; }
  TfLiteStatus ReleaseNonPersistentMemory() { return kTfLiteOk; }
  TfLiteStatus RemoveUnusedInputs() { return kTfLiteOk; }
  bool HasDynamicTensors() {
    for (size_t i = 0; i < tensors_size(); ++i)
      if (tensors()[i].allocation_type == kTfLiteDynamic) return true;
    return false;
  }

  void SetExternalContext(TfLiteExternalContextType type,
                          TfLiteExternalContext* external) {
    TfLiteContext* shown = context();
    shown->SetExternalContext(shown, type, external);
  }
  bool GetAllowFp16PrecisionForFp32() const {
    return context()->allow_fp32_relax_to_fp16;
  }
  void ReportError(const char* format, ...) {
    char text[1024];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context()->ReportError(context(), "%s", text);
  }

  const std::string& GetName() const { return state().name; }
  int GetSubgraphIndex() const { return TfLiteMunjaSubgraphIndex(c()); }
  bool IsPrimarySubgraph() const { return GetSubgraphIndex() == 0; }
  // Always empty: operators do not run subgraphs of the model.
  std::vector<std::unique_ptr<Subgraph>>* GetSubgraphs() const {
    return &state().subgraphs;
  }
  bool ShouldPreserveAllTensors() const { return false; }
  bool ShouldReleaseDynamicTensors() const { return false; }
  bool ShouldOptimizeMemoryForLargeTensors() { return false; }

 private:
  // The lists of the library as C++ has them.
  struct State {
    std::vector<int> inputs, outputs, variables, plan;
    std::vector<Node> nodes;
    std::string name;
    std::vector<std::unique_ptr<Subgraph>> subgraphs;
    bool is_filled = false;
  };

  TfLiteMunjaSubgraph* c() const {
    return reinterpret_cast<TfLiteMunjaSubgraph*>(const_cast<Subgraph*>(this));
  }
  template <class T>
  T* Keep(bool is_shared, const char* name) const {
    return static_cast<T*>(TfLiteMunjaSubgraphKeep(
        c(), is_shared, name, []() -> void* { return new T; },
        [](void* object) { delete static_cast<T*>(object); }));
  }
  template <class T>
  T* Shared(const char* name) const {
    return Keep<T>(true, name);
  }
  std::vector<int> List(TfLiteMunjaList list) const {
    size_t count = 0;
    const int* numbers = TfLiteMunjaSubgraphTensors(c(), list, &count);
    return std::vector<int>(numbers, numbers + count);
  }
  State& state() const {
    State& state = *Keep<State>(false, "tflite::Subgraph");
    if (state.is_filled) return state;
    state.is_filled = true;
    state.inputs = List(kTfLiteMunjaInputs);
    state.outputs = List(kTfLiteMunjaOutputs);
    state.variables = List(kTfLiteMunjaVariables);
    state.name = TfLiteMunjaSubgraphName(c());
    const int count = TfLiteMunjaSubgraphNodeCount(c());
    for (int i = 0; i < count; ++i) {
      const TfLiteNode* node = nullptr;
      const TfLiteRegistration* registration = nullptr;
      if (TfLiteMunjaSubgraphNode(c(), i, &node, &registration) != kTfLiteOk)
        continue;
      state.nodes.emplace_back(*node, *registration);
      state.plan.push_back(i);
    }
    return state;
  }
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_CORE_SUBGRAPH_H_
