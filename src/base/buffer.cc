#include "base/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/mapping.h"

namespace munja {
namespace {

#if defined(MADV_HUGEPAGE)
// Touching memory for the first time costs more than computing in it: one
// fault for 2 MiB instead of 512. Such pages lie at multiples of their size,
// and so must the mapping, or its ends take a thousand small ones.
constexpr size_t kHugePage = size_t{2} << 20;

void* MapHuge(size_t bytes) {
  void* const wide = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (wide == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(wide);
  const uintptr_t data = RoundUp(begin, kHugePage);
  const uintptr_t end =
      RoundUp(data + bytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  if (data > begin) munmap(wide, data - begin);
  if (begin + bytes + kHugePage > end)
    munmap(reinterpret_cast<void*>(end), begin + bytes + kHugePage - end);
  // Where huge pages cannot be had nothing is lost.
  madvise(reinterpret_cast<void*>(data), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(data);
}
#endif

void* AllocateAligned(size_t bytes) {
  // PTRDIFF_MAX bounds every object; beyond it the rounding could wrap.
  if (bytes > static_cast<size_t>(PTRDIFF_MAX) - kBufferAlignment)
    return nullptr;
  if (bytes < kMappedBytes) {
    return std::aligned_alloc(kBufferAlignment,
                              RoundUp(bytes, kBufferAlignment));
  }
#if defined(MADV_HUGEPAGE)
  if (bytes >= kHugePage) return MapHuge(bytes);
#endif
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

}  // namespace

Result<Buffer> Buffer::Allocate(size_t bytes) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  buffer.data_ = static_cast<uint8_t*>(AllocateAligned(bytes));
  if (buffer.data_ == nullptr)
    return OutOfMemory("cannot allocate " + std::to_string(bytes) + " bytes");
  buffer.size_ = bytes;
  return buffer;
}

Result<Buffer> Buffer::AllocateZeroed(size_t bytes) {
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Allocate(bytes));
  if (bytes > 0)
    std::memset(buffer.data(), 0, RoundUp(bytes, kBufferAlignment));
  return buffer;
}

void Buffer::Free() {
  if (size_ < kMappedBytes)
    std::free(data_);
  else
    munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace munja
