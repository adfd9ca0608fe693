#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/control.h"
#include "base/fork.h"

namespace munja {
namespace {

// Long enough to bridge the gap between two operators of one network (a few
// microseconds), short enough not to burn a core between two calls.
constexpr int kSpins = 2000;

int AvailableProcessors() {
#ifndef __EMSCRIPTEN__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    const int n = CPU_COUNT(&set);
    if (n > 0) return n;
  }
#endif
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

class InsideLoop {
 public:
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
  InsideLoop(const InsideLoop&) = delete;
  InsideLoop& operator=(const InsideLoop&) = delete;
};

// The ranges of a loop, not yet begun, that one thread begins with: loops over
// the same data, one after the other, find their part of it in the cache of
// their processor. On a line of its own in that cache.
class alignas(64) Share {
 public:
  void Set(size_t first, size_t end) {
    left_.store(Pack(first, end), std::memory_order_relaxed);
  }
  // No worker claims the remaining ranges.
  void Clear() { left_.store(Pack(0, 0), std::memory_order_relaxed); }
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

// Limit of the ranges of a shared loop: two counters are packed in one word.
constexpr size_t kMostRanges = UINT32_MAX;

using Body = FunctionRef<void(size_t, size_t, int)>;

// One loop, as the thread that calls ParallelFor hands it to the workers.
struct Loop {
  size_t count = 0, grain = 1;
  const Body* body = nullptr;
  // State of the calling thread that the workers adopt.
  Control* control = nullptr;
};

// The caller and its workers. thread_pool_model_test.cc has a model of what
// follows, which it runs in every order of its steps; the numbers in comments,
// [C1], [W1], are those of its steps. Change both together.
class Team {
 public:
  // With fewer threads if the system refuses more.
  explicit Team(int threads) : shares_(static_cast<size_t>(threads)) {
    workers_.reserve(static_cast<size_t>(threads) - 1);
    try {
      for (int i = 1; i < threads; ++i)
        workers_.emplace_back([this, i] { Work(i); });
    } catch (const std::exception&) {  // No thread, or no memory for one.
    }
    // Threads at work already wait for the first loop: they read no shares.
    threads_ = static_cast<int>(workers_.size()) + 1;
  }

  ~Team() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;                                    // [D1]
      epoch_.fetch_add(1, std::memory_order_release);  // [D1]
    }
    wake_.notify_all();                                  // [D2]
    for (std::thread& worker : workers_) worker.join();  // [D3]
  }

  int threads() const { return threads_; }

  // For one that another process runs: kept where leak checkers see it.
  void Abandon() {
    static constinit std::atomic<Team*> abandoned{nullptr};
    next_abandoned_ = abandoned.load();
    while (!abandoned.compare_exchange_weak(next_abandoned_, this)) {
    }
  }

  // False: another thread's loop is being run, and nothing was done.
  bool TryRun(const Loop& loop) {
    std::unique_lock<std::mutex> lock(loop_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    loop_ = loop;
    Deal();                                                // [C1]
    busy_.store(threads_ - 1, std::memory_order_relaxed);  // [C2]
    {
      std::lock_guard wake_lock(mutex_);
      epoch_.fetch_add(1, std::memory_order_release);  // [C3]
    }
    wake_.notify_all();  // [C4]
    RunRanges(0);        // [C5]
    for (int i = 0; i < kSpins && busy_.load(std::memory_order_acquire) != 0;
         ++i)
      Pause();
    if (busy_.load(std::memory_order_acquire) != 0) {  // [C6]
      std::unique_lock done_lock(mutex_);
      done_.wait(done_lock, [&] {  // [C7]
        return busy_.load(std::memory_order_acquire) == 0;
      });
    }
    // No worker looks at the loop any more.
    if (has_thrown_.load(std::memory_order_relaxed)) {  // [C8]
      has_thrown_.store(false, std::memory_order_relaxed);
      std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    return true;
  }

 private:
  // Cuts the loop for the threads.
  void Deal() {
    const auto threads = static_cast<size_t>(threads_);
    const size_t ranges = (loop_.count - 1) / loop_.grain + 1;
    const size_t each = ranges / threads, more = ranges % threads;
    size_t first = 0;
    for (size_t i = 0; i < threads; ++i) {
      const size_t end = first + each + (i < more ? 1 : 0);
      shares_[i].Set(first, end);
      first = end;
    }
  }

  // An exception of a body reaches the caller when all threads have left the
  // loop; ranges that were not started are skipped.
  void RunRanges(int worker) noexcept {
    // Workers run under the limits of the call whose loop they share.
    const ControlScope scope(loop_.control, worker == 0
                                                ? ControlScope::kTelling
                                                : ControlScope::kSilent);
    const InsideLoop inside;
    try {
      TakeRanges(worker);  // [R1]
    } catch (...) {
      // Only the first to throw writes, and the caller reads after busy_.
      if (!has_thrown_.exchange(true, std::memory_order_relaxed))  // [R2]
        thrown_ = std::current_exception();
      for (Share& share : shares_) share.Clear();  // [R3]
    }
  }

  void TakeRanges(int worker) {
    const auto threads = static_cast<size_t>(threads_);
    const size_t count = loop_.count, grain = loop_.grain;
    const Body& run = *loop_.body;
    for (size_t i = 0; i < threads && !IsStopped(); ++i) {
      // Its own share, then what is left of the others'.
      Share& share = shares_[(static_cast<size_t>(worker) + i) % threads];
      size_t range = 0;
      while (!IsStopped() && share.Take(i == 0, &range)) {
        const size_t begin = range * grain;
        run(begin, begin + std::min(grain, count - begin), worker);
      }
    }
  }

  void Work(int worker) {
    unsigned seen = 0;
    for (;;) {
      for (int i = 0;
           i < kSpins && epoch_.load(std::memory_order_acquire) == seen; ++i)
        Pause();
      if (epoch_.load(std::memory_order_acquire) == seen) {  // [W1]
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] {  // [W2]
          return epoch_.load(std::memory_order_acquire) != seen;
        });
      }
      seen = epoch_.load(std::memory_order_acquire);  // [W3]
      if (stop_) return;
      RunRanges(worker);
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {  // [W4]
        std::lock_guard lock(mutex_);
        done_.notify_one();  // [W5]
      }
    }
  }

