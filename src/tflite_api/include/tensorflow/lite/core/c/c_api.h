/* The C API of TensorFlow Lite: models, interpreters, tensors, signatures.

 A program creates a model, an interpreter, allocates, fills the inputs, invokes
 and reads the outputs. What a function with "Create" or "Get...Runner" in its
 name returns is freed with the Delete of its type, which takes NULL. An
 interpreter is used by one thread at a time; different ones may run at once. */
#ifndef MUNJA_TFLITE_CORE_C_C_API_H_
#define MUNJA_TFLITE_CORE_C_C_API_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/core/c/c_api_types.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/core/c/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteModel TfLiteModel;
typedef struct TfLiteInterpreterOptions TfLiteInterpreterOptions;
typedef struct TfLiteInterpreter TfLiteInterpreter;
typedef struct TfLiteSignatureRunner TfLiteSignatureRunner;

/* The version of the TensorFlow Lite interface that this is. */
TFL_CAPI_EXPORT const char* TfLiteVersion(void);
TFL_CAPI_EXPORT const char* TfLiteExtensionApisVersion(void);
/* Of the .tflite files that are read: 3. */
TFL_CAPI_EXPORT int TfLiteSchemaVersion(void);

/* A model from bytes, which are not copied and must outlive every interpreter
 * of the model. NULL when they are not a model that can be trusted; the
 * reporter is told why. */
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreate(const void* model_data,
                                               size_t model_size);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateWithErrorReporter(
    const void* model_data, size_t model_size,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateFromFile(const char* model_path);
TFL_CAPI_EXPORT TfLiteModel* TfLiteModelCreateFromFileWithErrorReporter(
    const char* model_path,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);
/* Interpreters may outlive the model object. */
TFL_CAPI_EXPORT void TfLiteModelDelete(TfLiteModel* model);

/* Options are read when an interpreter is created and may go right after. */
TFL_CAPI_EXPORT TfLiteInterpreterOptions* TfLiteInterpreterOptionsCreate(void);
TFL_CAPI_EXPORT TfLiteInterpreterOptions* TfLiteInterpreterOptionsCopy(
    const TfLiteInterpreterOptions* from);
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsDelete(
    TfLiteInterpreterOptions* options);
/* -1: as the runtime likes; 0 is 1. */
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsSetNumThreads(
    TfLiteInterpreterOptions* options, int32_t num_threads);
/* Delegates are applied in this order. They stay the caller's and outlive the
 * interpreter. */
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsAddDelegate(
    TfLiteInterpreterOptions* options, TfLiteOpaqueDelegate* delegate);
/* Messages go there instead of to standard error; NULL: back again. */
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsSetErrorReporter(
    TfLiteInterpreterOptions* options,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data);
/* The operator stays the caller's and outlives the interpreter. */
TFL_CAPI_EXPORT void TfLiteInterpreterOptionsAddOperator(
    TfLiteInterpreterOptions* options, TfLiteOperator* registration);
/* TfLiteInterpreterCancel fails without it. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteInterpreterOptionsEnableCancellation(
    TfLiteInterpreterOptions* options, bool enable);

/* NULL when the model has operators that cannot run, a delegate fails, or there
 * is no memory; the reporter is told why. Options may be NULL. */
TFL_CAPI_EXPORT TfLiteInterpreter* TfLiteInterpreterCreate(
    const TfLiteModel* model, const TfLiteInterpreterOptions* optional_options);
TFL_CAPI_EXPORT void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter* interpreter);
/* As many as there are inputs; the array is the interpreter's. */
TFL_CAPI_EXPORT const int* TfLiteInterpreterInputTensorIndices(
    const TfLiteInterpreter* interpreter);
/* The interpreter's; it has data after TfLiteInterpreterAllocateTensors. NULL
 * when there is no such input. */
TFL_CAPI_EXPORT TfLiteTensor* TfLiteInterpreterGetInputTensor(
    const TfLiteInterpreter* interpreter, int32_t input_index);
/* Tensors must be allocated again before the next run. Every size must be
 * positive or 0. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteInterpreterResizeInputTensor(
    TfLiteInterpreter* interpreter, int32_t input_index, const int* input_dims,
    int32_t input_dims_size);
/* Plans the run for the shapes of the inputs. Pointers to data taken before no
 * longer hold. */
TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterAllocateTensors(TfLiteInterpreter* interpreter);
/* Runs the model on what the input tensors hold. */
TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterInvoke(TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT const int* TfLiteInterpreterOutputTensorIndices(
    const TfLiteInterpreter* interpreter);
/* Its shape is that of the last run where only the run finds it out. */
TFL_CAPI_EXPORT const TfLiteTensor* TfLiteInterpreterGetOutputTensor(
    const TfLiteInterpreter* interpreter, int32_t output_index);
/* Any tensor of the main subgraph by its number in the model: see
 * docs/reference/tflite-c-api.md for those that have data. */
TFL_CAPI_EXPORT TfLiteTensor* TfLiteInterpreterGetTensor(
    const TfLiteInterpreter* interpreter, int index);
/* From any thread: the run in progress ends with kTfLiteCancelled. */
TFL_CAPI_EXPORT TfLiteStatus
TfLiteInterpreterCancel(const TfLiteInterpreter* interpreter);

/* Named entry points of the model. */
TFL_CAPI_EXPORT int32_t
TfLiteInterpreterGetSignatureCount(const TfLiteInterpreter* interpreter);
TFL_CAPI_EXPORT const char* TfLiteInterpreterGetSignatureKey(
    const TfLiteInterpreter* interpreter, int32_t signature_index);
/* Freed before the interpreter. A NULL key means the first signature of the
 * main subgraph, or of a model without signatures one that is made of its
 * tensor names. NULL when there is no such signature. */
TFL_CAPI_EXPORT TfLiteSignatureRunner* TfLiteInterpreterGetSignatureRunner(
    const TfLiteInterpreter* interpreter, const char* signature_key);
TFL_CAPI_EXPORT size_t TfLiteSignatureRunnerGetInputCount(
    const TfLiteSignatureRunner* signature_runner);
/* Names are sorted. */
TFL_CAPI_EXPORT const char* TfLiteSignatureRunnerGetInputName(
    const TfLiteSignatureRunner* signature_runner, int32_t input_index);
/* Only sizes that the model leaves open may change. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteSignatureRunnerResizeInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name,
    const int* input_dims, int32_t input_dims_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteSignatureRunnerAllocateTensors(TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT TfLiteTensor* TfLiteSignatureRunnerGetInputTensor(
    TfLiteSignatureRunner* signature_runner, const char* input_name);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteSignatureRunnerInvoke(TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT size_t TfLiteSignatureRunnerGetOutputCount(
    const TfLiteSignatureRunner* signature_runner);
TFL_CAPI_EXPORT const char* TfLiteSignatureRunnerGetOutputName(
    const TfLiteSignatureRunner* signature_runner, int32_t output_index);
TFL_CAPI_EXPORT const TfLiteTensor* TfLiteSignatureRunnerGetOutputTensor(
    const TfLiteSignatureRunner* signature_runner, const char* output_name);

/* Tensors: none of these takes ownership. */
TFL_CAPI_EXPORT TfLiteType TfLiteTensorType(const TfLiteTensor* tensor);
/* -1 when the shape is not known. */
TFL_CAPI_EXPORT int32_t TfLiteTensorNumDims(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT int32_t TfLiteTensorDim(const TfLiteTensor* tensor,
                                        int32_t dim_index);
TFL_CAPI_EXPORT size_t TfLiteTensorByteSize(const TfLiteTensor* tensor);
/* NULL before memory is there. */
TFL_CAPI_EXPORT void* TfLiteTensorData(const TfLiteTensor* tensor);
TFL_CAPI_EXPORT const char* TfLiteTensorName(const TfLiteTensor* tensor);
/* {0, 0} when there is not exactly one scale. */
TFL_CAPI_EXPORT TfLiteQuantizationParams
TfLiteTensorQuantizationParams(const TfLiteTensor* tensor);
/* The sizes must be the same. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteTensorCopyFromBuffer(TfLiteTensor* tensor,
                                                        const void* input_data,
                                                        size_t input_data_size);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteTensorCopyToBuffer(const TfLiteTensor* output_tensor, void* output_data,
                         size_t output_data_size);
TFL_CAPI_EXPORT void TfLiteSignatureRunnerDelete(
    TfLiteSignatureRunner* signature_runner);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_C_API_H_ */
