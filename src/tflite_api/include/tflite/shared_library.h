/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_SHARED_LIBRARY_H_
#define MUNJA_TFLITE_SHORT_SHARED_LIBRARY_H_

#include "tensorflow/lite/shared_library.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_SHARED_LIBRARY_H_ */
