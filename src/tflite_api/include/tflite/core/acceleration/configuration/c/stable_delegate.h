/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_ACCELERATION_CONFIGURATION_C_STABLE_DELEGATE_H_
#define MUNJA_TFLITE_SHORT_CORE_ACCELERATION_CONFIGURATION_C_STABLE_DELEGATE_H_

#include "tensorflow/lite/core/acceleration/configuration/c/stable_delegate.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_ACCELERATION_CONFIGURATION_C_STABLE_DELEGATE_H_ \
        */
