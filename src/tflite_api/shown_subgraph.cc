#include "tflite_api/shown_subgraph.h"

#include "tflite_api/guard.h"

using munja::compat::Guard;
using munja::compat::Reporter;

namespace {

// External code calls in the middle of callbacks: nothing may be thrown there.
template <class T, class Body>
T Ask(const TfLiteMunjaSubgraph* subgraph, T otherwise, Body&& body) {
  return subgraph != nullptr ? Guard(Reporter(), otherwise, body) : otherwise;
}

}  // namespace

extern "C" {

TfLiteContext* TfLiteMunjaSubgraphContext(TfLiteMunjaSubgraph* subgraph) {
  return Ask<TfLiteContext*>(subgraph, nullptr,
                             [&] { return subgraph->Context(); });
}

int TfLiteMunjaSubgraphIndex(const TfLiteMunjaSubgraph* subgraph) {
  return subgraph != nullptr ? subgraph->Index() : -1;
}

const char* TfLiteMunjaSubgraphName(const TfLiteMunjaSubgraph* subgraph) {
  return subgraph != nullptr ? subgraph->Model().name.c_str() : "";
}

const int* TfLiteMunjaSubgraphTensors(const TfLiteMunjaSubgraph* subgraph,
                                      TfLiteMunjaList list, size_t* count) {
  *count = 0;
  if (subgraph == nullptr) return nullptr;
  const std::span<const int> numbers =
      list == kTfLiteMunjaInputs    ? std::span(subgraph->Model().inputs)
      : list == kTfLiteMunjaOutputs ? std::span(subgraph->Model().outputs)
                                    : subgraph->Variables();
  *count = numbers.size();
  return numbers.data();
}

int TfLiteMunjaSubgraphNodeCount(TfLiteMunjaSubgraph* subgraph) {
  return subgraph != nullptr ? static_cast<int>(subgraph->Model().nodes.size())
                             : 0;
}

TfLiteStatus TfLiteMunjaSubgraphNode(TfLiteMunjaSubgraph* subgraph, int node,
                                     const TfLiteNode** shown,
                                     const TfLiteRegistration** registration) {
  return Ask(subgraph, kTfLiteError, [&] {
    const auto nodes = subgraph->Nodes();
    if (!nodes.ok() || (*nodes)->node(node) == nullptr) return kTfLiteError;
    *shown = (*nodes)->node(node);
    *registration = (*nodes)->registration(node);
    return kTfLiteOk;
  });
}

TfLiteStatus TfLiteMunjaSubgraphResize(TfLiteMunjaSubgraph* subgraph,
                                       int tensor, const int* dims, int rank,
                                       bool is_strict) {
  if (rank < 0 || (rank > 0 && dims == nullptr)) return kTfLiteError;
  return Ask(subgraph, kTfLiteError, [&] {
    return subgraph->Resize(tensor, {dims, static_cast<size_t>(rank)},
                            is_strict);
  });
}

TfLiteStatus TfLiteMunjaSubgraphAllocate(TfLiteMunjaSubgraph* subgraph) {
  return Ask(subgraph, kTfLiteError, [&] { return subgraph->Allocate(); });
}

TfLiteStatus TfLiteMunjaSubgraphInvoke(TfLiteMunjaSubgraph* subgraph) {
  return Ask(subgraph, kTfLiteError, [&] { return subgraph->Invoke(); });
}

TfLiteStatus TfLiteMunjaSubgraphResetVariables(TfLiteMunjaSubgraph* subgraph) {
  return Ask(subgraph, kTfLiteError,
             [&] { return subgraph->ResetVariables(); });
}

void* TfLiteMunjaSubgraphKeep(TfLiteMunjaSubgraph* subgraph, bool is_shared,
                              const char* name, void* (*make)(void),
                              void (*release)(void* object)) {
  if (name == nullptr) return nullptr;
  return Ask<void*>(subgraph, nullptr, [&] {
    auto& objects = is_shared ? subgraph->Shared().objects : subgraph->objects;
    return objects.Keep(name, make, release);
  });
}

}  // extern "C"
