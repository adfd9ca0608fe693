/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_
#define MUNJA_TFLITE_SHORT_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_

#include "tensorflow/lite/tools/delegates/delegate_provider.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_TOOLS_DELEGATES_DELEGATE_PROVIDER_H_ */
