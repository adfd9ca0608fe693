/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_UTILS_EXPERIMENTAL_STABLE_DELEGATE_STABLE_DELEGATE_INTERFACE_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_UTILS_EXPERIMENTAL_STABLE_DELEGATE_STABLE_DELEGATE_INTERFACE_H_

#include "tensorflow/lite/delegates/utils/experimental/stable_delegate/stable_delegate_interface.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_UTILS_EXPERIMENTAL_STABLE_DELEGATE_STABLE_DELEGATE_INTERFACE_H_ \
        */
