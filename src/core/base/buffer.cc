#include "base/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/control.h"
#include "base/mapping.h"

namespace munja {
namespace {

// Lies before the bytes of each buffer. Mappings keep a page for it, so that
// their bytes begin where those of mappings do.
struct alignas(kBufferAlignment) Head {
  MemoryAccount* account;  // Null: none.
};

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

#if defined(MADV_HUGEPAGE)
// Touching memory for the first time costs more than computing in it: one
// fault for 2 MiB instead of 512. Such pages lie at multiples of their size,
// and so must the bytes, or their ends take a thousand small ones.
constexpr size_t kHugePage = size_t{2} << 20;
#else
constexpr size_t kHugePage = SIZE_MAX;
#endif

// Pages for `bytes` after one for the head.
uint8_t* Map(size_t bytes) {
  const size_t page = PageBytes();
  const size_t alignment = bytes >= kHugePage ? kHugePage : page;
  const size_t length = bytes + page + (alignment > page ? alignment : 0);
  void* const wide = mmap(nullptr, length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (wide == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(wide);
  const uintptr_t data = RoundUp(begin + page, alignment);
  const uintptr_t end = RoundUp(data + bytes, page);
  if (data - page > begin) munmap(wide, data - page - begin);
  if (begin + length > end)
    munmap(reinterpret_cast<void*>(end), begin + length - end);
#if defined(MADV_HUGEPAGE)
  // Where huge pages cannot be had nothing is lost.
  if (alignment == kHugePage)
    madvise(reinterpret_cast<void*>(data), bytes, MADV_HUGEPAGE);
#endif
  return reinterpret_cast<uint8_t*>(data);
}

uint8_t* AllocateAligned(size_t bytes) {
  // PTRDIFF_MAX bounds every object; beyond it the rounding could wrap.
  constexpr size_t kMost = static_cast<size_t>(PTRDIFF_MAX) - (size_t{4} << 20);
  if (bytes > kMost) return nullptr;
  if (bytes >= kMappedBytes) return Map(bytes);
  const size_t size = sizeof(Head) + RoundUp(bytes, kBufferAlignment);
#ifdef __ANDROID__  // Has aligned_alloc() from API level 28 on.
  void* block = nullptr;
  if (posix_memalign(&block, kBufferAlignment, size) != 0) return nullptr;
#else
  void* const block = std::aligned_alloc(kBufferAlignment, size);
#endif
  return block == nullptr ? nullptr
                          : static_cast<uint8_t*>(block) + sizeof(Head);
}

Head* HeadOf(uint8_t* data) {
  return reinterpret_cast<Head*>(data - sizeof(Head));
}

}  // namespace

Result<Buffer> Buffer::Allocate(size_t bytes) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  MemoryAccount* account = nullptr;
  MUNJA_RETURN_IF_ERROR(TakeMemory(bytes, &account));
  buffer.data_ = AllocateAligned(bytes);
  if (buffer.data_ == nullptr) {
    if (account != nullptr) account->Give(bytes);
    return OutOfMemory("cannot allocate " + std::to_string(bytes) + " bytes");
  }
  HeadOf(buffer.data_)->account = account;
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
  if (data_ == nullptr) return;
  Head* const head = HeadOf(data_);
  if (head->account != nullptr) head->account->Give(size_);
  if (size_ < kMappedBytes) {
    std::free(head);
  } else {
    munmap(data_ - PageBytes(), size_ + PageBytes());
  }
  data_ = nullptr;
  size_ = 0;
}

}  // namespace munja
