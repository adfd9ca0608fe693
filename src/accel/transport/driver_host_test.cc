#include "transport/driver_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizers.h"
#include "hal/c_structs.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "tests/plugins/fault_injecting_driver.h"
#include "transport/channel.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

size_t OpenFiles() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

bool HasChildren() {
  siginfo_t info = {};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// The device tells the same as in process.
TEST(DriverHost, Description_IsTheDriversOwn) {
  const Host host(true);
  ASSERT_NE(host.model, nullptr);
  const munja_nn_device& device = *host.device;
  EXPECT_STREQ(device.name, "test-full");
  EXPECT_STREQ(device.version_string, "test 1");
  EXPECT_EQ(device.type, MUNJA_NN_DEVICE_ACCELERATOR);
  EXPECT_EQ(device.hal_version, MUNJA_NN_1_3);
  EXPECT_EQ(device.model_cache_files, 1u);
  EXPECT_EQ(device.data_cache_files, 0u);
  ASSERT_EQ(device.capabilities->operand_count, 1u);
  EXPECT_EQ(device.capabilities->operands[0].type, MUNJA_NN_TENSOR_FLOAT32);
  EXPECT_EQ(device.capabilities->operands[0].performance.time, 0.5f);
  EXPECT_EQ(device.capabilities->relaxed_tensor.power, 2.0f);
  EXPECT_EQ(device.capabilities->while_performance.time, 4.0f);
  ASSERT_EQ(device.extension_count, 1u);
  EXPECT_STREQ(device.extensions[0].name, kTestExtension);
  ASSERT_EQ(device.extensions[0].type_count, 1u);
  EXPECT_EQ(device.extensions[0].types[0].element_bytes, 4u);
  EXPECT_EQ(device.status(device.self), MUNJA_NN_DEVICE_BUSY);
}

TEST(DriverHost, SupportedOperations_AreTheDriversOwn) {
  const Host host(false);
  ASSERT_NE(host.model, nullptr);
  Model model = Addition(3);
  std::array<uint8_t, 2> supported = {7, 9};
  {
    const ModelStruct structs(model);
    EXPECT_EQ(host.device->supported_operations(
                  host.device->self, structs.get(), supported.data()),
              MUNJA_NN_NONE);
    EXPECT_EQ(supported, (std::array<uint8_t, 2>{1, 9}));
  }
  model.subgraphs[0].operations[0].inputs[0] = 77;
  const ModelStruct structs(model);
  EXPECT_EQ(host.device->supported_operations(host.device->self, structs.get(),
                                              supported.data()),
            MUNJA_NN_INVALID_ARGUMENT);
}

// A type and an operation that only their driver understands, and data of the
// type: by whatever prefix the model names them, here and in a host.
TEST(DriverHost, Extensions_ReachTheDriver) {
  constexpr uint16_t kPrefix = 0x1234;
  constexpr auto number = [](uint16_t of) {
    return static_cast<int32_t>(uint32_t{kPrefix} << 16 | of);
  };
  Model model = Addition(1000);
  Subgraph& main = model.subgraphs[0];
  model.extensions = {{"com.example.other", 3}, {kTestExtension, kPrefix}};
  for (const size_t i : {0, 1, 3})
    main.operands[i].type = number(kScaledTensor);
  main.operations[0].type = number(kScaledAdd);
  const float scale = 0.5f;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&scale);
  main.operands[3].extension_data.emplace(bytes, bytes + sizeof scale);

  const auto isolated = [](const std::string& driver) {
    auto started = StartDriverHost(driver, TestOptions());
    EXPECT_TRUE(started.ok()) << started.status().message();
    return Device::Open(*started, nullptr);
  };
  munja_nn_compilation_options compilation = {};
  compilation.struct_size = sizeof compilation;
  for (const auto& device :
       {LoadDriver(FaultDriver(true)), isolated(FaultDriver(true))}) {
    ASSERT_TRUE(device.ok()) << device.status().message();
    const auto supported = (*device)->SupportedOperations(model);
    ASSERT_TRUE(supported.ok()) << supported.status().message();
    EXPECT_EQ(*supported, std::vector<bool>{true});
    const auto prepared = (*device)->Prepare(model, compilation);
    ASSERT_TRUE(prepared.ok()) << prepared.status().message();
    Sums sums(1000);
    sums.Fill(3);
    const Execution done = (*prepared)->Execute(sums.Owned(), NoOptions());
    EXPECT_EQ(done.status, MUNJA_NN_NONE);
    for (uint32_t i = 0; i < 1000; ++i)
      ASSERT_EQ(sums.sum()[i], scale * (sums.a()[i] + sums.b()[i])) << i;
    // The prefix is that of no extension of this model.
    Model unnamed = model;
    unnamed.extensions.pop_back();
    EXPECT_FALSE((*device)->Prepare(unnamed, compilation).ok());
  }
  // A device without the extension refuses it.
  for (const auto& device : {LoadDriver(FaultDriver(false)),
                             isolated("reference"), isolated("cpu")}) {
    ASSERT_TRUE(device.ok()) << device.status().message();
    const auto supported = (*device)->SupportedOperations(model);
    ASSERT_TRUE(supported.ok()) << supported.status().message();
    EXPECT_EQ(*supported, std::vector<bool>{false});
    EXPECT_FALSE((*device)->Prepare(model, compilation).ok());
  }
}

