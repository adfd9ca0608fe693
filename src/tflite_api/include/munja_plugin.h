/* Operators in shared libraries, for programs that load them while they run:
 * munja run --operators LIBRARY, munja_resolver_load.
 *
 * The library shows one function, which lists operators written against the
 * TensorFlow Lite C API:
 *
 *   static const TfLiteRegistration kSin = {NULL, NULL, SinPrepare, SinEval};
 *   static const munja_plugin_operator kOperators[] = {
 *       {sizeof(TfLiteRegistration), "Sin", 0, &kSin}};
 *
 *   MUNJA_PLUGIN_EXPORT const munja_plugin_operator* munja_plugin_operators(
 *       size_t* count) {
 *     *count = 1;
 *     return kOperators;
 *   }
 */
#ifndef MUNJA_TFLITE_MUNJA_PLUGIN_H_
#define MUNJA_TFLITE_MUNJA_PLUGIN_H_

#include <stddef.h>

#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
#define MUNJA_PLUGIN_EXPORT extern "C" TFL_EXTERNAL_DELEGATE_EXPORT
extern "C" {
#else
#define MUNJA_PLUGIN_EXPORT TFL_EXTERNAL_DELEGATE_EXPORT
#endif

typedef struct munja_plugin_operator {
  /* sizeof(TfLiteRegistration) where the library was compiled: fields that its
   * headers did not have yet count as zero. */
  size_t registration_size;
  /* As the model has it: "Sin"; for a builtin the schema's name, "ADD". */
  const char* name;
  /* Nonzero: takes the place of the builtin operator. */
  int is_builtin;
  const TfLiteRegistration* registration;
} munja_plugin_operator;

/* The operators that the library defines. The list and all that it points at
 * stay as they are as long as the library is open, which is to the end of the
 * program. */
TFL_EXTERNAL_DELEGATE_EXPORT const munja_plugin_operator*
munja_plugin_operators(size_t* count);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_MUNJA_PLUGIN_H_ */
