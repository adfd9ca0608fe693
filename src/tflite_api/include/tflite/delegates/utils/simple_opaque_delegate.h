/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_

#include "tensorflow/lite/delegates/utils/simple_opaque_delegate.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_ */
