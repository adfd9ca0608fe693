/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_
#define MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_

#include "tensorflow/lite/delegates/gpu/common/mediapipe/options_reader.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_ \
        */
