/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_

#include "tensorflow/lite/delegates/external/external_delegate.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_EXTERNAL_EXTERNAL_DELEGATE_H_ */
