/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_SIGNATURE_RUNNER_H_
#define MUNJA_TFLITE_SHORT_CORE_SIGNATURE_RUNNER_H_

#include "tensorflow/lite/core/signature_runner.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_SIGNATURE_RUNNER_H_ */