class BothMemories : public testing::TestWithParam<bool> {};

TEST_P(BothMemories, Request_IsExecuted) {
  Host host(false);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000, GetParam());
  for (int i = 0; i < 20; ++i) {
    sums.Fill(static_cast<float>(i));
    EXPECT_EQ(host.Execute(sums, NoOptions()), MUNJA_NN_NONE);
    EXPECT_TRUE(sums.IsRight());
  }
}

TEST_P(BothMemories, WrongRequest_IsRefused) {
  Host host(false);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000, GetParam());
  munja_nn_request request = *sums.request();
  std::array<munja_nn_argument, 2> inputs = {request.inputs[0],
                                             request.inputs[1]};
  request.inputs = inputs.data();
  const auto status = [&] {
    AwaitedResult outcome;
    const munja_nn_execution_options options = NoOptions();
    const int32_t result =
        host.model->execute(host.model->self, &request, &options,
                            AwaitedResult::Executed, &outcome);
    EXPECT_EQ(outcome.calls(), 1);
    EXPECT_EQ(outcome.shapes.empty(), result != MUNJA_NN_NONE);
    EXPECT_EQ(outcome.timing.in_driver, MUNJA_NN_NO_TIME);
    return result;
  };
  EXPECT_EQ(status(), MUNJA_NN_NONE);
  for (const munja_nn_location& wrong :
       {munja_nn_location{1, 0, 4000}, munja_nn_location{0, 12000, 4000},
        munja_nn_location{0, 0xFFFFFFFF, 4000},
        munja_nn_location{0, 0, 0xFFFFFFFF}, munja_nn_location{0, 0, 3996}}) {
    inputs[1].location = wrong;
    EXPECT_EQ(status(), MUNJA_NN_INVALID_ARGUMENT);
  }
  inputs[1] = inputs[0];
  request.input_count = 1;
  EXPECT_EQ(status(), MUNJA_NN_INVALID_ARGUMENT);
  request.input_count = 2;
  EXPECT_EQ(status(), MUNJA_NN_NONE);
}

INSTANTIATE_TEST_SUITE_P(Memory, BothMemories, testing::Bool());

TEST(DriverHost, Times_OnlyOnRequest) {
  Host host(false);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000);
  sums.Fill(1);
  munja_nn_execution_options options = NoOptions();
  for (const int32_t measure : {0, 1}) {
    options.measure = measure;
    AwaitedResult outcome;
    EXPECT_EQ(host.model->execute(host.model->self, sums.request(), &options,
                                  AwaitedResult::Executed, &outcome),
              MUNJA_NN_NONE);
    EXPECT_EQ(outcome.timing.on_device, MUNJA_NN_NO_TIME);
    EXPECT_EQ(outcome.timing.in_driver != MUNJA_NN_NO_TIME, measure == 1);
    ASSERT_EQ(outcome.shapes.size(), 1u);
    EXPECT_EQ(outcome.shapes[0], Dimensions{1000});
  }
}

// A driver's fault becomes a status, and the next request is served.
struct Wrong {
  Fault fault;
  int32_t status;
  bool is_lost;
};

