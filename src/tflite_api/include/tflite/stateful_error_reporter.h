/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_STATEFUL_ERROR_REPORTER_H_
#define MUNJA_TFLITE_SHORT_STATEFUL_ERROR_REPORTER_H_

#include "tensorflow/lite/stateful_error_reporter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_STATEFUL_ERROR_REPORTER_H_ */
