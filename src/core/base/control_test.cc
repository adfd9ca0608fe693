#include "base/control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/mapping.h"
#include "base/thread_pool.h"

namespace munja {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(Control, WithoutControl_NothingIsLimited) {
  EXPECT_EQ(CurrentControl(), nullptr);
  EXPECT_FALSE(IsStopped());
  EXPECT_TRUE(CheckControl().ok());
  ReportProgress("no control", 1, 2);
  EXPECT_TRUE(MemoryClaim::Take(SIZE_MAX).ok());
}

TEST(Control, Cancel_IsSeenInItsScopeUntilRestart) {
  Control control({});
  const ControlScope scope(&control);
  EXPECT_TRUE(CheckControl().ok());
  std::thread other([&] { control.Cancel(); });
  other.join();
  EXPECT_TRUE(IsStopped());
  EXPECT_EQ(CheckControl().code(), Code::kCancelled);
  {
    const ControlScope none(nullptr);
    EXPECT_TRUE(CheckControl().ok());
  }
  EXPECT_EQ(CheckControl().code(), Code::kCancelled);
  control.Restart();
  EXPECT_TRUE(CheckControl().ok());
}

TEST(Control, ExpiredTime_IsAnErrorWithTheLimit) {
  Control control({.seconds = 1e-6});
  const ControlScope scope(&control);
  while (!IsStopped()) {
  }
  const Status status = CheckControl();
  EXPECT_EQ(status.code(), Code::kTimedOut);
  EXPECT_NE(status.message().find("1e-06 seconds"), std::string_view::npos);
  control.Cancel();  // Too late: what came first counts.
  EXPECT_EQ(CheckControl().code(), Code::kTimedOut);
}

TEST(Control, BufferMemory_IsCountedAndLimited) {
  Control control({.memory = 10 * kMiB});
  Buffer kept;
  {
    const ControlScope scope(&control);
    auto a = Buffer::Allocate(6 * kMiB);
    ASSERT_TRUE(a.ok());
    const auto b = Buffer::Allocate(6 * kMiB);
    ASSERT_FALSE(b.ok());
    EXPECT_EQ(b.status().code(), Code::kOutOfMemory);
    EXPECT_NE(b.status().message().find(std::to_string(10 * kMiB)),
              std::string_view::npos);
    ASSERT_TRUE(Buffer::Allocate(100).ok());  // Given back at once.
    EXPECT_EQ(control.account()->used(), 6 * kMiB);
    *a = Buffer();
    auto again = Buffer::Allocate(10 * kMiB);
    ASSERT_TRUE(again.ok());
    kept = std::move(*again);
    EXPECT_FALSE(MemoryClaim::Take(1).ok());
  }
  // Memory that outlives the scope still counts, and may be freed anywhere.
  EXPECT_EQ(control.account()->used(), 10 * kMiB);
  std::thread other([&] { kept = Buffer(); });
  other.join();
  EXPECT_EQ(control.account()->used(), 0u);
  EXPECT_EQ(control.account()->peak(), 10 * kMiB);
}

TEST(Control, Buffers_MayOutliveTheirControl) {
  Buffer buffer;
  MemoryClaim claim;
  {
    Control control({.memory = kMiB});
    const ControlScope scope(&control);
    auto made = Buffer::Allocate(1000);
    ASSERT_TRUE(made.ok());
    buffer = std::move(*made);
    auto claimed = MemoryClaim::Take(1000);
    ASSERT_TRUE(claimed.ok());
    claim = std::move(*claimed);
  }
  std::memset(buffer.data(), 1, buffer.size());
}

TEST(Control, BuffersOfEverySize_KeepTheirBytes) {
  for (const size_t size : {size_t{1}, size_t{64}, kMiB - 1, kMiB, 2 * kMiB - 1,
                            2 * kMiB, 5 * kMiB + 3}) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 3; ++i) {
      auto buffer = Buffer::Allocate(size);
      ASSERT_TRUE(buffer.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
      std::memset(buffer->data(), i, size);
      buffers.push_back(std::move(*buffer));
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(buffers[i].data()[0], i);
      EXPECT_EQ(buffers[i].data()[size - 1], i);
    }
  }
}

// A loop of more ranges than anybody could wait for ends when it is cancelled
// from inside one of them, on any number of threads, and the pool goes on.
TEST(Control, Cancel_StopsLoopsOfAPool) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Control control({});
    std::atomic<size_t> ranges{0};
    {
      const ControlScope scope(&control);
      pool.ParallelFor(size_t{1} << 40, 1 << 10, [&](size_t, size_t, int) {
        if (ranges.fetch_add(1) == 100) control.Cancel();
      });
      EXPECT_EQ(CheckControl().code(), Code::kCancelled);
    }
    std::atomic<size_t> done{0};
    pool.ParallelFor(1000, 1, [&](size_t begin, size_t end, int) {
      done.fetch_add(end - begin);
    });
    EXPECT_EQ(done.load(), 1000u);
  }
}

TEST(Control, Workers_AllocateFromTheCallersAccount) {
  ThreadPool pool(4);
  Control control({.memory = 100});
  const ControlScope scope(&control);
  std::atomic<int> refused{0};
  pool.ParallelFor(64, 1, [&](size_t, size_t, int) {
    if (!Buffer::Allocate(101).ok()) refused.fetch_add(1);
  });
  EXPECT_EQ(refused.load(), 64);
}

TEST(Control, Progress_IsReportedByTheCallingThreadAndMayCancel) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<uint64_t> seen;
  Control control({}, [&](const char* what, uint64_t done, uint64_t total) {
    EXPECT_STREQ(what, "work");
    EXPECT_EQ(total, 64u);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    seen.push_back(done);
    return done < 3;
  });
  const ControlScope scope(&control);
  ThreadPool pool(4);
  pool.ParallelFor(64, 1, [&](size_t, size_t, int worker) {
    if (worker != 0) ReportProgress("work", 99, 64);
  });
  EXPECT_TRUE(seen.empty());
  for (uint64_t i = 1; CheckControl().ok(); ++i) ReportProgress("work", i, 64);
  EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(CheckControl().code(), Code::kCancelled);
}

}  // namespace
}  // namespace munja
