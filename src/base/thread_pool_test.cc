#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace munja {
namespace {

TEST(ThreadPool, CoversEveryIndexOnceForAnyThreadsAndGrain) {
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

// Each thread begins in its own share, whose first range waits until all have
// begun.
TEST(ThreadPool, ThreadsBeginInTheirShares) {
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

TEST(ThreadPool, ANestedLoopRunsOnItsOwnThread) {
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

TEST(ThreadPool, TwoThreadsMayShareOne) {
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

// Eight threads take turns on one processor: nobody may wait for a thread
// without letting it run. Workers inherit the processors of their maker.
TEST(ThreadPool, MoreThreadsThanProcessorsFinish) {
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

}  // namespace
}  // namespace munja
