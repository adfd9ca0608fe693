#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace munja {
namespace {

TEST(Log, GoesToTheSinkOneLineAtATime) {
  Log(Severity::kError, "nobody hears this");
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

}  // namespace
}  // namespace munja
