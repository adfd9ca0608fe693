/* Tensors, nodes and the context through functions alone, for operators and
 * delegates that must not depend on layouts. */
#ifndef MUNJA_TFLITE_CORE_C_C_API_OPAQUE_H_
#define MUNJA_TFLITE_CORE_C_C_API_OPAQUE_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/c_api.h"
#include "tensorflow/lite/core/c/c_api_types.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/core/c/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteOpaqueTensorBuilder TfLiteOpaqueTensorBuilder;

/* Tensors. */
TFL_CAPI_EXPORT TfLiteType
TfLiteOpaqueTensorType(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT int32_t
TfLiteOpaqueTensorNumDims(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT int32_t TfLiteOpaqueTensorDim(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t dim_index);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorGetNumDimsSignature(
    const TfLiteOpaqueTensor* opaque_tensor, int32_t* num_dims);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueTensorGetDimSignature(const TfLiteOpaqueTensor* opaque_tensor,
                                  int32_t dim_index, int32_t* dim_length);
TFL_CAPI_EXPORT int TfLiteOpaqueTensorIsVariable(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueTensorByteSize(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT void* TfLiteOpaqueTensorData(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteAllocationType
TfLiteOpaqueTensorGetAllocationType(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteAllocationStrategy
TfLiteOpaqueTensorGetAllocationStrategy(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStability
TfLiteOpaqueTensorGetBufferAddressStability(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStability
TfLiteOpaqueTensorGetDataStability(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStep
TfLiteOpaqueTensorGetDataKnownStep(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT TfLiteRunStep
TfLiteOpaqueTensorGetShapeKnownStep(const TfLiteOpaqueTensor* t);
TFL_CAPI_EXPORT const char* TfLiteOpaqueTensorName(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteQuantization
TfLiteOpaqueTensorGetQuantization(const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteQuantizationParams
TfLiteOpaqueTensorGetQuantizationParams(
    const TfLiteOpaqueTensor* opaque_tensor);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorCopyFromBuffer(
    TfLiteOpaqueTensor* opaque_tensor, const void* input_data,
    size_t input_data_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueTensorCopyToBuffer(const TfLiteOpaqueTensor* opaque_tensor,
                               void* output_data, size_t output_data_size);

/* Nodes. NULL when there is no such input or output. */
TFL_CAPI_EXPORT const TfLiteOpaqueTensor* TfLiteOpaqueNodeGetInput(
    const TfLiteOpaqueContext* opaque_context,
    const TfLiteOpaqueNode* opaque_node, int index);
TFL_CAPI_EXPORT TfLiteOpaqueTensor* TfLiteOpaqueNodeGetOutput(
    TfLiteOpaqueContext* opaque_context, const TfLiteOpaqueNode* opaque_node,
    int index);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeNumberOfInputs(
    const TfLiteOpaqueNode* opaque_node);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeNumberOfOutputs(
    const TfLiteOpaqueNode* opaque_node);
TFL_CAPI_EXPORT void* TfLiteOpaqueNodeGetUserData(
    const TfLiteOpaqueNode* opaque_node);
TFL_CAPI_EXPORT void* TfLiteOpaqueNodeGetBuiltinData(
    const TfLiteOpaqueNode* opaque_node);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeGetCustomInitialData(
    const TfLiteOpaqueNode* opaque_node, const void** init_data, int* size);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeInputs(
    const TfLiteOpaqueNode* opaque_node, const int** inputs, int* num_inputs);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeOutputs(
    const TfLiteOpaqueNode* opaque_node, const int** outputs, int* num_outputs);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueNodeSetTemporaries(
    TfLiteOpaqueNode* opaque_node, const int* temporaries, int num_temporaries);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueNodeTemporaries(const TfLiteOpaqueNode* opaque_node,
                            const int** temporaries, int* num_temporaries);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeGetInputTensorIndex(
    const TfLiteOpaqueNode* opaque_node, int index_of_input);
TFL_CAPI_EXPORT int TfLiteOpaqueNodeGetOutputTensorIndex(
    const TfLiteOpaqueNode* opaque_node, int index_of_output);

/* The context. What TfLiteContext allows delegates only is for delegates only
 * here, too. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetExecutionPlan(
    TfLiteOpaqueContext* opaque_context, TfLiteIntArray** execution_plan);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetExternalContext(
    TfLiteOpaqueContext* opaque_context, void** external_context,
    TfLiteExternalContextType type);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetNodeAndRegistration(
    TfLiteOpaqueContext* opaque_context, int node_index,
    TfLiteOpaqueNode** node, TfLiteOperator** registration_external);
/* Takes ownership of the operator. */
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    TfLiteOpaqueContext* opaque_context, TfLiteOperator* registration_external,
    const TfLiteIntArray* nodes_to_replace,
    TfLiteOpaqueDelegate* opaque_delegate);
TFL_CAPI_EXPORT TfLiteOpaqueTensor* TfLiteOpaqueContextGetOpaqueTensor(
    const TfLiteOpaqueContext* opaque_context, int index);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetInputs(const TfLiteOpaqueContext* opaque_context,
                             const int** inputs, int* num_inputs);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetOutputs(const TfLiteOpaqueContext* opaque_context,
                              const int** outputs, int* num_outputs);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetVariables(const TfLiteOpaqueContext* opaque_context,
                                const int** variables, int* num_variables);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueContextGetNumNodes(const TfLiteOpaqueContext* opaque_context);
TFL_CAPI_EXPORT size_t
TfLiteOpaqueContextGetNumTensors(const TfLiteOpaqueContext* opaque_context);
TFL_CAPI_EXPORT const char* TfLiteOpaqueContextGetName(
    const TfLiteOpaqueContext* opaque_context);
/* Takes ownership of `new_size`, also when it fails. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextResizeTensor(
    TfLiteOpaqueContext* context, TfLiteOpaqueTensor* tensor,
    TfLiteIntArray* new_size);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextAcquireSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index,
    TfLiteOpaqueContext** acquired_opaque_context);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextReleaseSubgraphContext(
    TfLiteOpaqueContext* opaque_context, int subgraph_index);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable(
    TfLiteOpaqueContext* opaque_context, int subgraph_index);
/* kTfLiteError: the model was not mapped from a file. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetNodeInitDataMmapInfo(
    const TfLiteOpaqueContext* context, const TfLiteOpaqueNode* node, int* fd,
    int64_t* custom_initial_data_offset_in_file,
    int64_t* custom_initial_data_size);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextAddTensor(
    TfLiteOpaqueContext* context, TfLiteOpaqueTensorBuilder* builder,
    int* new_tensor_index);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueContextGetSizeOfType(
    TfLiteOpaqueContext* context, TfLiteType type, size_t* bytes);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteOpaqueContextGetMetadata(TfLiteOpaqueContext* context, const char* name,
                               const char** ptr, size_t* bytes);
TFL_CAPI_EXPORT void TfLiteOpaqueContextReportError(
    TfLiteOpaqueContext* opaque_context, const char* format, ...);
TFL_CAPI_EXPORT void TfLiteOpaqueContextReportErrorVa(
    TfLiteOpaqueContext* opaque_context, const char* format, va_list vlist);

/* Tensors of strings. */
TFL_CAPI_EXPORT int TfLiteOpaqueTensorGetStringCount(
    const TfLiteOpaqueTensor* tensor);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorGetString(
    const TfLiteOpaqueTensor* tensor, int index, const char** str, int* len);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorWriteStrings(
    TfLiteOpaqueTensor* tensor, const char* const* str_array, int str_array_len,
    const int* str_n_len);
TFL_CAPI_EXPORT TfLiteStatus TfLiteOpaqueTensorWriteString(
    TfLiteOpaqueTensor* tensor, const char* str, int len);

/* A tensor to be added to a context; each setter returns the builder. */
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderCreate(
    void);
TFL_CAPI_EXPORT void TfLiteOpaqueTensorBuilderDelete(
    TfLiteOpaqueTensorBuilder* builder);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteType type);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder* TfLiteOpaqueTensorBuilderSetData(
    TfLiteOpaqueTensorBuilder* builder, void* data);
/* Dynamic, ArenaRw or ArenaRwPersistent. */
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetAllocationType(
    TfLiteOpaqueTensorBuilder* builder, TfLiteAllocationType allocation_type);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetQuantizationParams(
    TfLiteOpaqueTensorBuilder* builder, TfLiteQuantizationParams params);
TFL_CAPI_EXPORT TfLiteOpaqueTensorBuilder*
TfLiteOpaqueTensorBuilderSetQuantization(TfLiteOpaqueTensorBuilder* builder,
                                         TfLiteQuantization quantization);
TFL_CAPI_EXPORT void TfLiteOpaqueTensorSetAllocationTypeToDynamic(
    TfLiteOpaqueTensor* tensor);
TFL_CAPI_EXPORT void TfLiteOpaqueTensorSetAllocationTypeToNonCpu(
    TfLiteOpaqueTensor* tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_C_API_OPAQUE_H_ */
