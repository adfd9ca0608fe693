/* What a library of a delegate without layouts says of itself. */
#ifndef MUNJA_TFLITE_CORE_ACCELERATION_STABLE_DELEGATE_H_
#define MUNJA_TFLITE_CORE_ACCELERATION_STABLE_DELEGATE_H_

#include "tensorflow/lite/core/acceleration/configuration/c/delegate_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFL_STABLE_DELEGATE_ABI_VERSION "1.0.0"

typedef struct TfLiteStableDelegate {
  const char* delegate_abi_version;
  const char* delegate_name;
  const char* delegate_version;
  const TfLiteOpaqueDelegatePlugin* delegate_plugin;
} TfLiteStableDelegate;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_CORE_ACCELERATION_STABLE_DELEGATE_H_ */
