/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_TOOLS_COMMAND_LINE_FLAGS_H_
#define MUNJA_TFLITE_SHORT_TOOLS_COMMAND_LINE_FLAGS_H_

#include "tensorflow/lite/tools/command_line_flags.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_TOOLS_COMMAND_LINE_FLAGS_H_ */
