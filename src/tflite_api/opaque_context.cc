// The context through functions alone.
#include <cstdarg>
#include <memory>
#include <string>

#include "tensorflow/lite/util.h"
#include "tflite_api/context.h"
#include "tflite_api/guard.h"
#include "tflite_api/opaque.h"
#include "tflite_api/operator.h"
#include "tflite_api/tensor_builder.h"

using munja::compat::GraphContext;
using munja::compat::Guard;
using munja::compat::Hide;
using munja::compat::Reporter;
using munja::compat::Show;

namespace {

GraphContext& Of(const TfLiteOpaqueContext* context) {
  return GraphContext::Of(Show(context));
}

TfLiteStatus Give(const std::vector<munja::graph::ValueId>& list,
                  const int** numbers, int* count) {
  *numbers = list.data();
  *count = static_cast<int>(list.size());
  return kTfLiteOk;
}

}  // namespace

extern "C" {

TfLiteStatus TfLiteOpaqueContextGetExecutionPlan(
    TfLiteOpaqueContext* opaque_context, TfLiteIntArray** execution_plan) {
  TfLiteContext* const context = Show(opaque_context);
  return context->GetExecutionPlan(context, execution_plan);
}

TfLiteStatus TfLiteOpaqueContextGetExternalContext(
    TfLiteOpaqueContext* opaque_context, void** external_context,
    TfLiteExternalContextType type) {
  TfLiteContext* const context = Show(opaque_context);
  *external_context = context->GetExternalContext(context, type);
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueContextGetNodeAndRegistration(
    TfLiteOpaqueContext* opaque_context, int node_index,
    TfLiteOpaqueNode** node, TfLiteOperator** registration_external) {
  TfLiteContext* const context = Show(opaque_context);
  TfLiteNode* found = nullptr;
  TfLiteRegistration* registration = nullptr;
  const TfLiteStatus status = context->GetNodeAndRegistration(
      context, node_index, &found, &registration);
  if (status != kTfLiteOk) return status;
  return Guard<TfLiteStatus>(Reporter(), kTfLiteError, [&] {
    auto nodes = Of(opaque_context).nodes();
    if (!nodes.ok()) return kTfLiteError;
    if (node != nullptr) *node = Hide(found);
    if (registration_external != nullptr)
      *registration_external = (*nodes)->ShowOperator(node_index);
    return kTfLiteOk;
  });
}

TfLiteStatus TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    TfLiteOpaqueContext* opaque_context, TfLiteOperator* registration_external,
    const TfLiteIntArray* nodes_to_replace,
    TfLiteOpaqueDelegate* opaque_delegate) {
  if (registration_external == nullptr) return kTfLiteError;
  return Guard<TfLiteStatus>(Reporter(), kTfLiteError, [&] {
    Of(opaque_context)
        .Own(std::unique_ptr<TfLiteOperator>(registration_external));
    TfLiteContext* const context = Show(opaque_context);
    return context->ReplaceNodeSubsetsWithDelegateKernels(
        context, munja::compat::RegistrationOf(*registration_external),
        nodes_to_replace, opaque_delegate);
  });
}

TfLiteOpaqueTensor* TfLiteOpaqueContextGetOpaqueTensor(
    const TfLiteOpaqueContext* opaque_context, int index) {
  return Hide(Of(opaque_context).tensor(index));
}

TfLiteStatus TfLiteOpaqueContextGetInputs(
    const TfLiteOpaqueContext* opaque_context, const int** inputs,
    int* num_inputs) {
  return Give(Of(opaque_context).subgraph().inputs, inputs, num_inputs);
}

TfLiteStatus TfLiteOpaqueContextGetOutputs(
    const TfLiteOpaqueContext* opaque_context, const int** outputs,
    int* num_outputs) {
  return Give(Of(opaque_context).subgraph().outputs, outputs, num_outputs);
}

TfLiteStatus TfLiteOpaqueContextGetVariables(
    const TfLiteOpaqueContext* opaque_context, const int** variables,
    int* num_variables) {
  return Give(Of(opaque_context).variables(), variables, num_variables);
}

size_t TfLiteOpaqueContextGetNumNodes(
    const TfLiteOpaqueContext* opaque_context) {
  return Of(opaque_context).subgraph().nodes.size();
}

size_t TfLiteOpaqueContextGetNumTensors(
    const TfLiteOpaqueContext* opaque_context) {
  return Of(opaque_context).tensors();
}

const char* TfLiteOpaqueContextGetName(
    const TfLiteOpaqueContext* opaque_context) {
  return Of(opaque_context).subgraph().name.c_str();
}

TfLiteStatus TfLiteOpaqueContextResizeTensor(TfLiteOpaqueContext* context,
                                             TfLiteOpaqueTensor* tensor,
                                             TfLiteIntArray* new_size) {
  return Show(context)->ResizeTensor(Show(context), Show(tensor), new_size);
}

TfLiteStatus TfLiteOpaqueContextAcquireSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index,
    TfLiteOpaqueContext** acquired_opaque_context) {
  TfLiteContext* acquired = nullptr;
  const TfLiteStatus status =
      Show(opaque_context)
          ->AcquireSubgraphContext(Show(opaque_context), subgraph_index,
                                   &acquired);
  *acquired_opaque_context = Hide(acquired);
  return status;
}

