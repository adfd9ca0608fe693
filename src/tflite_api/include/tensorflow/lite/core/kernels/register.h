// Where newer sources look for the class.
#ifndef MUNJA_TFLITE_CORE_KERNELS_REGISTER_H_
#define MUNJA_TFLITE_CORE_KERNELS_REGISTER_H_

#include "tensorflow/lite/kernels/register.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_CORE_KERNELS_REGISTER_H_
