// Whether kernels written for NEON can be compiled: USE_NEON.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_

#if defined(__ARM_NEON__) || defined(__ARM_NEON)
#define USE_NEON
#include <arm_neon.h>  // IWYU pragma: export
#define NEON_OR_PORTABLE(funcname, ...) Neon##funcname(__VA_ARGS__)
#else
#define NEON_OR_PORTABLE(funcname, ...) Portable##funcname(__VA_ARGS__)
#endif

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_OPTIMIZED_NEON_CHECK_H_
