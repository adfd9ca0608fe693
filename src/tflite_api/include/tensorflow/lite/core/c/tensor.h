/* TfLiteTensor: type, shape, memory and quantization of a value of the model.
 * Not included by itself: "common.h" has it all. */
#ifndef MUNJA_TFLITE_CORE_C_TENSOR_H_
#define MUNJA_TFLITE_CORE_C_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/c_api_types.h"
#include "tensorflow/lite/core/c/int_array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In a node's lists: there is no tensor. */
#define kTfLiteOptionalTensor (-1)

typedef struct TfLiteComplex64 {
  float re, im;
} TfLiteComplex64;
typedef struct TfLiteComplex128 {
  double re, im;
} TfLiteComplex128;
/* IEEE half precision, and the upper half of a float: the bits. */
typedef struct TfLiteFloat16 {
  uint16_t data;
} TfLiteFloat16;
typedef struct TfLiteBFloat16 {
  uint16_t data;
} TfLiteBFloat16;

TFL_CAPI_EXPORT const char* TfLiteTypeGetName(TfLiteType type);

/* What `TfLiteQuantization::params` points at. */
typedef enum TfLiteQuantizationType {
  kTfLiteNoQuantization = 0,
  kTfLiteAffineQuantization = 1,
  kTfLiteBlockwiseQuantization = 2,
  kTfLiteMultiAxisQuantization = 3
} TfLiteQuantizationType;

typedef struct TfLiteQuantization {
  TfLiteQuantizationType type;
  void* params;
} TfLiteQuantization;

/* real = scale * (q - zero_point); one entry, or one for each slice along
 * quantized_dimension. */
typedef struct TfLiteAffineQuantization {
  TfLiteFloatArray* scale;
  TfLiteIntArray* zero_point;
  int32_t quantized_dimension;
} TfLiteAffineQuantization;

/* Scales and zero points are tensors of the graph: their indices. */
typedef struct TfLiteBlockwiseQuantization {
  int32_t scale;
  int32_t zero_point;
  int32_t blocksize;
  int32_t quantized_dimension;
} TfLiteBlockwiseQuantization;

typedef struct TfLiteMultiAxisQuantization {
  int32_t scales;
  int32_t zero_points;
  int32_t blocksize;
  TfLiteIntArray* quantized_dimensions;
} TfLiteMultiAxisQuantization;

/* The data of a tensor, by type. */
typedef union TfLitePtrUnion {
  int32_t* i32;
  uint32_t* u32;
  int64_t* i64;
  uint64_t* u64;
  float* f;
  TfLiteFloat16* f16;
  TfLiteBFloat16* bf16;
  double* f64;
  char* raw;
  const char* raw_const;
  uint8_t* uint8;
  bool* b;
  int16_t* i16;
  uint16_t* ui16;
  TfLiteComplex64* c64;
  TfLiteComplex128* c128;
  int8_t* int8;
  void* data;
} TfLitePtrUnion;

/* Who owns the memory of a tensor, and for how long it lasts. */
typedef enum TfLiteAllocationType TFL_ANY_INT {
  kTfLiteMemNone = 0,
  kTfLiteMmapRo = 1, /* A constant in the model's bytes: never written. */
  kTfLiteArenaRw = 2,
  kTfLiteArenaRwPersistent = 3, /* Keeps its content from run to run. */
  kTfLiteDynamic = 4,           /* malloc, resized while the model runs. */
  kTfLitePersistentRo = 5,      /* malloc, written once in prepare. */
  kTfLiteCustom = 6,            /* The application's. */
  kTfLiteVariantObject = 7,     /* A C++ object: VariantData. */
  kTfLiteNonCpu = 8             /* Lies in a delegate's memory. */
} TfLiteAllocationType;

typedef enum TfLiteAllocationStrategy {
  kTfLiteAllocationStrategyUnknown = 0,
  kTfLiteAllocationStrategyNone = 1,
  kTfLiteAllocationStrategyMMap = 2,
  kTfLiteAllocationStrategyArena = 3,
  kTfLiteAllocationStrategyMalloc = 4,
  kTfLiteAllocationStrategyNew = 5
} TfLiteAllocationStrategy;

typedef enum TfLiteRunStability {
  kTfLiteRunStabilityUnknown = 0,
  kTfLiteRunStabilityUnstable = 1,
  kTfLiteRunStabilitySingleRun = 2,
  kTfLiteRunStabilityAcrossRuns = 3
} TfLiteRunStability;

