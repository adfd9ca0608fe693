#include "kernels/cpu/cache.h"

#include <unistd.h>

#include <algorithm>

namespace munja::kernels {

size_t SecondLevelCacheBytes() {
  constexpr long kLargest = 4096 << 10;
  long bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
  bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return bytes <= 0 ? kSecondLevelCache
                    : static_cast<size_t>(std::min(bytes, kLargest));
}

}  // namespace munja::kernels
