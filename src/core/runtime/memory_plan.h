// MemoryPlan: places buffers with known lifetimes in one arena.
#ifndef MUNJA_RUNTIME_MEMORY_PLAN_H_
#define MUNJA_RUNTIME_MEMORY_PLAN_H_

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"

namespace munja::runtime {

// Bytes that are in use from step `first` to step `last`, both included.
struct BufferRequest {
  size_t bytes = 0;
  int first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // One for each request, multiples of 64.
  size_t arena_bytes = 0;       // A multiple of 64.
};

// Two buffers that are in use at the same step never overlap; each starts on
// a cache line of its own. Needs quadratic time in the number of requests.
// kOutOfMemory when the arena would need more than `limit` bytes.
Result<MemoryPlan> PlanMemory(std::span<const BufferRequest> requests,
                              size_t limit);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_MEMORY_PLAN_H_
