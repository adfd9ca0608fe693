/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_MINIMAL_LOGGING_H_
#define MUNJA_TFLITE_SHORT_MINIMAL_LOGGING_H_

#include "tensorflow/lite/minimal_logging.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_MINIMAL_LOGGING_H_ */
