/* This machine: its vector instructions and measured peak throughput. */
#ifndef MUNJA_TOOLS_MACHINE_H_
#define MUNJA_TOOLS_MACHINE_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The vector instructions in use: "avx3" (AVX-512), "avx2", "sse4", "neon" or
 * "scalar"; the best of this processor unless selected. */
MUNJA_API const char* munja_simd_name(void);
/* Uses another set in the whole process, for tests and measurements; NULL or
 * "": the best. By one thread, while nothing runs. Models are packed for the
 * set in use: MUNJA_INVALID_ARGUMENT for another one while there are sessions
 * or engines. It names the sets that there are where `name` is none of them.
 * Text and boxes do not depend on the set. */
MUNJA_API munja_status munja_simd_select(const char* name);

/* Measured with the vector instructions in use; all threads together. */
typedef struct munja_machine_speed {
  size_t struct_size;
  /* Float multiply-adds, two operations each, 1e9 a second. */
  double fp32_gflops;
  /* A copy from one array to another that have copy_bytes together on each
   * thread: bytes read and written, 1e9 a second. Ascending by copy_bytes, from
   * what a first-level cache holds to what no cache does. */
  int64_t copy_bytes[4];
  double copy_gb_per_s[4];
  /* Multiply-adds of integers, two operations each, 1e9 a second, by the
   * instructions that integer operators use: of 8 bits by 8, and of activations
   * of 16 bits. */
  double int8_gops;
  double int16_gops;
} munja_machine_speed;

/* Takes about a tenth of a second and 64 MiB a thread. threads: as in
 * munja_session_options. */
MUNJA_API munja_status munja_measure_machine(int32_t threads,
                                             munja_machine_speed* speed);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_MACHINE_H_ */
