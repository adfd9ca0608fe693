/* What a shared library with a delegate defines. */
#ifndef MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_INTERFACE_H_
#define MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_INTERFACE_H_

#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The options are pairs of texts, which stay the caller's. NULL on failure,
 * after a call of report_error, which may be NULL itself. */
TFL_EXTERNAL_DELEGATE_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* options_keys, const char* const* options_values,
    size_t num_options, void (*report_error)(const char*));

TFL_EXTERNAL_DELEGATE_EXPORT void tflite_plugin_destroy_delegate(
    TfLiteDelegate* delegate);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_INTERFACE_H_ */
