#include "base/spare_memory.h"

#include <sys/mman.h>

#include <utility>

#include "base/mapping.h"

namespace munja {

Result<Buffer> SpareMemory::Allocate(size_t bytes) {
  if (bytes < kMappedBytes) return Buffer::Allocate(bytes);
  Buffer spare;
  {
    const std::lock_guard lock(mutex_);
    std::swap(spare, spare_);
  }
  if (bytes <= spare.size() && spare.size() / 2 <= bytes) return spare;
  spare = Buffer();
  return Buffer::Allocate(bytes);
}

void SpareMemory::GiveBack(Buffer buffer) {
  if (buffer.size() < kMappedBytes || buffer.size() > kMostBytes) return;
#if defined(MADV_FREE)
  madvise(buffer.data(), buffer.size(), MADV_FREE);
#endif
  // The larger one stays; the other is freed when the lock is, too.
  const std::lock_guard lock(mutex_);
  if (buffer.size() >= spare_.size()) std::swap(buffer, spare_);
}

}  // namespace munja
