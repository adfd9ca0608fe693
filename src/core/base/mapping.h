// Which buffers lie in mappings of their own.
#ifndef MUNJA_BASE_MAPPING_H_
#define MUNJA_BASE_MAPPING_H_

#include <cstddef>
#include <cstdint>

#include "base/sanitizers.h"

namespace munja {

// Buffers of so many bytes are mapped and unmapped: malloc keeps blocks of up
// to 32 MiB (its mmap threshold rises with what is freed), and pictures of ever
// other sizes then leave holes that make a long-running process grow.
// Sanitizers need malloc to see overruns, and WebAssembly has no pages to map.
#ifdef __EMSCRIPTEN__
inline constexpr size_t kMappedBytes = SIZE_MAX;
#else
inline constexpr size_t kMappedBytes =
    kAddressSanitized ? SIZE_MAX : size_t{1} << 20;
#endif

}  // namespace munja

#endif  // MUNJA_BASE_MAPPING_H_
