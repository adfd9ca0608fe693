/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_KERNELS_CPU_BACKEND_THREADPOOL_H_
#define MUNJA_TFLITE_SHORT_KERNELS_CPU_BACKEND_THREADPOOL_H_

#include "tensorflow/lite/kernels/cpu_backend_threadpool.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_KERNELS_CPU_BACKEND_THREADPOOL_H_ */
