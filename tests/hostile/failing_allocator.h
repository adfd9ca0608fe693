// Memory that runs out when a test wants it to. Linking failing_allocator.cc
// replaces operator new, aligned_alloc and mmap of the whole program.
#ifndef MUNJA_TESTS_HOSTILE_FAILING_ALLOCATOR_H_
#define MUNJA_TESTS_HOSTILE_FAILING_ALLOCATOR_H_

#include <cstdint>

namespace munja::hostile {

enum class CountedThreads { kThisOne, kAll };

// While one lives, the allocation `number` (from 0 on) of the threads that are
// counted fails, and no other.
class FailingAllocation {
 public:
  explicit FailingAllocation(int64_t number,
                             CountedThreads threads = CountedThreads::kThisOne);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  bool has_failed() const;
  // The one that failed was asked for by a library of this name, or below it.
  bool was_in(const char* library) const;
  // So many were counted until now.
  int64_t counted() const;

 private:
  const int64_t number_;
  const CountedThreads threads_;
};

// Blocks that operator new gave to any thread and that were not deleted.
int64_t LiveBlocks();

// The allocations of all threads since the program started.
struct AllocationCount {
  int64_t blocks = 0;  // Calls of operator new and aligned_alloc.
  int64_t bytes = 0;
  int64_t mappings = 0;  // mmap, where Buffer takes large ones from.
};
AllocationCount AllocationsSoFar();

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_FAILING_ALLOCATOR_H_
