/* Delegates in shared libraries, loaded while the program runs.
 *
 * The library shows two functions:
 *   TfLiteDelegate* tflite_plugin_create_delegate(
 *       const char* const* options_keys, const char* const* options_values,
 *       size_t num_options, void (*report_error)(const char*));
 *   void tflite_plugin_destroy_delegate(TfLiteDelegate*);
 */
#ifndef MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_
#define MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_

#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define kExternalDelegateMaxOptions 256

typedef struct TfLiteExternalDelegateOptions {
  const char* lib_path;
  int count;
  const char* keys[kExternalDelegateMaxOptions];
  const char* values[kExternalDelegateMaxOptions];
  /* Adds an option; kTfLiteError when there is no room. Text is not copied. */
  TfLiteStatus (*insert)(struct TfLiteExternalDelegateOptions* options,
                         const char* key, const char* value);
} TfLiteExternalDelegateOptions;

TFL_CAPI_EXPORT TfLiteStatus TfLiteExternalDelegateOptionsInsert(
    TfLiteExternalDelegateOptions* options, const char* key, const char* value);
/* No options, and `insert` set. */
TFL_CAPI_EXPORT TfLiteExternalDelegateOptions
TfLiteExternalDelegateOptionsDefault(const char* lib_path);
/* NULL when the library, one of its functions or the delegate is missing. */
TFL_CAPI_EXPORT TfLiteDelegate* TfLiteExternalDelegateCreate(
    const TfLiteExternalDelegateOptions* options);
/* After the interpreters that use it. */
TFL_CAPI_EXPORT void TfLiteExternalDelegateDelete(TfLiteDelegate* delegate);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_ */
