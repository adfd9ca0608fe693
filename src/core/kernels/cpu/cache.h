// Parameters for splitting work: the caches of one thread, and the size of a
// task.
#ifndef MUNJA_KERNELS_CPU_CACHE_H_
#define MUNJA_KERNELS_CPU_CACHE_H_

#include <cstddef>

namespace munja::kernels {

// In bytes, of usual processors: kernels split their work in the same way on
// every machine.
inline constexpr size_t kFirstLevelCache = size_t{48} << 10;
inline constexpr size_t kSecondLevelCache = size_t{512} << 10;

// Multiply-accumulates of a task: so many that handing it out costs nothing,
// and so few that a small layer still splits. kSmallTask: of work that memory
// bounds, or that is short altogether.
inline constexpr size_t kTask = size_t{1} << 20;
inline constexpr size_t kMediumTask = size_t{1} << 18;
inline constexpr size_t kSmallTask = size_t{1} << 16;

// In bytes: the second-level cache of this machine as the system says, at most
// 4 MiB, or kSecondLevelCache where it does not say. From any thread.
size_t SecondLevelCacheBytes();

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CPU_CACHE_H_
