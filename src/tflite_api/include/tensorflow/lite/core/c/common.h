/* What operators and delegates are written against: tensors, nodes, the
 * context, registrations and delegates of the TensorFlow Lite C API.
 *
 * The order and size of every field is a contract with compiled code.
 */
#ifndef MUNJA_TFLITE_CORE_C_COMMON_H_
#define MUNJA_TFLITE_CORE_C_COMMON_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/c_api_types.h"
#include "tensorflow/lite/core/c/ensure.h"
#include "tensorflow/lite/core/c/int_array.h"
#include "tensorflow/lite/core/c/tensor.h"

#if defined(__GNUC__)
#define TFL_EXTERNAL_DELEGATE_EXPORT __attribute__((visibility("default")))
#else
#define TFL_EXTERNAL_DELEGATE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteContext TfLiteContext;
typedef struct TfLiteRegistration TfLiteRegistration;
typedef struct TfLiteDelegateParams TfLiteDelegateParams;

/* Services shared between operators: a thread pool, an accelerator. */
typedef enum TfLiteExternalContextType TFL_ANY_INT {
  kTfLiteEigenContext = 0,
  kTfLiteGemmLowpContext = 1,
  kTfLiteEdgeTpuContext = 2,
  kTfLiteCpuBackendContext = 3,
  kTfLiteLiteRtBufferContext = 4,
  kTfLiteMaxExternalContexts = 5
} TfLiteExternalContextType;

typedef struct TfLiteExternalContext {
  TfLiteExternalContextType type;
  /* Called when the number of threads has changed. */
  TfLiteStatus (*Refresh)(TfLiteContext* context);
} TfLiteExternalContext;

/* One operator of the graph. The lists hold indices of tensors. */
typedef struct TfLiteNode {
  TfLiteIntArray* inputs;
  TfLiteIntArray* outputs;
  TfLiteIntArray* intermediates;
  TfLiteIntArray* temporaries; /* Set by prepare. */
  void* user_data;             /* What init gave. */
  void* builtin_data;          /* A struct of builtin_op_data.h; the delegate's
                                  parameters when a delegate runs the node. */
  const void* custom_initial_data; /* Options of a custom operator: bytes. */
  int custom_initial_data_size;
  TfLiteDelegate* delegate; /* Of a node that a delegate made. */
  bool might_have_side_effect;
} TfLiteNode;

/* What the runtime offers to operators and delegates. */
struct TfLiteContext {
  size_t tensors_size;

  /* Delegates only: numbers of the nodes in the order of execution. The array
   * is the context's and holds until the next call. */
  TfLiteStatus (*GetExecutionPlan)(TfLiteContext* context,
                                   TfLiteIntArray** execution_plan);

  /* May move when tensors are added. */
  TfLiteTensor* tensors;

  void* impl_;

  /* Takes ownership of `new_size`, also when it fails. */
  TfLiteStatus (*ResizeTensor)(TfLiteContext* context, TfLiteTensor* tensor,
                               TfLiteIntArray* new_size);

  /* As printf. */
  void (*ReportError)(TfLiteContext* context, const char* msg, ...);

  /* `first_new_tensor_index` may be null. Pointers to tensors taken before no
   * longer hold. */
  TfLiteStatus (*AddTensors)(TfLiteContext* context, int tensors_to_add,
                             int* first_new_tensor_index);

