// Counts the allocations of a test program. It replaces operator new: one file
// of a program includes it.
#ifndef MUNJA_TESTS_COUNTED_ALLOCATIONS_H_
#define MUNJA_TESTS_COUNTED_ALLOCATIONS_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/sanitizers.h"

namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

// ThreadSanitizer brings an operator new of its own.
#if MUNJA_THREAD_SANITIZED
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
// Counts for the whole test binary; only differences are looked at.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  void* p = std::malloc(bytes > 0 ? bytes : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new(size_t bytes,
                                     const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
#endif

#endif  // MUNJA_TESTS_COUNTED_ALLOCATIONS_H_
