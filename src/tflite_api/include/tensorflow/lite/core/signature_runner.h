// Where newer sources look for the class.
#ifndef MUNJA_TFLITE_CORE_SIGNATURE_RUNNER_H_
#define MUNJA_TFLITE_CORE_SIGNATURE_RUNNER_H_

#include "tensorflow/lite/signature_runner.h"  // IWYU pragma: export

#endif  // MUNJA_TFLITE_CORE_SIGNATURE_RUNNER_H_
