/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_CORE_C_REGISTRATION_EXTERNAL_H_
#define MUNJA_TFLITE_CORE_C_REGISTRATION_EXTERNAL_H_

#include "tensorflow/lite/core/c/operator.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_CORE_C_REGISTRATION_EXTERNAL_H_ */