class WrongDrivers : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDrivers, Fault_IsAStatus) {
  const Wrong& wrong = GetParam();
  DriverHostOptions options;
  options.execution_ns = 2'000'000'000;
  options.first_pause_ns = 0;
  Host host(false, 1000, options);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000);
  // Faults that are waited for are tried once.
  const unsigned times =
      wrong.fault == Fault::kHang || wrong.fault == Fault::kStop ? 1 : 3;
  for (unsigned i = 0; i < times; ++i) {
    sums.Fill(1, wrong.fault);
    EXPECT_EQ(host.Execute(sums, NoOptions()), wrong.status);
    sums.Fill(static_cast<float>(i));
    EXPECT_EQ(host.Execute(sums, NoOptions()), MUNJA_NN_NONE);
    EXPECT_TRUE(sums.IsRight());
  }
  const DriverHostReport report = ReportOfDriverHost(host.device);
  EXPECT_EQ(report.lost, wrong.is_lost ? times : 0u);
  EXPECT_EQ(report.starts, report.lost + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, WrongDrivers,
    testing::Values(
        Wrong{Fault::kCrash, MUNJA_NN_DEVICE_UNAVAILABLE, true},
        Wrong{Fault::kExit, MUNJA_NN_DEVICE_UNAVAILABLE, true},
        Wrong{Fault::kHang, MUNJA_NN_DEVICE_UNAVAILABLE, true},
        Wrong{Fault::kStop, MUNJA_NN_DEVICE_UNAVAILABLE, true},
        Wrong{Fault::kProtocolError, MUNJA_NN_DEVICE_UNAVAILABLE, true},
        Wrong{Fault::kUnknownStatus, MUNJA_NN_GENERAL_FAILURE, false},
        Wrong{Fault::kManyShapes, MUNJA_NN_GENERAL_FAILURE, false},
        Wrong{Fault::kWrongTiming, MUNJA_NN_GENERAL_FAILURE, false},
        Wrong{Fault::kNoCallback, MUNJA_NN_GENERAL_FAILURE, false},
        Wrong{Fault::kCallsTwice, MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT, false},
        Wrong{Fault::kSlow, MUNJA_NN_NONE, false}));

