/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_LOGGER_H_
#define MUNJA_TFLITE_SHORT_LOGGER_H_

#include "tensorflow/lite/logger.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_LOGGER_H_ */
