/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_OPTIONAL_DEBUG_TOOLS_H_
#define MUNJA_TFLITE_SHORT_OPTIONAL_DEBUG_TOOLS_H_

#include "tensorflow/lite/optional_debug_tools.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_OPTIONAL_DEBUG_TOOLS_H_ */
