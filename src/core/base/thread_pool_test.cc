#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "base/sanitizers.h"

namespace munja {
namespace {

// Waits until it is true; false when it does not become so in half a minute.
bool WaitFor(const std::function<bool()>& is_true) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// A loop of the pool runs on all of its threads: each waits for the others in
// its first range.
bool UsesAllThreads(ThreadPool& pool) {
  const auto threads = static_cast<size_t>(pool.threads());
  std::atomic<size_t> begun{0};
  std::atomic<bool> are_all{true};
  pool.ParallelFor(threads, 1, [&](size_t, size_t, int) {
    ++begun;
    if (!WaitFor([&] { return begun == threads || !are_all; })) are_all = false;
  });
  return are_all && begun == threads;
}

TEST(ThreadPool, AnyThreadsAndGrain_CoverEveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (size_t count : {0u, 1u, 7u, 100u, 1001u}) {
      for (size_t grain : {1u, 3u, 64u, 5000u}) {
        std::vector<std::atomic<int>> hits(count);
        pool.ParallelFor(count, grain,
                         [&](size_t begin, size_t end, int worker) {
                           EXPECT_EQ(begin % grain, 0u);
                           EXPECT_LE(end - begin, grain);
                           EXPECT_GE(worker, 0);
                           EXPECT_LT(worker, threads);
                           for (size_t i = begin; i < end; ++i) ++hits[i];
                         });
        for (size_t i = 0; i < count; ++i)
          EXPECT_EQ(hits[i], 1) << i << " of " << count;
      }
    }
  }
}

TEST(ThreadPool, EveryLoop_RunsOnAllThreads) {
  for (const int threads : {2, 4}) {
    ThreadPool pool(threads);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(UsesAllThreads(pool)) << i;
    // A loop within a loop, and those of other threads, leave it so.
    pool.ParallelFor(10, 1, [&](size_t, size_t, int) {
      pool.ParallelFor(10, 1, [](size_t, size_t, int) {});
    });
    EXPECT_TRUE(UsesAllThreads(pool));
    std::thread([&] { EXPECT_TRUE(UsesAllThreads(pool)); }).join();
    EXPECT_TRUE(UsesAllThreads(pool));
  }
}

// Each thread begins in its own share, whose first range waits until all have
// begun.
TEST(ThreadPool, Threads_BeginInTheirShares) {
  ThreadPool pool(2);
  std::atomic<int> begun{0};
  std::atomic<size_t> first[2] = {};
  pool.ParallelFor(100, 10, [&](size_t begin, size_t, int worker) {
    if (begin != 0 && begin != 50) return;
    first[worker] = begin;
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(first[0], 0u);
  EXPECT_EQ(first[1], 50u);
}

TEST(ThreadPool, NestedLoop_RunsOnItsOwnThread) {
  ThreadPool pool(3);
  std::atomic<int> total{0};
  pool.ParallelFor(10, 1, [&](size_t, size_t, int) {
    const auto self = std::this_thread::get_id();
    pool.ParallelFor(10, 1, [&](size_t, size_t, int) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      ++total;
    });
  });
  EXPECT_EQ(total, 100);
}

TEST(ThreadPool, TwoCallers_MayShareAPool) {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  const auto loop = [&] {
    for (int i = 0; i < 200; ++i)
      pool.ParallelFor(16, 1, [&](size_t, size_t, int) { ++total; });
  };
  std::thread other(loop);
  loop();
  other.join();
  EXPECT_EQ(total, 2 * 200 * 16);
}

// Eight threads take turns on one processor: none may wait for a thread
// without letting it run. Workers inherit the processors of their maker.
TEST(ThreadPool, MoreThreadsThanProcessors_Finish) {
  std::atomic<int> total{0};
  std::thread pinned([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    ThreadPool pool(8);
    for (int i = 0; i < 200; ++i)
      pool.ParallelFor(16, 1, [&](size_t, size_t, int) { ++total; });
  });
  pinned.join();
  EXPECT_EQ(total, 200 * 16);
}

struct Oops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An exception on one thread reaches the caller when all have left the loop.
TEST(ThreadPool, ExceptionOfABody_ReachesTheCaller) {
  ThreadPool pool(3);
  for (const int thrower : {0, 1, 2}) {
    std::atomic<int> inside{0}, begun{0};
    try {
      pool.ParallelFor(3000, 1, [&](size_t begin, size_t, int worker) {
        ++inside;
        // All have begun when one of them throws.
        if (begin % 1000 == 0) {
          ++begun;
          EXPECT_TRUE(WaitFor([&] { return begun == 3; }));
        }
        if (worker == thrower) {
          --inside;
          throw Oops("thread " + std::to_string(worker));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(10));
        --inside;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Oops& oops) {
      EXPECT_EQ(oops.what(), "thread " + std::to_string(thrower));
    }
    EXPECT_EQ(inside, 0);
    EXPECT_TRUE(UsesAllThreads(pool));
  }
}

TEST(ThreadPool, SeveralExceptions_OneIsThrown) {
  ThreadPool pool(4);
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> runs{0};
    EXPECT_THROW(pool.ParallelFor(1000, 1,
                                  [&](size_t, size_t, int) {
                                    ++runs;
                                    throw std::bad_alloc();
                                  }),
                 std::bad_alloc);
    // The others are left out: a thread throws once.
    EXPECT_LE(runs, 4);
  }
  EXPECT_TRUE(UsesAllThreads(pool));
}

TEST(ThreadPool, SingleThreadLoop_Throws) {
  ThreadPool one(1), two(2);
  const auto oops = [](size_t, size_t, int) { throw Oops("oops"); };
  EXPECT_THROW(one.ParallelFor(10, 1, oops), Oops);
  EXPECT_THROW(two.ParallelFor(1, 1, oops), Oops);
  // From within a loop.
  EXPECT_THROW(
      two.ParallelFor(
          10, 1, [&](size_t, size_t, int) { two.ParallelFor(10, 1, oops); }),
      Oops);
  EXPECT_TRUE(UsesAllThreads(two));
}

// No address space has room for such a stack.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 50);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

TEST(ThreadPool, RefusedThreads_LeaveAWorkingPool) {
  {
    const NoMoreThreads none;
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    ThreadPool pool(4);
    EXPECT_EQ(pool.threads(), 1);
    int total = 0;
    pool.ParallelFor(100, 1, [&](size_t, size_t, int) { ++total; });
    EXPECT_EQ(total, 100);
  }
  ThreadPool pool(4);
  EXPECT_EQ(pool.threads(), 4);
}

// ThreadSanitizer gives children no threads.
constexpr bool kMayFork = !kThreadSanitized;
// The allocator of AddressSanitizer stays locked in a child when another thread
// allocates while the child is made, as each thread does when it begins.
constexpr bool kMayForkWhileThreadsBegin = !kAddressSanitized;

// Runs it in a child, which ends well when it gives true; hung children end by
// the alarm.
void ExpectInChild(const std::function<bool()>& run) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    _exit(run() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

bool Sums(ThreadPool& pool) {
  std::atomic<size_t> sum{0};
  pool.ParallelFor(100, 1, [&](size_t begin, size_t, int) { sum += begin; });
  return sum == 4950;
}

TEST(ThreadPool, ForkedChild_RunsLoops) {
  if (!kMayFork) GTEST_SKIP() << "children have no threads here";
  for (const bool is_used : {false, true}) {
    auto pool = std::make_unique<ThreadPool>(3);
    if (is_used || !kMayForkWhileThreadsBegin) {
      EXPECT_TRUE(UsesAllThreads(*pool));
    }
    ExpectInChild([&] {
      const bool is_right = Sums(*pool) && UsesAllThreads(*pool);
      // And in a child of the child.
      ExpectInChild([&] { return Sums(*pool) && UsesAllThreads(*pool); });
      pool.reset();
      return is_right && !testing::Test::HasFailure();
    });
    // Destroyed before it was used there.
    ExpectInChild([&] {
      pool.reset();
      return true;
    });
    EXPECT_TRUE(UsesAllThreads(*pool));
  }
}

TEST(ThreadPool, ForkWhileTheParentRunsALoop_ChildRunsLoops) {
  if (!kMayFork) GTEST_SKIP() << "children have no threads here";
  ThreadPool pool(2);
  const int awaited = kMayForkWhileThreadsBegin ? 1 : 2;
  std::atomic<int> begun{0};
  std::atomic<bool> may_end{false};
  std::thread other([&] {
    pool.ParallelFor(2, 1, [&](size_t, size_t, int) {
      ++begun;
      WaitFor([&] { return may_end.load(); });
    });
  });
  EXPECT_TRUE(WaitFor([&] { return begun >= awaited; }));
  ExpectInChild([&] { return Sums(pool) && UsesAllThreads(pool); });
  may_end = true;
  other.join();
  EXPECT_TRUE(UsesAllThreads(pool));
}

// Threads of a child that use the pool first all at once.
TEST(ThreadPool, ThreadsOfAChild_MayShareAPool) {
  if (!kMayFork) GTEST_SKIP() << "children have no threads here";
  ThreadPool pool(2);
  if (!kMayForkWhileThreadsBegin) {
    EXPECT_TRUE(UsesAllThreads(pool));
  }
  for (int i = 0; i < 20; ++i) {
    ExpectInChild([&] {
      std::atomic<bool> is_right{true};
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
          for (int n = 0; n < 50; ++n)
            if (!Sums(pool)) is_right = false;
        });
      for (std::thread& thread : threads) thread.join();
      return is_right && UsesAllThreads(pool);
    });
  }
}

TEST(ForkSafeMutex, ForkWhileHeld_IsFreeInTheChild) {
  if (!kMayFork) GTEST_SKIP() << "children have no threads here";
  static ForkSafeMutex<> mutex;
  std::atomic<bool> is_held{false}, may_end{false};
  std::thread holder([&] {
    const auto lock = mutex.Lock();
    is_held = true;
    WaitFor([&] { return may_end.load(); });
  });
  EXPECT_TRUE(WaitFor([&] { return is_held.load(); }));
  ExpectInChild([&] {
    { const auto lock = mutex.Lock(); }
    const auto again = mutex.Lock();
    return again.owns_lock();
  });
  may_end = true;
  holder.join();
  // Held by the thread that forks.
  auto lock = mutex.Lock();
  ExpectInChild([&] {
    { const auto own = mutex.Lock(); }
    lock.unlock();
    const auto again = mutex.Lock();
    return again.owns_lock();
  });
}

std::vector<int> MakeNumbers() { return {1, 2, 3}; }

TEST(MadeOnce, ManyThreads_GetTheSameObject) {
  std::set<const void*> found;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const std::vector<int>& numbers = MadeOnce<MakeNumbers>();
      EXPECT_EQ(numbers.size(), 3u);
      const std::lock_guard lock(mutex);
      found.insert(&numbers);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found.size(), 1u);
}

}  // namespace
}  // namespace munja
