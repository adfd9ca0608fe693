/* Where sources include it. */
#ifndef MUNJA_TFLITE_ACCELERATION_STABLE_DELEGATE_H_
#define MUNJA_TFLITE_ACCELERATION_STABLE_DELEGATE_H_

#include "tensorflow/lite/core/acceleration/configuration/c/stable_delegate.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_ACCELERATION_STABLE_DELEGATE_H_ */
