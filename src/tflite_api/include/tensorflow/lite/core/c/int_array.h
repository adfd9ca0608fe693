/* Arrays with their length in front: shapes, lists of indices, scales. */
#ifndef MUNJA_TFLITE_CORE_C_INT_ARRAY_H_
#define MUNJA_TFLITE_CORE_C_INT_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/c_api_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteIntArray {
  int size;
  int data[]; /* `size` entries. */
} TfLiteIntArray;

typedef struct TfLiteFloatArray {
  int size;
  float data[];
} TfLiteFloatArray;

/* Bytes of an array of `size` entries, its length included. */
TFL_CAPI_EXPORT size_t TfLiteIntArrayGetSizeInBytes(int size);
TFL_CAPI_EXPORT int TfLiteFloatArrayGetSizeInBytes(int size);

/* Freed with the function of the same prefix; NULL when there is no memory or
 * `size` is negative. The entries are not set. */
TFL_CAPI_EXPORT TfLiteIntArray* TfLiteIntArrayCreate(int size);
TFL_CAPI_EXPORT TfLiteFloatArray* TfLiteFloatArrayCreate(int size);
/* A new array; NULL gives NULL. */
TFL_CAPI_EXPORT TfLiteIntArray* TfLiteIntArrayCopy(const TfLiteIntArray* src);
TFL_CAPI_EXPORT TfLiteFloatArray* TfLiteFloatArrayCopy(
    const TfLiteFloatArray* src);
TFL_CAPI_EXPORT void TfLiteIntArrayFree(TfLiteIntArray* a);
TFL_CAPI_EXPORT void TfLiteFloatArrayFree(TfLiteFloatArray* a);

/* 1 when lengths and entries are the same, 0 otherwise. */
TFL_CAPI_EXPORT int TfLiteIntArrayEqual(const TfLiteIntArray* a,
                                        const TfLiteIntArray* b);
TFL_CAPI_EXPORT int TfLiteIntArrayEqualsArray(const TfLiteIntArray* a,
                                              int b_size, const int b_data[]);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_C_INT_ARRAY_H_ */
