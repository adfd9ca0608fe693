#include "base/fork.h"

#include <pthread.h>

namespace munja {

constinit std::atomic<unsigned> internal::fork_generation{0};

namespace {

void CountFork() {
  internal::fork_generation.fetch_add(1, std::memory_order_relaxed);
}

// When the library is loaded, before any other thread can use it. Where there
// is no memory for that a child does as if there had been no fork.
[[maybe_unused]] const int registration =
    pthread_atfork(nullptr, nullptr, CountFork);

}  // namespace
}  // namespace munja
