#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/control.h"

namespace munja {
namespace {

// Long enough to bridge the gap between two operators of one network (a few
// microseconds), short enough not to burn a core between two calls.
constexpr int kSpins = 2000;

int AvailableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    const int n = CPU_COUNT(&set);
    if (n > 0) return n;
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

thread_local bool inside_loop = false;

// The ranges of a loop, not yet begun, that one thread begins with: loops over
// the same data, one after the other, find their part of it in the cache of
// their processor. On a line of its own in that cache.
class alignas(64) Share {
 public:
  void Set(size_t first, size_t end) {
    left_.store(Pack(first, end), std::memory_order_relaxed);
  }
  // The first one for its owner, the last one for others, so that what the
  // owner takes follows on what it took before. False when none is left.
  bool Take(bool is_owner, size_t* range) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    for (;;) {
      const uint64_t first = left >> 32, end = left & UINT32_MAX;
      if (first == end) return false;
      *range = static_cast<size_t>(is_owner ? first : end - 1);
      const uint64_t rest =
          is_owner ? Pack(first + 1, end) : Pack(first, end - 1);
      if (left_.compare_exchange_weak(left, rest, std::memory_order_relaxed))
        return true;
    }
  }

 private:
  static uint64_t Pack(uint64_t first, uint64_t end) {
    return first << 32 | end;
  }
  std::atomic<uint64_t> left_{0};
};

// Of a loop that threads share: as many as fit the halves of a number.
constexpr size_t kMostRanges = UINT32_MAX;

}  // namespace

struct ThreadPool::State {
  using Body = FunctionRef<void(size_t, size_t, int)>;

  explicit State(size_t threads) : shares(threads) {}

  // Also when not all workers could be started.
  ~State() {
    {
      std::lock_guard lock(mutex);
      stop = true;
      epoch.fetch_add(1, std::memory_order_release);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void RunRanges(const Body& run, int worker) {
    // Workers run under the limits of the call whose loop they share.
    const ControlScope scope(
        control, worker == 0 ? ControlScope::kCaller : ControlScope::kWorker);
    inside_loop = true;
    const size_t threads = shares.size();
    for (size_t i = 0; i < threads && !IsStopped(); ++i) {
      // Its own share, then what is left of the others'.
      Share& share = shares[(static_cast<size_t>(worker) + i) % threads];
      size_t range = 0;
      while (!IsStopped() && share.Take(i == 0, &range)) {
        const size_t begin = range * grain;
        run(begin, begin + std::min(grain, count - begin), worker);
      }
    }
    inside_loop = false;
  }

  // Cuts the loop for the workers.
  void Deal() {
    const size_t ranges = (count - 1) / grain + 1, threads = shares.size();
    const size_t each = ranges / threads, more = ranges % threads;
    size_t first = 0;
    for (size_t i = 0; i < threads; ++i) {
      const size_t end = first + each + (i < more ? 1 : 0);
      shares[i].Set(first, end);
      first = end;
    }
  }

  void Work(int worker) {
    unsigned seen = 0;
    for (;;) {
      for (int i = 0;
           i < kSpins && epoch.load(std::memory_order_acquire) == seen; ++i)
        Pause();
      if (epoch.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] {
          return epoch.load(std::memory_order_acquire) != seen;
        });
      }
      seen = epoch.load(std::memory_order_acquire);
      if (stop) return;
      RunRanges(*body, worker);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }

  std::mutex loop_mutex;  // Held by the thread whose loop the workers share.
  std::mutex mutex;
  std::condition_variable wake, done;
  std::atomic<unsigned> epoch{0};
  std::atomic<int> busy{0};
  std::vector<Share> shares;  // One for each thread.
  size_t count = 0, grain = 1;
  const Body* body = nullptr;
  Control* control = nullptr;  // Of the caller.
  bool stop = false;
  std::vector<std::thread> workers;
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads >= 1 ? threads : AvailableProcessors()),
      state_(std::make_unique<State>(static_cast<size_t>(threads_))) {
  State* const state = state_.get();
  state->workers.reserve(static_cast<size_t>(threads_) - 1);
  for (int i = 1; i < threads_; ++i)
    state->workers.emplace_back([state, i] { state->Work(i); });
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(size_t count, size_t grain,
                             FunctionRef<void(size_t, size_t, int)> body) {
  if (count == 0) return;
  grain = std::max<size_t>(grain, 1);
  State& s = *state_;
  std::unique_lock<std::mutex> loop(s.loop_mutex, std::defer_lock);
  if (threads_ == 1 || count <= grain || (count - 1) / grain >= kMostRanges ||
      inside_loop || !loop.try_lock()) {
    for (size_t begin = 0; begin < count && !IsStopped(); begin += grain)
      body(begin, std::min(begin + grain, count), 0);
    return;
  }
  s.count = count;
  s.grain = grain;
  s.body = &body;
  s.control = CurrentControl();
  s.Deal();
  s.busy.store(threads_ - 1, std::memory_order_relaxed);
  {
    std::lock_guard lock(s.mutex);
    s.epoch.fetch_add(1, std::memory_order_release);
  }
  s.wake.notify_all();
  s.RunRanges(body, 0);
  for (int i = 0; i < kSpins && s.busy.load(std::memory_order_acquire) != 0;
       ++i)
    Pause();
  if (s.busy.load(std::memory_order_acquire) != 0) {
    std::unique_lock lock(s.mutex);
    s.done.wait(lock,
                [&] { return s.busy.load(std::memory_order_acquire) == 0; });
  }
}

}  // namespace munja
