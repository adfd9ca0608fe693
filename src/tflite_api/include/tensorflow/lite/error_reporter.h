/* The place where older sources look for it. */
#ifndef MUNJA_TFLITE_ERROR_REPORTER_H_
#define MUNJA_TFLITE_ERROR_REPORTER_H_

#include "tensorflow/lite/core/api/error_reporter.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_ERROR_REPORTER_H_ */
