/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_C_REGISTRATION_EXTERNAL_H_
#define MUNJA_TFLITE_SHORT_CORE_C_REGISTRATION_EXTERNAL_H_

#include "tensorflow/lite/core/c/registration_external.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_C_REGISTRATION_EXTERNAL_H_ */
