// Nodes through functions alone.
#include "tflite_api/opaque.h"
#include "tflite_api/tensor_mirror.h"

using munja::compat::ArrayOf;
using munja::compat::Hide;
using munja::compat::Show;

namespace {

// kTfLiteOptionalTensor where there is none.
int TensorAt(const TfLiteIntArray* list, int index) {
  if (list == nullptr || index < 0 || index >= list->size)
    return kTfLiteOptionalTensor;
  return list->data[index];
}

TfLiteTensor* Find(const TfLiteContext* context, int tensor) {
  if (tensor < 0 || static_cast<size_t>(tensor) >= context->tensors_size)
    return nullptr;
  return &context->tensors[tensor];
}

TfLiteStatus Give(const TfLiteIntArray* list, const int** numbers, int* count) {
  *numbers = list != nullptr ? list->data : nullptr;
  *count = list != nullptr ? list->size : 0;
  return kTfLiteOk;
}

}  // namespace

extern "C" {

const TfLiteOpaqueTensor* TfLiteOpaqueNodeGetInput(
    const TfLiteOpaqueContext* opaque_context,
    const TfLiteOpaqueNode* opaque_node, int index) {
  return Hide(
      Find(Show(opaque_context), TensorAt(Show(opaque_node)->inputs, index)));
}

TfLiteOpaqueTensor* TfLiteOpaqueNodeGetOutput(
    TfLiteOpaqueContext* opaque_context, const TfLiteOpaqueNode* opaque_node,
    int index) {
  return Hide(
      Find(Show(opaque_context), TensorAt(Show(opaque_node)->outputs, index)));
}

int TfLiteOpaqueNodeNumberOfInputs(const TfLiteOpaqueNode* opaque_node) {
  return Show(opaque_node)->inputs->size;
}

int TfLiteOpaqueNodeNumberOfOutputs(const TfLiteOpaqueNode* opaque_node) {
  return Show(opaque_node)->outputs->size;
}

void* TfLiteOpaqueNodeGetUserData(const TfLiteOpaqueNode* opaque_node) {
  return Show(opaque_node)->user_data;
}

void* TfLiteOpaqueNodeGetBuiltinData(const TfLiteOpaqueNode* opaque_node) {
  return Show(opaque_node)->builtin_data;
}

TfLiteStatus TfLiteOpaqueNodeGetCustomInitialData(
    const TfLiteOpaqueNode* opaque_node, const void** init_data, int* size) {
  *init_data = Show(opaque_node)->custom_initial_data;
  *size = Show(opaque_node)->custom_initial_data_size;
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueNodeInputs(const TfLiteOpaqueNode* opaque_node,
                                    const int** inputs, int* num_inputs) {
  return Give(Show(opaque_node)->inputs, inputs, num_inputs);
}

TfLiteStatus TfLiteOpaqueNodeOutputs(const TfLiteOpaqueNode* opaque_node,
                                     const int** outputs, int* num_outputs) {
  return Give(Show(opaque_node)->outputs, outputs, num_outputs);
}

TfLiteStatus TfLiteOpaqueNodeSetTemporaries(TfLiteOpaqueNode* opaque_node,
                                            const int* temporaries,
                                            int num_temporaries) {
  if (num_temporaries < 0 || (num_temporaries > 0 && temporaries == nullptr))
    return kTfLiteError;
  TfLiteIntArray* const list =
      ArrayOf({temporaries, static_cast<size_t>(num_temporaries)});
  if (list == nullptr) return kTfLiteError;
  TfLiteIntArrayFree(Show(opaque_node)->temporaries);
  Show(opaque_node)->temporaries = list;
  return kTfLiteOk;
}

TfLiteStatus TfLiteOpaqueNodeTemporaries(const TfLiteOpaqueNode* opaque_node,
                                         const int** temporaries,
                                         int* num_temporaries) {
  return Give(Show(opaque_node)->temporaries, temporaries, num_temporaries);
}

int TfLiteOpaqueNodeGetInputTensorIndex(const TfLiteOpaqueNode* opaque_node,
                                        int index_of_input) {
  return TensorAt(Show(opaque_node)->inputs, index_of_input);
}

int TfLiteOpaqueNodeGetOutputTensorIndex(const TfLiteOpaqueNode* opaque_node,
                                         int index_of_output) {
  return TensorAt(Show(opaque_node)->outputs, index_of_output);
}

}  // extern "C"