typedef enum TfLiteRunStep {
  kTfLiteRunStepUnknown = 0,
  kTfLiteRunStepInit = 1,
  kTfLiteRunStepPrepare = 2,
  kTfLiteRunStepEval = 3
} TfLiteRunStep;

/* A delegate's own number for memory of its own. */
typedef int TfLiteBufferHandle;
enum { kTfLiteNullBufferHandle = -1 };
static const size_t kTfLiteNoBufferIdentifier = SIZE_MAX;

typedef enum TfLiteDimensionType {
  kTfLiteDimDense = 0,
  kTfLiteDimSparseCSR = 1
} TfLiteDimensionType;

typedef struct TfLiteDimensionMetadata {
  TfLiteDimensionType format;
  int dense_size;
  TfLiteIntArray* array_segments;
  TfLiteIntArray* array_indices;
} TfLiteDimensionMetadata;

typedef struct TfLiteSparsity {
  TfLiteIntArray* traversal_order;
  TfLiteIntArray* block_map;
  TfLiteDimensionMetadata* dim_metadata;
  int dim_metadata_size;
} TfLiteSparsity;

/* Memory that the application gives: 64-byte aligned unless told otherwise. */
typedef struct TfLiteCustomAllocation {
  void* data;
  size_t bytes;
} TfLiteCustomAllocation;

typedef enum TfLiteCustomAllocationFlags {
  kTfLiteCustomAllocationFlagsNone = 0,
  kTfLiteCustomAllocationFlagsSkipAlignCheck = 1
} TfLiteCustomAllocationFlags;

typedef struct TfLiteTensor {
  TfLiteType type;
  TfLitePtrUnion data; /* Null before memory is there. */
  TfLiteIntArray* dims;
  TfLiteQuantizationParams params; /* Of one scale; else {0, 0}. */
  TfLiteAllocationType allocation_type;
  size_t bytes;
  const void* allocation;
  const char* name;
  struct TfLiteDelegate* delegate; /* Which knows the buffer handle. */
  TfLiteBufferHandle buffer_handle;
  bool data_is_stale; /* The newest content is behind the handle. */
  bool is_variable;
  TfLiteQuantization quantization;
  TfLiteSparsity* sparsity;
  /* As the model states it: -1 where any size is taken. */
  const TfLiteIntArray* dims_signature;
} TfLiteTensor;

typedef struct TfLiteEvalTensor {
  TfLitePtrUnion data;
  TfLiteIntArray* dims;
  TfLiteType type;
} TfLiteEvalTensor;

/* Frees the data of a Dynamic, PersistentRo or VariantObject tensor; of others
 * the pointer is set to null only. */
TFL_CAPI_EXPORT void TfLiteTensorDataFree(TfLiteTensor* t);
TFL_CAPI_EXPORT void TfLiteQuantizationFree(TfLiteQuantization* quantization);
TFL_CAPI_EXPORT void TfLiteSparsityFree(TfLiteSparsity* sparsity);
/* Data, dims, dims_signature, quantization, sparsity. */
TFL_CAPI_EXPORT void TfLiteTensorFree(TfLiteTensor* t);
/* Frees what the tensor holds and sets every field. */
TFL_CAPI_EXPORT void TfLiteTensorReset(TfLiteType type, const char* name,
                                       TfLiteIntArray* dims,
                                       TfLiteQuantizationParams quantization,
                                       char* buffer, size_t size,
                                       TfLiteAllocationType allocation_type,
                                       const void* allocation, bool is_variable,
                                       TfLiteTensor* tensor);
/* Type, dims, bytes of data, handle; the sizes must agree. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteTensorCopy(const TfLiteTensor* src,
                                              TfLiteTensor* dst);
/* New memory for a Dynamic or PersistentRo tensor; others stay as they are. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteTensorResizeMaybeCopy(size_t num_bytes,
                                                         TfLiteTensor* tensor,
                                                         bool preserve_data);
TFL_CAPI_EXPORT TfLiteStatus TfLiteTensorRealloc(size_t num_bytes,
                                                 TfLiteTensor* tensor);
/* The signature where the model has one, else the dims. */
TFL_CAPI_EXPORT const TfLiteIntArray* TfLiteTensorGetDimsSignature(
    const TfLiteTensor* t);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_TENSOR_H_ */