  std::mutex loop_mutex_;  // Held by the thread whose loop the workers share.
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<unsigned> epoch_{0};
  std::atomic<int> busy_{0};
  std::vector<Share> shares_;  // One for each thread, or more.
  Loop loop_;
  std::atomic<bool> has_thrown_{false};
  std::exception_ptr thrown_;
  bool stop_ = false;
  int threads_ = 1;
  std::vector<std::thread> workers_;
  Team* next_abandoned_ = nullptr;
};

}  // namespace

// The team of this process. A child has none of the workers of its parent, and
// its locks may be held by threads that are not there: the team is left as it
// is, never touched again, and the first loop makes another one.
class ThreadPool::State {
 public:
  explicit State(int threads)
      : team_(new Team(threads)),
        threads_(team_->threads()),
        mark_(Mark(ForkGeneration())) {}

  ~State() {
    if (mark_.load() == Mark(ForkGeneration()))
      delete team_;
    else
      team_->Abandon();
  }

  int threads() const { return threads_; }

  // Null while another thread of a child makes it.
  Team* team() {
    const uint64_t current = Mark(ForkGeneration());
    if (mark_.load(std::memory_order_acquire) == current) return team_;
    return MakeAnew(current);
  }

 private:
  // Even: the team is that of this generation. The next one: it is being made.
  static uint64_t Mark(unsigned generation) { return uint64_t{2} * generation; }

  Team* MakeAnew(uint64_t current) {
    uint64_t mark = mark_.load(std::memory_order_acquire);
    if (mark == current) return team_;
    if (mark == current + 1 ||
        !mark_.compare_exchange_strong(mark, current + 1,
                                       std::memory_order_acquire))
      return nullptr;
    try {
      auto made = std::make_unique<Team>(threads_);
      team_->Abandon();
      team_ = made.release();
    } catch (const std::exception&) {  // No memory: another loop tries again.
      mark_.store(mark, std::memory_order_release);
      return nullptr;
    }
    mark_.store(current, std::memory_order_release);
    return team_;
  }

  Team* team_;
  const int threads_;
  std::atomic<uint64_t> mark_;
};

ThreadPool::ThreadPool(int threads)
    : state_(std::make_unique<State>(threads >= 1 ? threads
                                                  : AvailableProcessors())) {
  threads_ = state_->threads();
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(size_t count, size_t grain,
                             FunctionRef<void(size_t, size_t, int)> body) {
  if (count == 0) return;
  grain = std::max<size_t>(grain, 1);
  if (threads_ > 1 && count > grain && (count - 1) / grain < kMostRanges &&
      !inside_loop) {
    Team* const team = state_->team();
    if (team != nullptr &&
        team->TryRun({count, grain, &body, CurrentControl()}))
      return;
  }
  for (size_t begin = 0; begin < count && !IsStopped(); begin += grain)
    body(begin, std::min(begin + grain, count), 0);
}

}  // namespace munja
