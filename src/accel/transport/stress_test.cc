// Clients in processes of their own under load (stress_main.cc), and what
// becomes of them: success, failure, hang or crash.
//
// MUNJA_STRESS_SECONDS: how long each of them works; a second when not set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hal/fence.h"
#include "transport/channel.h"
#include "transport/driver_host.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

enum class End { kSuccess, kFailure, kHang, kCrash };

std::ostream& operator<<(std::ostream& out, End end) {
  static constexpr const char* kNames[] = {"SUCCESS", "FAILURE", "HANG",
                                           "CRASH"};
  return out << kNames[static_cast<int>(end)];
}

int Seconds() {
  const char* const wanted = std::getenv("MUNJA_STRESS_SECONDS");
  return wanted == nullptr ? 1 : std::atoi(wanted);
}

// A child of the test, which ends with it.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&id_, arguments[0], nullptr, nullptr,
                          arguments.data(), environ),
              0);
  }
  ~Program() {
    if (id_ > 0) Kill();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Kill() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = 0;
  }
  // A program that has not ended by the limit hangs, and is killed.
  End Wait(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      int status = 0;
      if (waitpid(id_, &status, WNOHANG) == id_) {
        id_ = 0;
        if (!WIFEXITED(status)) return End::kCrash;
        return WEXITSTATUS(status) == 0 ? End::kSuccess : End::kFailure;
      }
      if (std::chrono::steady_clock::now() > end) {
        Kill();
        return End::kHang;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private:
  pid_t id_ = 0;
};

std::vector<std::string> Stress(const char* scenario, int seconds) {
  return {MUNJA_NN_STRESS, scenario, std::to_string(seconds)};
}

TEST(Stress, FourOutcomes_AreToldApart) {
  using std::chrono::milliseconds;
  const milliseconds any(600'000);
  EXPECT_EQ(Program(Stress("clients", 0)).Wait(any), End::kSuccess);
  EXPECT_EQ(Program(Stress("fail", 0)).Wait(any), End::kFailure);
  EXPECT_EQ(Program(Stress("crash", 0)).Wait(any), End::kCrash);
  EXPECT_EQ(Program(Stress("hang", 0)).Wait(milliseconds(200)), End::kHang);
}

class Scenarios : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Scenarios, testing::Values("clients", "buffers"),
                         [](const auto& of) { return of.param; });

// Ten minutes more than asked for: a program that needs them hangs.
TEST_P(Scenarios, Load_Succeeds) {
  EXPECT_EQ(Program(Stress(GetParam(), Seconds()))
                .Wait(std::chrono::seconds(Seconds() + 600)),
            End::kSuccess);
}

// One client of a host brings its own down by crashes, hangs, nonsense and
// floods, and is killed itself at random moments; what the other one asks is
// answered all the same, rightly, and by the process that it began with.
TEST(Stress, DisturbingClient_DoesNotAffectAnother) {
  const std::string path = testing::TempDir() + "h";
  const Program host({MUNJA_DRIVER_HOST, "--listen", path, FaultDriver(true)});
  munja_nn_device* device = nullptr;
  for (int i = 0; i < 2000 && device == nullptr; ++i) {
    auto started = StartDriverHost("unix:" + path, TestOptions());
    if (started.ok())
      device = *started;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_NE(device, nullptr);
  munja_nn_prepared_model* model = nullptr;
  ASSERT_EQ(PrepareAddition(device, 1000, &model), MUNJA_NN_NONE);
  Sums shared(1000), own(1000, false);
  const auto measure = [&](const char* with) {
    std::vector<double> took;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(Seconds());
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      Sums& sums = i % 2 == 0 ? shared : own;
      sums.Fill(static_cast<float>(i % 1000));
      AwaitedResult outcome;
      const munja_nn_execution_options options = NoOptions();
      const uint64_t begin = MonotonicNow();
      ASSERT_EQ(model->execute(model->self, sums.request(), &options,
                               AwaitedResult::Executed, &outcome),
                MUNJA_NN_NONE);
      took.push_back(static_cast<double>(MonotonicNow() - begin) / 1000);
      ASSERT_TRUE(sums.IsRight());
    }
    std::ranges::sort(took);
    ASSERT_FALSE(took.empty());
    const auto at = [&](double part) {
      return took[static_cast<size_t>(part *
                                      static_cast<double>(took.size() - 1))];
    };
    std::printf("%s: %zu answers, all right; p50 %.0f us, p90 %.0f, p99 %.0f\n",
                with, took.size(), at(0.5), at(0.9), at(0.99));
  };
  measure("alone");
  std::atomic<bool> is_over{false};
  int killed = 0;
  std::thread neighbor([&] {
    std::minstd_rand random(5);
    while (!is_over) {
      Program bad({MUNJA_NN_STRESS, "neighbor", "3600", "unix:" + path});
      std::this_thread::sleep_for(
          std::chrono::milliseconds(100 + random() % 400));
      bad.Kill();
      ++killed;
    }
  });
  measure("next to a disturbing one");
  is_over = true;
  neighbor.join();
  EXPECT_GT(killed, 0);
  EXPECT_EQ(ReportOfDriverHost(device).lost, 0u);
  EXPECT_EQ(ReportOfDriverHost(device).starts, 1u);
  model->release(model->self);
  device->release(device->self);
}

}  // namespace
}  // namespace munja::hal
