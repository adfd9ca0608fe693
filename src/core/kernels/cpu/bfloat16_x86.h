// For files with instructions of AVX512_BF16, after their other headers:
// functions that are compiled for it and called where the CPU has it.
#ifndef MUNJA_KERNELS_CPU_BFLOAT16_X86_H_
#define MUNJA_KERNELS_CPU_BFLOAT16_X86_H_

#include "hwy/base.h"

// GCC's own header reads undefined vectors on purpose, and warns wherever it
// is used.
#if HWY_COMPILER_GCC_ACTUAL
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#define MUNJA_BF16 \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512bf16,fma")))
#define MUNJA_BF16_INLINE MUNJA_BF16 __attribute__((always_inline)) inline

#endif  // MUNJA_KERNELS_CPU_BFLOAT16_X86_H_