  /* Delegates only. */
  TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext* context, int node_index,
                                         TfLiteNode** node,
                                         TfLiteRegistration** registration);

  /* Delegates only: each group of the nodes that can run as one becomes a
   * single node that `registration` runs. */
  TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(
      TfLiteContext* context, TfLiteRegistration registration,
      const TfLiteIntArray* nodes_to_replace, TfLiteDelegate* delegate);

  int recommended_num_threads; /* -1: as the operator likes. */

  TfLiteExternalContext* (*GetExternalContext)(TfLiteContext* context,
                                               TfLiteExternalContextType type);
  void (*SetExternalContext)(TfLiteContext* context,
                             TfLiteExternalContextType type,
                             TfLiteExternalContext* external_context);

  bool allow_fp32_relax_to_fp16;
  void* profiler;

  /* For operators written for microcontrollers; may be null in other runtimes.
   * Persistent buffers are the node's; scratch buffers are requested in prepare
   * and live in invoke only. */
  void* (*AllocatePersistentBuffer)(TfLiteContext* context, size_t bytes);
  TfLiteStatus (*AllocateBufferForEval)(TfLiteContext* context, size_t bytes,
                                        void** ptr);
  TfLiteStatus (*RequestScratchBufferInArena)(TfLiteContext* context,
                                              size_t bytes, int* buffer_idx);
  void* (*GetScratchBuffer)(TfLiteContext* context, int buffer_idx);
  TfLiteStatus (*ResizeTensorExplicit)(TfLiteContext* context,
                                       TfLiteTensor* tensor, int dims,
                                       const int* shape);

  /* Delegates only: the groups that a replacement would make, without making
   * it. The array is the context's and holds until the next call. */
  TfLiteStatus (*PreviewDelegatePartitioning)(
      TfLiteContext* context, const TfLiteIntArray* nodes_to_replace,
      TfLiteDelegateParams** partition_params_array, int* num_partitions);

  /* May be null in other runtimes: `tensors` is there in all but the smallest.
   */
  TfLiteTensor* (*GetTensor)(const TfLiteContext* context, int tensor_idx);
  TfLiteEvalTensor* (*GetEvalTensor)(const TfLiteContext* context,
                                     int tensor_idx);

  TfLiteStatus (*GetModelMetadata)(const TfLiteContext* context,
                                   const char* name, const char** ptr,
                                   size_t* bytes);

  /* Delegates only. */
  TfLiteStatus (*AcquireSubgraphContext)(TfLiteContext* context,
                                         int subgraph_index,
                                         TfLiteContext** acquired_context);
  TfLiteStatus (*ReleaseSubgraphContext)(TfLiteContext* context,
                                         int subgraph_index);
};

/* Which inputs may share memory with outputs. */
typedef enum TfLiteInPlaceOp {
  kTfLiteInplaceOpNone = 0,
  kTfLiteInplaceOpDataUnmodified = 1,
  kTfLiteInplaceInputCanBeSharedWithCorrespondingOutput = 2,
  kTfLiteInplaceOpInput0Shared = 4,
  kTfLiteInplaceOpInput1Shared = 8,
  kTfLiteInplaceOpInput2Shared = 16,
  kTfLiteInplaceOpMaxValue = UINT64_MAX
} TfLiteInPlaceOp;
enum { kTfLiteMaxSharableOpInputs = 3 };

/* An operator: how it starts, prepares, runs and ends. Every function may be
 * null, though nothing runs without invoke. */
struct TfLiteRegistration {
  /* Once a node. Builtin operator: the parameters, length 0; custom operator:
   * the bytes of its options; delegate: its TfLiteDelegateParams, length 0.
   * What it returns becomes node->user_data. */
  void* (*init)(TfLiteContext* context, const char* buffer, size_t length);
  /* Once for each user_data that is not null. */
  void (*free)(TfLiteContext* context, void* buffer);
  /* Whenever shapes are new: gives the outputs their types and shapes. */
  TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node);
  TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node);
  const char* (*profiling_string)(const TfLiteContext* context,
                                  const TfLiteNode* node);
  int32_t builtin_code;
  const char* custom_name;
  int version;
  TfLiteOperator* registration_external;
  TfLiteAsyncKernel* (*async_kernel)(TfLiteContext* context, TfLiteNode* node);
  uint64_t inplace_operator; /* TfLiteInPlaceOp. */
};

typedef enum TfLiteDelegateFlags {
  kTfLiteDelegateFlagsNone = 0,
  kTfLiteDelegateFlagsAllowDynamicTensors = 1,
  /* The delegate wants to be prepared again when shapes change. */
  kTfLiteDelegateFlagsRequirePropagatedShapes = 2,
  kTfLiteDelegateFlagsPerOperatorProfiling = 4,
  kTfLiteDelegateFlagsHintFullyDelegatedToSingleDelegate = 8
} TfLiteDelegateFlags;

