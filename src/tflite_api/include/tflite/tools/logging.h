/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_TOOLS_LOGGING_H_
#define MUNJA_TFLITE_SHORT_TOOLS_LOGGING_H_

#include "tensorflow/lite/tools/logging.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_TOOLS_LOGGING_H_ */
