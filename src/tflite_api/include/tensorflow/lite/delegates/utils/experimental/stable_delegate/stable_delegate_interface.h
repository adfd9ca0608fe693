/* The variable by which a library of a delegate is found. */
#ifndef MUNJA_TFLITE_DELEGATES_UTILS_STABLE_DELEGATE_INTERFACE_H_
#define MUNJA_TFLITE_DELEGATES_UTILS_STABLE_DELEGATE_INTERFACE_H_

#include "tensorflow/lite/core/acceleration/configuration/c/stable_delegate.h"

#define TFL_STABLE_DELEGATE_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

extern TFL_STABLE_DELEGATE_EXPORT const TfLiteStableDelegate
    TFL_TheStableDelegate;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_DELEGATES_UTILS_STABLE_DELEGATE_INTERFACE_H_ */