/* Takes over nodes of a graph. The application owns it, and it outlives the
 * interpreters that use it. */
struct TfLiteDelegate {
  void* data_; /* The delegate's own. */
  /* Looks at the graph and replaces the nodes that it wants. */
  TfLiteStatus (*Prepare)(TfLiteContext* context, TfLiteDelegate* delegate);
  /* The content behind a handle to the tensor's data, and back. */
  TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext* context,
                                       TfLiteDelegate* delegate,
                                       TfLiteBufferHandle buffer_handle,
                                       TfLiteTensor* tensor);
  TfLiteStatus (*CopyToBufferHandle)(TfLiteContext* context,
                                     TfLiteDelegate* delegate,
                                     TfLiteBufferHandle buffer_handle,
                                     TfLiteTensor* tensor);
  void (*FreeBufferHandle)(TfLiteContext* context, TfLiteDelegate* delegate,
                           TfLiteBufferHandle* handle);
  int64_t flags; /* TfLiteDelegateFlags. */
  /* Not null: an opaque delegate; the functions above are then null. */
  struct TfLiteOpaqueDelegateBuilder* opaque_delegate_builder;
};

/* All null and zero. */
TFL_CAPI_EXPORT TfLiteDelegate TfLiteDelegateCreate(void);

/* What init of a delegate's kernel gets: the nodes that it stands for. */
struct TfLiteDelegateParams {
  TfLiteDelegate* delegate;
  TfLiteIntArray* nodes_to_replace;
  TfLiteIntArray* input_tensors;
  TfLiteIntArray* output_tensors;
};

typedef struct TfLiteOpaqueDelegateParams {
  TfLiteOpaqueDelegate* delegate;
  void* delegate_data;
  TfLiteIntArray* nodes_to_replace;
  TfLiteIntArray* input_tensors;
  TfLiteIntArray* output_tensors;
} TfLiteOpaqueDelegateParams;

/* What an opaque delegate is made of. */
struct TfLiteOpaqueDelegateBuilder {
  void* data;
  TfLiteStatus (*Prepare)(TfLiteOpaqueContext* context,
                          TfLiteOpaqueDelegate* delegate, void* data);
  TfLiteStatus (*CopyFromBufferHandle)(TfLiteOpaqueContext* context,
                                       TfLiteOpaqueDelegate* delegate,
                                       void* data,
                                       TfLiteBufferHandle buffer_handle,
                                       TfLiteOpaqueTensor* tensor);
  TfLiteStatus (*CopyToBufferHandle)(TfLiteOpaqueContext* context,
                                     TfLiteOpaqueDelegate* delegate, void* data,
                                     TfLiteBufferHandle buffer_handle,
                                     TfLiteOpaqueTensor* tensor);
  void (*FreeBufferHandle)(TfLiteOpaqueContext* context,
                           TfLiteOpaqueDelegate* delegate, void* data,
                           TfLiteBufferHandle* handle);
  int64_t flags; /* TfLiteDelegateFlags. */
};

/* The builder is copied. */
TFL_CAPI_EXPORT TfLiteOpaqueDelegate* TfLiteOpaqueDelegateCreate(
    const TfLiteOpaqueDelegateBuilder* opaque_delegate_builder);
TFL_CAPI_EXPORT void TfLiteOpaqueDelegateDelete(TfLiteOpaqueDelegate* delegate);
/* `data` of the builder, or of the delegate itself when it has none. */
TFL_CAPI_EXPORT void* TfLiteOpaqueDelegateGetData(
    const TfLiteOpaqueDelegate* delegate);

/* What init of a delegate's kernel returns to say that it failed. */
TFL_CAPI_EXPORT void* TfLiteKernelInitFailed(void);

#ifdef __cplusplus
} /* extern "C" */
#include "tensorflow/lite/core/c/variant_data.h"
#endif

#endif /* MUNJA_TFLITE_CORE_C_COMMON_H_ */
