// Forks: how the library goes on in a child that fork() made. Of the threads of
// the parent only the one that called fork() is there; locks that others held
// stay held permanently, and work that they had begun is never finished.
#ifndef MUNJA_BASE_FORK_H_
#define MUNJA_BASE_FORK_H_

#include <atomic>
#include <memory>
#include <mutex>

namespace munja {

namespace internal {
extern std::atomic<unsigned> fork_generation;
}

// How many forks lie between this process and the one that loaded the library:
// what was made under another number may count on no other thread. Costs
// nothing worth a thought.
inline unsigned ForkGeneration() noexcept {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// A mutex for process-wide objects that is free at the start of a
// child. What it guards must be usable after each single store, as a pointer
// that is set last is.
template <class Mutex = std::mutex>
class ForkSafeMutex {
 public:
  constexpr ForkSafeMutex() = default;
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  std::unique_lock<Mutex> Lock() { return std::unique_lock(Current()); }

 private:
  struct Made {
    unsigned generation = 0;
    Mutex mutex;
  };

  // A lock taken before a fork in this thread is given back to the mutex that
  // it is of. Those of parents are never destroyed: they may be held.
  Mutex& Current() {
    const unsigned generation = ForkGeneration();
    Made* made = current_.load(std::memory_order_acquire);
    while (made->generation != generation) {
      auto fresh = std::make_unique<Made>();
      fresh->generation = generation;
      if (current_.compare_exchange_strong(made, fresh.get(),
                                           std::memory_order_acq_rel))
        made = fresh.release();
    }
    return made->mutex;
  }

  Made first_;
  std::atomic<Made*> current_{&first_};
};

// An object that is made at its first use and never destroyed. Several threads
// may make it at once, and all but one throw theirs away: so a child does not
// wait for a thread that was making it, as it would for a static variable.
template <auto kMake>
const auto& MadeOnce() {
  using T = decltype(kMake());
  static constinit std::atomic<const T*> made{nullptr};
  const T* object = made.load(std::memory_order_acquire);
  if (object == nullptr) {
    auto fresh = std::make_unique<const T>(kMake());
    if (made.compare_exchange_strong(object, fresh.get(),
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      object = fresh.release();
  }
  return *object;
}

}  // namespace munja

#endif  // MUNJA_BASE_FORK_H_
