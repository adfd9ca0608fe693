/* This machine as the library sees it: what it has for reading, what is
 * missing, and what to install. */
#ifndef MUNJA_SYSTEM_H_
#define MUNJA_SYSTEM_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* JSON: {"version", "simd" (vector instructions in use), "simd_supported"
 * (those of this build and processor, the best first), "half_precision"
 * ("fp16", "bf16" or "": what MUNJA_PRECISION_FLOAT16 multiplies), "threads"
 * (processors available to this process), "memory_bytes",
 * "available_memory_bytes" (0: not known), "formats": [{"name", "available",
 * "problem"?, "package"?}], "downloads": {"available", "problem"?, "package"?},
 * "accelerators": what munja_devices() answers}. "package" is the Debian
 * package that brings what is missing; it is absent where this build of the
 * library lacks the feature. Starts the programs that read PDF files to see
 * that they are there, and opens the drivers, as munja_devices() does;
 * driver_directories as there. munja_free(). */
MUNJA_API munja_status munja_system_describe(const char* driver_directories,
                                             char** json);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_SYSTEM_H_ */
