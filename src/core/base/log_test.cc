#include "base/log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace munja {
namespace {

TEST(Log, Messages_ReachTheSinkOneLineAtATime) {
  Log(Severity::kError, "there is no sink yet");
  std::vector<std::string> lines;  // Unguarded: calls must not overlap.
  SetLogSink([&](Severity severity, std::string_view line) {
    lines.push_back(std::string(line));
    EXPECT_EQ(severity, Severity::kWarning);
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) Log(Severity::kWarning, "line");
    });
  }
  for (std::thread& thread : threads) thread.join();
  SetLogSink(nullptr);
  Log(Severity::kError, "nor this");
  EXPECT_EQ(lines, std::vector<std::string>(400, "line"));
}

// A child that is made while another thread is in the sink.
TEST(Log, ForkedChild_MayLogWhileTheParentLogs) {
  std::atomic<bool> is_inside{false}, may_end{false};
  SetLogSink([&](Severity, std::string_view) {
    is_inside = true;
    while (!may_end) std::this_thread::yield();
  });
  std::thread other([] { Log(Severity::kInfo, "slow"); });
  while (!is_inside) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    may_end = true;
    Log(Severity::kInfo, "of the child");
    SetLogSink({});
    Log(Severity::kInfo, "without a sink");
    _exit(0);
  }
  may_end = true;
  other.join();
  SetLogSink({});
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace munja
