// Signatures and tensors of a model.
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/tensor_info.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::TensorInfoOf;
using munja::capi::WriteStruct;
using munja::graph::Signature;

namespace {

Result<const Signature*> SignatureAt(const munja_network& model,
                                     int32_t index) {
  const auto& signatures = model.graph->signatures;
  if (index < 0 || static_cast<size_t>(index) >= signatures.size())
    return InvalidArgument("there is no signature " + std::to_string(index));
  return &signatures[static_cast<size_t>(index)];
}

using Ends = std::vector<std::pair<std::string, munja::graph::ValueId>>;

Status DescribeEnd(const munja_network& model, int32_t signature,
                   Ends Signature::*ends, int32_t index, const char** name,
                   munja_tensor_info* info) {
  MUNJA_ASSIGN_OR_RETURN(const Signature* const s,
                         SignatureAt(model, signature));
  const Ends& list = s->*ends;
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    return InvalidArgument("signature '" + s->key + "' has no tensor " +
                           std::to_string(index));
  const auto& [text, value] = list[static_cast<size_t>(index)];
  MUNJA_RETURN_IF_ERROR(WriteStruct(
      TensorInfoOf(model.graph->subgraphs[static_cast<size_t>(s->subgraph)]
                       .values[value]),
      info));
  *name = text.c_str();
  return Status();
}

}  // namespace

extern "C" {

int32_t munja_network_signature_count(const munja_network* model) {
  return model ? static_cast<int32_t>(model->graph->signatures.size()) : 0;
}

munja_status munja_network_signature(const munja_network* model, int32_t index,
                                     munja_signature* signature) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, signature));
    MUNJA_ASSIGN_OR_RETURN(const Signature* const s,
                           SignatureAt(*model, index));
    return WriteStruct(munja_signature{0, s->key.c_str(), s->subgraph,
                                       static_cast<int32_t>(s->inputs.size()),
                                       static_cast<int32_t>(s->outputs.size())},
                       signature);
  });
}

munja_status munja_network_signature_input(const munja_network* model,
                                           int32_t index, int32_t input,
                                           const char** name,
                                           munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, name, info));
    return DescribeEnd(*model, index, &Signature::inputs, input, name, info);
  });
}

munja_status munja_network_signature_output(const munja_network* model,
                                            int32_t index, int32_t output,
                                            const char** name,
                                            munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, name, info));
    return DescribeEnd(*model, index, &Signature::outputs, output, name, info);
  });
}

munja_status munja_network_find_tensor(const munja_network* model,
                                       const char* name,
                                       munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, name, info));
    for (const auto& subgraph : model->graph->subgraphs) {
      for (const auto& value : subgraph.values) {
        if (value.name != name) continue;
        return WriteStruct(TensorInfoOf(value), info);
      }
    }
    return NotFound("the model has no tensor '" + std::string(name) + "'");
  });
}

}  // extern "C"
