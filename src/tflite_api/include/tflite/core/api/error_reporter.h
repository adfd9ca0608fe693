/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_API_ERROR_REPORTER_H_
#define MUNJA_TFLITE_SHORT_CORE_API_ERROR_REPORTER_H_

#include "tensorflow/lite/core/api/error_reporter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_API_ERROR_REPORTER_H_ */
