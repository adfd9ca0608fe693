/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_ERROR_REPORTER_H_
#define MUNJA_TFLITE_SHORT_ERROR_REPORTER_H_

#include "tensorflow/lite/error_reporter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_ERROR_REPORTER_H_ */