// A deadline that passes is its request's only; who wrote to the caller's own
// memory meanwhile is stopped.
TEST(DriverHost, Deadlines_ArePassedOnAndKept) {
  DriverHostOptions options;
  options.grace_ns = 60'000'000'000;
  options.first_pause_ns = 0;
  Host host(false, 1000, options);
  ASSERT_NE(host.model, nullptr);
  Sums own(1000, false), shared(1000, true);
  own.Fill(1, Fault::kRespectsCancel);
  // The driver says so itself, or is too late with it on a busy machine.
  EXPECT_THAT(host.Execute(own, In(100)),
              testing::AnyOf(MUNJA_NN_MISSED_DEADLINE_PERSISTENT,
                             MUNJA_NN_MISSED_DEADLINE_TRANSIENT));
  EXPECT_EQ(ReportOfDriverHost(host.device).lost, 0u);
  own.Fill(1, Fault::kSlow);
  EXPECT_EQ(host.Execute(own, In(50)), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  own.Fill(2);
  EXPECT_EQ(host.Execute(own, NoOptions()), MUNJA_NN_NONE);
  EXPECT_TRUE(own.IsRight());
  EXPECT_EQ(ReportOfDriverHost(host.device).lost, 0u);
  shared.Fill(1, Fault::kSlow);
  EXPECT_EQ(host.Execute(shared, In(50)), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  shared.Fill(2);
  EXPECT_EQ(host.Execute(shared, NoOptions()), MUNJA_NN_NONE);
  EXPECT_TRUE(shared.IsRight());
  EXPECT_EQ(ReportOfDriverHost(host.device).lost, 1u);
  munja_nn_execution_options never = NoOptions();
  never.deadline_ns = MUNJA_NN_UNLIMITED;
  shared.Fill(3, Fault::kSlow);
  EXPECT_EQ(host.Execute(shared, never), MUNJA_NN_NONE);
}

// One that hangs on after its deadline does not stay.
TEST(DriverHost, Hang_EndsAfterItsGracePeriod) {
  DriverHostOptions options;
  options.grace_ns = 100'000'000;
  Host host(false, 1000, options);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000, false);
  sums.Fill(1, Fault::kHang);
  while (ReportOfDriverHost(host.device).lost == 0)
    EXPECT_THAT(host.Execute(sums, In(100)),
                testing::AnyOf(MUNJA_NN_MISSED_DEADLINE_TRANSIENT,
                               MUNJA_NN_DEVICE_UNAVAILABLE));
  // It had not served before: another one comes after a pause.
  int32_t status = MUNJA_NN_DEVICE_UNAVAILABLE;
  while (status == MUNJA_NN_DEVICE_UNAVAILABLE) {
    sums.Fill(2);
    status = host.Execute(sums, NoOptions());
  }
  EXPECT_EQ(status, MUNJA_NN_NONE);
  EXPECT_TRUE(sums.IsRight());
}

TEST(DriverHost, MissingDriver_IsAnError) {
  DriverHostOptions options = TestOptions();
  const auto why = [&](const std::string& driver) {
    const auto started = StartDriverHost(driver, options);
    EXPECT_FALSE(started.ok());
    if (started.ok()) return std::string();
    EXPECT_EQ(started.status().code(), Code::kUnavailable);
    return std::string(started.status().message());
  };
  EXPECT_NE(why("/nowhere.so").find("cannot be opened"), std::string::npos);
  EXPECT_NE(why(FaultDriver(false) + "#7").find("has 3 devices"),
            std::string::npos);
  EXPECT_NE(why("unix:/nowhere").find("cannot connect"), std::string::npos);
  EXPECT_NE(why("unix:" + std::string(200, 'x')).find("too long"),
            std::string::npos);
  options.program = "/nowhere/munja-driver-host";
  EXPECT_NE(why("reference").find("cannot be started"), std::string::npos);
  options.program = "/bin/true";
  why("reference");
  EXPECT_FALSE(HasChildren());
}

// Nothing is left: no process, not even a zombie, and no open file.
TEST(DriverHost, Release_LeavesNoProcessesOrFiles) {
  const size_t files = OpenFiles();
  DriverHostOptions options;
  options.first_pause_ns = 0;
  for (int i = 0; i < 3; ++i) {
    Host host(i == 1, 1000, options);
    ASSERT_NE(host.model, nullptr);
    Sums shared(1000), own(1000, false);
    for (const Fault fault : {Fault::kNone, Fault::kCrash, Fault::kNone}) {
      shared.Fill(1, fault);
      host.Execute(shared, NoOptions());
      own.Fill(1, fault);
      host.Execute(own, NoOptions());
    }
  }
  EXPECT_EQ(OpenFiles(), files);
  EXPECT_FALSE(HasChildren());
}

TEST(DriverHost, BuiltInDrivers_Serve) {
  for (const char* name : {"reference", "cpu"}) {
    const auto started = StartDriverHost(name, TestOptions());
    ASSERT_TRUE(started.ok()) << started.status().message();
    munja_nn_prepared_model* model = nullptr;
    ASSERT_EQ(PrepareAddition(*started, 100, &model), MUNJA_NN_NONE);
    Sums sums(100);
    sums.Fill(3);
    AwaitedResult outcome;
    const munja_nn_execution_options options = NoOptions();
    EXPECT_EQ(model->execute(model->self, sums.request(), &options,
                             AwaitedResult::Executed, &outcome),
              MUNJA_NN_NONE);
    EXPECT_TRUE(sums.IsRight());
    model->release(model->self);
    (*started)->release((*started)->self);
  }
}

// A crash while preparing is a status; a host that never served is not started
// again at once.
TEST(DriverHost, CrashWhilePreparing_IsAStatus) {
  DriverHostOptions options;
  options.first_pause_ns = 3'600'000'000'000;
  options.longest_pause_ns = options.first_pause_ns;
  Host host(false, 1000, options);
  ASSERT_NE(host.model, nullptr);
  munja_nn_prepared_model* model = nullptr;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(PrepareAddition(host.device, kElementsThatCrash, &model),
              MUNJA_NN_DEVICE_UNAVAILABLE);
  EXPECT_EQ(ReportOfDriverHost(host.device).starts, 1u);
  EXPECT_EQ(host.device->status(host.device->self), MUNJA_NN_DEVICE_OFFLINE);
}

// Whatever happens to the host at whatever moment: an answer is right or there
// is none, and the next request gets it.
TEST(DriverHost, KilledHost_LosesNoRequest) {
  DriverHostOptions options;
  options.first_pause_ns = 1'000'000;
  options.longest_pause_ns = 50'000'000;
  Host host(false, 1000, options);
  ASSERT_NE(host.model, nullptr);
  // More in a run that has the time: MUNJA_EXECUTIONS=10000.
  const char* const wanted = std::getenv("MUNJA_EXECUTIONS");
  const int executions = wanted == nullptr ? 600 : std::atoi(wanted);
  const int kills_wanted = executions / 100;
  std::atomic<int> kills{0};
  std::atomic<bool> is_over{false};
  std::thread killer([&] {
    std::minstd_rand random(7);
    uint64_t last_killed = 0;
    int64_t spared = 0;
    while (!is_over) {
      // Some live long enough to answer many, however slow the machine is.
      const uint32_t longest_us = random() % 4 == 0 ? 300'000 : 20'000;
      std::this_thread::sleep_for(
          std::chrono::microseconds(random() % longest_us));
      const DriverHostReport report = ReportOfDriverHost(host.device);
      if (report.process <= 0) continue;
      // Kills hosts that serve, and one in ten while it starts: each is in that
      // danger once, or one that starts slowly never would.
      if (report.starts == last_killed) {
        if (report.process == spared) continue;
        spared = report.process;
        if (random() % 10 != 0) continue;
      }
      kill(static_cast<pid_t>(report.process), SIGKILL);
      last_killed = report.starts;
      ++kills;
    }
  });
  std::vector<std::thread> clients;
  std::atomic<int> right{0}, lost{0}, wrong{0};
  std::mutex mutex;                // Guards the variables below.
  std::vector<double> recoveries;  // Milliseconds from a loss to an answer.
  for (int c = 0; c < 3; ++c)
    clients.emplace_back([&, c] {
      Sums sums(1000, c != 0);
      uint64_t lost_since = 0;
      for (int i = 0;
           (right < executions || kills < kills_wanted) && wrong == 0; ++i) {
        sums.Fill(static_cast<float>((i + c) % 1000));
        const int32_t status = host.Execute(sums, NoOptions());
        if (status == MUNJA_NN_NONE) {
          ++(sums.IsRight() ? right : wrong);
          if (lost_since != 0) {
            const std::lock_guard lock(mutex);
            recoveries.push_back(
                static_cast<double>(MonotonicNow() - lost_since) / 1e6);
          }
          lost_since = 0;
        } else if (status == MUNJA_NN_DEVICE_UNAVAILABLE) {
          ++lost;
          if (lost_since == 0) lost_since = MonotonicNow();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } else {
          ++wrong;
        }
      }
    });
  for (std::thread& client : clients) client.join();
  is_over = true;
  killer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(right, executions);
  std::ranges::sort(recoveries);
  const auto at = [&](double part) {
    return recoveries.empty()
               ? 0.0
               : recoveries[static_cast<size_t>(
                     part * static_cast<double>(recoveries.size() - 1))];
  };
  std::printf(
      "%d right, 0 wrong, %d told that there is no device, %d kills, %llu "
      "hosts lost; until the next answer p50 %.1f ms, p99 %.1f ms, at most "
      "%.1f ms\n",
      right.load(), lost.load(), kills.load(),
      static_cast<unsigned long long>(ReportOfDriverHost(host.device).lost),
      at(0.5), at(0.99), at(1));
}

// A child that was forked off has no host, and does not disturb its parent's.
TEST(DriverHost, ForkedChild_HasNoDevice) {
  if (kThreadSanitized) GTEST_SKIP() << "children get no threads";
  Host host(false);
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000);
  sums.Fill(1);
  const pid_t child = fork();
  if (child == 0) {
    const munja_nn_execution_options options = NoOptions();
    AwaitedResult outcome;
    const bool is_refused =
        host.model->execute(host.model->self, sums.request(), &options,
                            AwaitedResult::Executed,
                            &outcome) == MUNJA_NN_DEVICE_UNAVAILABLE &&
        host.device->status(host.device->self) == MUNJA_NN_DEVICE_OFFLINE;
    host.model->release(host.model->self);
    host.device->release(host.device->self);
    _exit(is_refused ? 0 : 1);
  }
  int result = 1;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(host.Execute(sums, NoOptions()), MUNJA_NN_NONE);
  EXPECT_TRUE(sums.IsRight());
}

}  // namespace
}  // namespace munja::hal