TfLiteStatus TfLiteOpaqueContextReleaseSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index) {
  return Show(opaque_context)
      ->ReleaseSubgraphContext(Show(opaque_context), subgraph_index);
}

// Subgraphs are offered as sessions reach them.
TfLiteStatus TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable(
    TfLiteOpaqueContext* opaque_context, int subgraph_index) {
  Of(opaque_context)
      .Report("Subgraph %d cannot be kept from delegates.", subgraph_index);
  return kTfLiteError;
}

// Options of nodes are copied out of the file.
TfLiteStatus TfLiteOpaqueContextGetNodeInitDataMmapInfo(
    const TfLiteOpaqueContext*, const TfLiteOpaqueNode*, int* fd,
    int64_t* custom_initial_data_offset_in_file,
    int64_t* custom_initial_data_size) {
  *fd = -1;
  *custom_initial_data_offset_in_file = -1;
  *custom_initial_data_size = -1;
  return kTfLiteError;
}

TfLiteStatus TfLiteOpaqueContextAddTensor(TfLiteOpaqueContext* context,
                                          TfLiteOpaqueTensorBuilder* builder,
                                          int* new_tensor_index) {
  if (builder == nullptr) return kTfLiteError;
  if (builder->allocation_type != kTfLiteDynamic &&
      builder->allocation_type != kTfLiteArenaRw &&
      builder->allocation_type != kTfLiteArenaRwPersistent) {
    Of(context).Report("Invalid allocation type of a tensor to add.");
    return kTfLiteError;
  }
  int index = -1;
  const TfLiteStatus status =
      Show(context)->AddTensors(Show(context), 1, &index);
  if (status != kTfLiteOk) return status;
  TfLiteTensor& tensor = Show(context)->tensors[index];
  tensor.type = builder->type;
  tensor.data.data = builder->data;
  tensor.allocation_type = builder->allocation_type;
  tensor.params = builder->params;
  tensor.quantization = builder->quantization;
  if (new_tensor_index != nullptr) *new_tensor_index = index;
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueContextGetSizeOfType(TfLiteOpaqueContext* context,
                                              TfLiteType type, size_t* bytes) {
  return tflite::GetSizeOfType(Show(context), type, bytes);
}

TfLiteStatus TfLiteOpaqueContextGetMetadata(TfLiteOpaqueContext* context,
                                            const char* name, const char** ptr,
                                            size_t* bytes) {
  return Show(context)->GetModelMetadata(Show(context), name, ptr, bytes);
}

void TfLiteOpaqueContextReportError(TfLiteOpaqueContext* opaque_context,
                                    const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Of(opaque_context).Report(format, arguments);
  va_end(arguments);
}

void TfLiteOpaqueContextReportErrorVa(TfLiteOpaqueContext* opaque_context,
                                      const char* format, va_list vlist) {
  Of(opaque_context).Report(format, vlist);
}

}  // extern "C"
