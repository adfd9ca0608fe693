/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_TOOLS_TOOL_PARAMS_H_
#define MUNJA_TFLITE_SHORT_TOOLS_TOOL_PARAMS_H_

#include "tensorflow/lite/tools/tool_params.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_TOOLS_TOOL_PARAMS_H_ */
