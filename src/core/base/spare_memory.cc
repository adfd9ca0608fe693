#include "base/spare_memory.h"

#include <sys/mman.h>

#include <utility>

#include "base/mapping.h"

namespace munja {

Result<Buffer> SpareMemory::Allocate(size_t bytes) {
  if (bytes < kMappedBytes) return Buffer::Allocate(bytes);
  Buffer spare;
  if (!is_taken_.test_and_set(std::memory_order_acquire)) {
    std::swap(spare, spare_);
    is_taken_.clear(std::memory_order_release);
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
  if (is_taken_.test_and_set(std::memory_order_acquire)) return;
  // The larger one stays; the other is freed by the thread that gave this one.
  if (buffer.size() >= spare_.size()) std::swap(buffer, spare_);
  is_taken_.clear(std::memory_order_release);
}

}  // namespace munja
