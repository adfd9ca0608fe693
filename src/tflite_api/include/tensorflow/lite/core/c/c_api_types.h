/* Types that every part of the TensorFlow Lite C API speaks of. */
#ifndef MUNJA_TFLITE_CORE_C_C_API_TYPES_H_
#define MUNJA_TFLITE_CORE_C_C_API_TYPES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TFL_CAPI_EXPORT
#if defined(__GNUC__)
#define TFL_CAPI_EXPORT __attribute__((visibility("default")))
#else
#define TFL_CAPI_EXPORT
#endif
#endif

/* After the name of an enumeration that others hand in: as in C it holds any
 * int, also one without a name here, which C++ could not even look at
 * otherwise. */
#ifdef __cplusplus
#define TFL_ANY_INT : int
#else
#define TFL_ANY_INT
#endif

/* Numbers are part of the ABI: never change them. */
typedef enum TfLiteStatus TFL_ANY_INT {
  kTfLiteOk = 0,
  kTfLiteError = 1,            /* The runtime or an operator failed. */
  kTfLiteDelegateError = 2,    /* A delegate failed. */
  kTfLiteApplicationError = 3, /* The application asked for what cannot be. */
  kTfLiteDelegateDataNotFound = 4,
  kTfLiteDelegateDataWriteError = 5,
  kTfLiteDelegateDataReadError = 6,
  kTfLiteUnresolvedOps = 7, /* The model has unresolved operators. */
  kTfLiteCancelled = 8,
  /* An operator's prepare: the output shape is known in invoke only. */
  kTfLiteOutputShapeNotKnown = 9
} TfLiteStatus;

/* Not the numbers of the .tflite schema. */
typedef enum TfLiteType TFL_ANY_INT {
  kTfLiteNoType = 0,
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteString = 5,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteComplex64 = 8,
  kTfLiteInt8 = 9,
  kTfLiteFloat16 = 10,
  kTfLiteFloat64 = 11,
  kTfLiteComplex128 = 12,
  kTfLiteUInt64 = 13,
  kTfLiteResource = 14,
  kTfLiteVariant = 15,
  kTfLiteUInt32 = 16,
  kTfLiteUInt16 = 17,
  kTfLiteInt4 = 18,
  kTfLiteBFloat16 = 19,
  kTfLiteInt2 = 20,
  kTfLiteUInt4 = 21,
  kTfLiteFloat8E4M3FN = 22,
  kTfLiteFloat8E5M2 = 23
} TfLiteType;

/* Of a tensor with one scale; {0, 0} otherwise. */
typedef struct TfLiteQuantizationParams {
  float scale;
  int32_t zero_point;
} TfLiteQuantizationParams;

/* The same objects as TfLiteContext, TfLiteNode and TfLiteTensor, seen through
 * functions only. */
typedef struct TfLiteOpaqueContext TfLiteOpaqueContext;
typedef struct TfLiteOpaqueNode TfLiteOpaqueNode;
typedef struct TfLiteOpaqueTensor TfLiteOpaqueTensor;
typedef struct TfLiteOpaqueDelegateBuilder TfLiteOpaqueDelegateBuilder;

/* An operator made of functions on opaque objects: see operator.h. */
typedef struct TfLiteOperator TfLiteOperator;
typedef TfLiteOperator TfLiteRegistrationExternal; /* Its older name. */

typedef struct TfLiteDelegate TfLiteDelegate;
typedef struct TfLiteAsyncKernel TfLiteAsyncKernel;
#if defined(TFLITE_WITH_STABLE_ABI) || defined(TFLITE_USE_OPAQUE_DELEGATE)
typedef struct TfLiteOpaqueDelegateStruct TfLiteOpaqueDelegate;
#else
typedef TfLiteDelegate TfLiteOpaqueDelegate;
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_C_API_TYPES_H_ */
