/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_CORE_SUBGRAPH_H_
#define MUNJA_TFLITE_SHORT_CORE_SUBGRAPH_H_

#include "tensorflow/lite/core/subgraph.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_CORE_SUBGRAPH_H_ */
