#include "failing_allocator.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace munja::hostile {
namespace {

thread_local int64_t left = -1;  // Allocations until one fails; -1: none does.
thread_local bool failed = false;
std::atomic<int64_t> left_of_all = -1;
std::atomic<bool> failed_of_all = false;
std::atomic<int64_t> live = 0;
std::atomic<int64_t> blocks = 0, bytes = 0, mappings = 0;

void Count(std::size_t size) {
  ++blocks;
  bytes += static_cast<int64_t>(size);
}

constexpr int kMostCallers = 64;
void* callers[kMostCallers];
int caller_count = 0;

// Also for a breakpoint: who asked for memory that is not given.
[[gnu::noinline]] void FailsHere() {
  caller_count = backtrace(callers, kMostCallers);
}

bool MustFail() {
  if (left >= 0 && left-- == 0) {
    failed = true;
    FailsHere();
    return true;
  }
  if (left_of_all.load(std::memory_order_relaxed) < 0 ||
      left_of_all.fetch_sub(1, std::memory_order_relaxed) != 0)
    return false;
  failed_of_all = true;
  FailsHere();
  return true;
}

void* Take(std::size_t size, std::size_t alignment) {
  if (MustFail()) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment < sizeof(void*) ? 16 : alignment,
                     size == 0 ? 1 : size) != 0)
    return nullptr;
  ++live;
  Count(size);
  return memory;
}

void* TakeOrThrow(std::size_t size, std::size_t alignment) {
  void* const memory = Take(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Give(void* memory) {
  if (memory == nullptr) return;
  --live;
  std::free(memory);
}

}  // namespace

FailingAllocation::FailingAllocation(int64_t number, CountedThreads threads)
    : number_(number), threads_(threads) {
  backtrace(callers, 1);  // Loads what it needs.
  if (threads_ == CountedThreads::kAll) {
    failed_of_all = false;
    left_of_all = number;
  } else {
    failed = false;
    left = number;
  }
}
FailingAllocation::~FailingAllocation() {
  if (threads_ == CountedThreads::kAll)
    left_of_all = -1;
  else
    left = -1;
}
bool FailingAllocation::was_in(const char* library) const {
  if (!has_failed()) return false;
  for (int i = 0; i < caller_count; ++i) {
    Dl_info info;
    if (dladdr(callers[i], &info) != 0 && info.dli_fname != nullptr &&
        std::strstr(info.dli_fname, library) != nullptr)
      return true;
  }
  return false;
}
bool FailingAllocation::has_failed() const {
  return threads_ == CountedThreads::kAll ? failed_of_all.load() : failed;
}
int64_t FailingAllocation::counted() const {
  return number_ -
         (threads_ == CountedThreads::kAll ? left_of_all.load() : left);
}

int64_t LiveBlocks() { return live; }

AllocationCount AllocationsSoFar() { return {blocks, bytes, mappings}; }

}  // namespace munja::hostile

using munja::hostile::Give;
using munja::hostile::Take;
using munja::hostile::TakeOrThrow;

void* operator new(std::size_t n) { return TakeOrThrow(n, 16); }
void* operator new[](std::size_t n) { return TakeOrThrow(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
  return TakeOrThrow(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return TakeOrThrow(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return Take(n, 16);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return Take(n, 16);
}
void operator delete(void* p) noexcept { Give(p); }
void operator delete[](void* p) noexcept { Give(p); }
void operator delete(void* p, std::size_t) noexcept { Give(p); }
void operator delete[](void* p, std::size_t) noexcept { Give(p); }
void operator delete(void* p, std::align_val_t) noexcept { Give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { Give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  Give(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  Give(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept { Give(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { Give(p); }

// Buffer allocates its memory with this function.
extern "C" void* aligned_alloc(std::size_t alignment,
                               std::size_t size) noexcept {
  if (munja::hostile::MustFail()) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) return nullptr;
  munja::hostile::Count(size);
  return memory;
}

extern "C" void* mmap(void* address, std::size_t size, int protection,
                      int flags, int file, off_t offset) noexcept {
  ++munja::hostile::mappings;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
