/* Functions that make a delegate from its settings. */
#ifndef MUNJA_TFLITE_CORE_ACCELERATION_DELEGATE_PLUGIN_H_
#define MUNJA_TFLITE_CORE_ACCELERATION_DELEGATE_PLUGIN_H_

#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `tflite_settings`: a FlatBuffer of the delegate's own schema; may be null. */
typedef TfLiteDelegate* TfLiteDelegatePluginCreateFunc(
    const void* tflite_settings);
typedef void TfLiteDelegatePluginDestroyFunc(TfLiteDelegate* delegate);
typedef int TfLiteDelegatePluginGetDelegateErrnoFunc(TfLiteDelegate* delegate);

typedef struct TfLiteDelegatePlugin {
  TfLiteDelegatePluginCreateFunc* create;
  TfLiteDelegatePluginDestroyFunc* destroy;
  TfLiteDelegatePluginGetDelegateErrnoFunc* get_delegate_errno;
} TfLiteDelegatePlugin;

/* Opaque delegates have the same functions. */
typedef TfLiteOpaqueDelegate* TfLiteOpaqueDelegatePluginCreateFunc(
    const void* tflite_settings);
typedef void TfLiteOpaqueDelegatePluginDestroyFunc(
    TfLiteOpaqueDelegate* delegate);
typedef int TfLiteOpaqueDelegatePluginGetDelegateErrnoFunc(
    TfLiteOpaqueDelegate* delegate);

typedef struct TfLiteOpaqueDelegatePlugin {
  TfLiteOpaqueDelegatePluginCreateFunc* create;
  TfLiteOpaqueDelegatePluginDestroyFunc* destroy;
  TfLiteOpaqueDelegatePluginGetDelegateErrnoFunc* get_delegate_errno;
} TfLiteOpaqueDelegatePlugin;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_ACCELERATION_DELEGATE_PLUGIN_H_ */
