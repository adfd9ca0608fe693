#include "delegates/nn/nn_delegate.h"
#include "drivers/built_in/built_in_drivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "drivers/opencl/opencl_driver.h"
#include "hal/manager/vlog.h"
#include "runtime/session.h"
#include "tests/test_networks.h"
#include "transport/driver_host.h"

namespace munja::delegates::nn {
namespace {

using ::testing::HasSubstr;

class OnDevice : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(BuiltIn, OnDevice,
                         ::testing::Values("cpu", "reference", "opencl"));

TEST_P(OnDevice, Network_MatchesTheCpu) {
  const Network n = OfFloats();
  if (std::string_view(GetParam()) == "opencl" &&
      !munja::hal::Device::Open(drivers::opencl::OpenDevice("opencl"), nullptr,
                                munja::hal::Keeper::kDevice)
           .ok())
    GTEST_SKIP() << "there is no device for OpenCL";
  const auto plain = SessionOf(*n.graph(), {});
  const auto session = SessionOf(*n.graph(), {{"device", GetParam()}});
  for (const auto& owner : session->Owners())
    EXPECT_EQ(owner.owner, std::string("nn:") + GetParam())
        << owner.op << ": " << owner.reason;
  for (const Shape& shape : {Shape{1, 12, 9, 3}, Shape{1, 7, 16, 3}}) {
    const auto image = Image(shape[1], shape[2]);
    ExpectNear(Outputs(*session, shape, image), Outputs(*plain, shape, image));
  }
  for (const auto& owner : session->Owners())
    EXPECT_EQ(owner.owner, std::string("nn:") + GetParam())
        << owner.op << ": " << owner.reason;
}

// Every second kind of operation on another device.
TEST_F(Devices, TwoDevices_ShareAModel) {
  const auto one =
      Named("test-one",
            {MUNJA_NN_CONV_2D, MUNJA_NN_HARD_SWISH, MUNJA_NN_MEAN, MUNJA_NN_MUL,
             MUNJA_NN_RESIZE_BILINEAR, MUNJA_NN_SUB, MUNJA_NN_SOFTMAX});
  const auto two = Named("test-two");
  one->time = 0.01f;  // Worth every transfer.
  two->time = 100.0f;
  const auto session = SessionOn(graph_, {one, two});
  for (int run = 0; run < 3; ++run)
    ExpectNear(Outputs(*session, kShape, image_), wanted_);
  EXPECT_EQ(OwnersOf(*session), (std::map<std::string, int>{{"nn:test", 16}}));
  EXPECT_GT(one->prepared, 0);
  EXPECT_GT(two->prepared, 0);
  EXPECT_EQ(one->runs, 3 * one->prepared);
  EXPECT_EQ(two->runs, 3 * two->prepared);
}

// Nodes that no device supports stay on the CPU, between two partitions.
TEST_F(Devices, UnsupportedNodes_StayOnTheCpu) {
  const auto one = Named("test-one", {MUNJA_NN_CONV_2D, MUNJA_NN_MUL});
  const auto session = SessionOn(graph_, {one});
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  const auto owners = OwnersOf(*session);
  // SQUARED_DIFFERENCE is a MUL in part only.
  EXPECT_EQ(owners.at("nn:test"), 2);
  for (const auto& owner : session->Owners())
    if (owner.op == "SQUARED_DIFFERENCE") {
      EXPECT_EQ(owner.reason, "nn:test: no device supports SUB");
    }
}

TEST_F(Devices, Auto_WeighsDevicesAgainstTheCpu) {
  for (const float time : {0.001f, 50.0f}) {
    const auto one = Named("test-one");
    one->time = time;
    Options options;
    options.weighs_cpu = true;
    const auto session = SessionOn(graph_, {one}, std::move(options));
    const auto big = Image(400, 400);
    ExpectNear(Outputs(*session, Shape{1, 400, 400, 3}, big),
               Outputs(*SessionOf(graph_, {}), Shape{1, 400, 400, 3}, big));
    EXPECT_EQ(OwnersOf(*session).contains("nn:test"), time < 1.0f);
  }
}

// A device that does not keep its claims is excluded, and another takes over.
TEST_F(Devices, FailedPreparation_MovesToAnotherDevice) {
  const auto one = Named("test-one"), two = Named("test-two");
  one->time = 0.01f;
  one->fails_preparing = true;
  const auto session = SessionOn(graph_, {one, two});
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  EXPECT_EQ(two->runs, 1);
  EXPECT_EQ(OwnersOf(*session), (std::map<std::string, int>{{"nn:test", 16}}));
}

TEST_F(Devices, FailedRun_FinishesOnTheCpu) {
  for (const int phase : {0, 1, 2}) {
    const auto one = Named("test-one");
    one->refuses_models = phase == 0;
    one->fails_preparing = phase == 1;
    one->fails_running = phase == 2;
    const auto session = SessionOn(graph_, {one});
    for (int run = 0; run < 2; ++run)
      ExpectNear(Outputs(*session, kShape, image_), wanted_);
    EXPECT_EQ(OwnersOf(*session), (std::map<std::string, int>{{"cpu", 16}}));
    // It is left alone: the second run does not ask it.
    EXPECT_EQ(one->runs, phase == 2 ? 1 : 0);
  }
}

// Back-off is of devices, on a clock that the test turns.
TEST_F(Devices, FailedDevice_IsLeftAloneForAWhile) {
  const auto device = OpenTestDevice(Named("test-one"));
  using Managed = munja::hal::ManagedDevice;
  auto now = Managed::Clock::time_point(std::chrono::hours(1));
  EXPECT_TRUE(device->CheckUsable(now).ok());
  std::chrono::seconds wait = Managed::kFirstBackOff;
  for (int i = 0; i < 12; ++i) {
    device->Report(Unavailable("broken"), now);
    // Others that were on their way count as the same failure.
    device->Report(Unavailable("broken"), now + std::chrono::milliseconds(1));
    EXPECT_EQ(device->CheckUsable(now).code(), Code::kUnavailable);
    EXPECT_THAT(std::string(device->CheckUsable(now).message()),
                HasSubstr("broken"));
    EXPECT_FALSE(
        device->CheckUsable(now + wait - std::chrono::milliseconds(1)).ok());
    now += wait;
    EXPECT_TRUE(device->CheckUsable(now).ok()) << wait.count();
    wait = std::min(2 * wait, Managed::kLongestBackOff);
  }
  device->Report(Status(), now);
  device->Report(Unavailable("broken"), now);
  EXPECT_TRUE(device->CheckUsable(now + Managed::kFirstBackOff).ok());
  // Its fault is not the request's.
  const auto other = OpenTestDevice(Named("test-two"));
  other->Report(InvalidArgument("no such input"), now);
  EXPECT_TRUE(other->CheckUsable(now).ok());
}

// A plan goes back to its device when that works again.
TEST_F(Devices, FailedDevice_IsRetriedLater) {
  const auto one = Named("test-one");
  const auto session = SessionOn(graph_, {one});
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  EXPECT_EQ(one->runs, 1);
  one->fails_running = true;
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  EXPECT_EQ(one->runs, 2);
  EXPECT_EQ(OwnersOf(*session).count("cpu"), 1u);
  one->fails_running = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (one->runs < 3 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ExpectNear(Outputs(*session, kShape, image_), wanted_);
  }
  EXPECT_EQ(one->runs, 3);
  EXPECT_EQ(OwnersOf(*session), (std::map<std::string, int>{{"nn:test", 16}}));
}

// Older devices get what they have words for.
TEST_F(Devices, OlderDevice_GetsOnlyItsOperations) {
  int before = 0;
  for (const int32_t version :
       {MUNJA_NN_1_0, MUNJA_NN_1_1, MUNJA_NN_1_2, MUNJA_NN_1_3}) {
    const auto one = Named("test-one");
    one->hal_version = version;
    const auto session = SessionOn(graph_, {one});
    ExpectNear(Outputs(*session, kShape, image_), wanted_);
    const int taken = OwnersOf(*session)["nn:test"];
    EXPECT_GT(taken, before) << version;
    before = taken;
  }
  EXPECT_EQ(before, 16);
}

TEST_F(Devices, Options_ReachTheDriver) {
  const auto one = Named("test-one");
  Options options;
  options.service.preference = MUNJA_NN_PREFER_SUSTAINED_SPEED;
  options.service.priority = MUNJA_NN_PRIORITY_HIGH;
  options.service.run_timeout = std::chrono::hours(1);
  const auto session = SessionOn(graph_, {one}, std::move(options));
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  EXPECT_EQ(one->last_preference, MUNJA_NN_PREFER_SUSTAINED_SPEED);
  EXPECT_EQ(one->last_priority, MUNJA_NN_PRIORITY_HIGH);
  EXPECT_GT(one->last_deadline, 0u);
}

// Forks share what was compiled.
TEST_F(Devices, Forks_ShareTheCompiledModel) {
  const auto one = Named("test-one");
  const auto session = SessionOn(graph_, {one});
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  ExpectNear(Outputs(*session, kShape, image_), wanted_);
  ExpectNear(Outputs(**fork, kShape, image_), wanted_);
  EXPECT_EQ(one->prepared, 1);
  EXPECT_EQ(one->runs, 2);
}

// Two devices take turns: the first one's PRELU waits for the other's
// convolution.
class Turns : public ::testing::Test {
 protected:
  Turns() {
    Network n;
    const ValueId x = n.Value({1, 6, 5, 2});
    n.sub().inputs = {x};
    const ValueId map =
        n.Add("CONV_2D", {x, n.Floats({3, 1, 1, 2})}, {1, 6, 5, 3});
    const ValueId kept =
        n.Add("LEAKY_RELU", {map}, {1, 6, 5, 3}, {{"alpha", 0.5}});
    const ValueId gate = n.Add("TANH", {map}, {1, 6, 5, 3});
    n.sub().outputs = {n.Add("MUL", {kept, gate}, {1, 6, 5, 3})};
    graph_ = n.graph();
    input_.resize(60);
    for (size_t i = 0; i < input_.size(); ++i)
      input_[i] = std::sin(static_cast<float>(i));
    wanted_ = Outputs(*SessionOf(*graph_, {}), shape_, input_);
    one_->has_buffers = one_->has_bursts = true;
    one_->time = 0.0001f;
  }
  std::unique_ptr<Session> On(std::chrono::milliseconds idle_after) const {
    Options options;
    options.service.idle_after = idle_after;
    return SessionOn(*graph_, {one_, two_}, std::move(options));
  }

  const Shape shape_{1, 6, 5, 2};
  std::shared_ptr<const graph::Graph> graph_;
  std::vector<float> input_;
  std::vector<std::vector<float>> wanted_;
  const std::shared_ptr<Behavior> one_ =
      Named("test-one", {MUNJA_NN_CONV_2D, MUNJA_NN_PRELU, MUNJA_NN_MUL});
  const std::shared_ptr<Behavior> two_ = Named("test-two", {MUNJA_NN_TANH});
};

TEST_F(Turns, DeviceMemoryAndBursts_AreUsed) {
  auto session = On(std::chrono::hours(1));
  for (int run = 0; run < 4; ++run)
    ExpectNear(Outputs(*session, shape_, input_), wanted_);
  EXPECT_EQ(one_->prepared, 2);
  EXPECT_EQ(one_->runs, 8);
  EXPECT_EQ(one_->burst_runs, 6);  // From the second time on.
  EXPECT_EQ(one_->bursts, 2);
  EXPECT_EQ(one_->buffers, 1);
  session.reset();
  EXPECT_EQ(one_->bursts, 0);
  EXPECT_EQ(one_->buffers, 0);
}

TEST_F(Turns, IdleResources_AreReleased) {
  const auto session = On(std::chrono::milliseconds(1));
  const auto wait = [](const std::function<bool()>& is_done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_done() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return is_done();
  };
  for (int round = 1; round < 4; ++round) {
    ExpectNear(Outputs(*session, shape_, input_), wanted_);
    EXPECT_TRUE(wait(
        [&] { return one_->idle_calls >= 2 * round && one_->buffers == 0; }));
    EXPECT_EQ(one_->bursts, 0);
  }
}

// Without room there, values pass through the application.
TEST_F(Turns, NoDeviceMemory_StillRuns) {
  one_->has_buffers = false;
  const auto session = On(std::chrono::hours(1));
  for (int run = 0; run < 2; ++run)
    ExpectNear(Outputs(*session, shape_, input_), wanted_);
  EXPECT_EQ(one_->runs, 4);
}

// The part of Graphviz's language that is written: a statement a line, quoted
// texts, and no line between boxes that are not there.
void ExpectDot(const std::string& text) {
  static const std::regex kNode(
      R"re(  ([nv]\d+) \[(?:[a-z]+=(?:\w+|"(?:[^"\\]|\\.)*")(?:, )?)+\];)re"),
      kEdge(
          R"re(  ([nv]\d+) -> ([nv]\d+)(?: \[label="(?:[^"\\]|\\.)*"\])?;)re");
  std::istringstream lines(text);
  std::string line, last;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "digraph model {");
  std::set<std::string> nodes, named;
  while (std::getline(lines, line)) {
    last = line;
    if (line == "}" || line == "  node [shape=box];") continue;
    std::smatch parts;
    if (std::regex_match(line, parts, kNode)) {
      EXPECT_TRUE(nodes.insert(parts[1]).second) << line;
    } else if (std::regex_match(line, parts, kEdge)) {
      named.insert({parts[1], parts[2]});
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_EQ(last, "}");
  EXPECT_THAT(nodes, ::testing::IsSupersetOf(named));
  EXPECT_FALSE(named.empty());
}

TEST_F(Devices, TraceAndDump_AreWritten) {
  const std::string folder = ::testing::TempDir() + "/nn-watched";
  std::filesystem::create_directories(folder);
  std::vector<std::string> lines;
  SetLogSink(
      [&](Severity, std::string_view line) { lines.emplace_back(line); });
  const auto one = Named("test-one", {MUNJA_NN_CONV_2D}),
             two = Named("test-two");
  one->time = 0.0001f;
  two->time = 100'000.0f;
  {
    Options options;
    options.service.trace =
        std::make_shared<runtime::TraceFile>(folder + "/trace.json");
    options.service.dump_directory = folder;
    ASSERT_TRUE(munja::hal::SetVerbose("all").ok());
    const auto session = SessionOn(graph_, {one, two}, std::move(options));
    for (int run = 0; run < 2; ++run)
      ExpectNear(Outputs(*session, kShape, image_), wanted_);
  }
  ASSERT_TRUE(munja::hal::SetVerbose("").ok());
  SetLogSink(nullptr);
  const auto text_of = [](const std::string& path) {
    const auto bytes = ReadFile(path);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
  };
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("nn compilation: ")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr(
                         "nn execution: test-one: status 0, unknown us")));
  const auto trace = nlohmann::json::parse(text_of(folder + "/trace.json"));
  std::map<std::string, int> events;
  for (const auto& event : trace["traceEvents"]) {
    ++events[event["name"]];
    // Fields of a complete event, in microseconds.
    EXPECT_EQ(event["ph"], "X");
    EXPECT_TRUE(event["name"].is_string() && event["cat"].is_string());
    EXPECT_GE(event["dur"], 0);
    EXPECT_GT(event["ts"], 0);
    EXPECT_TRUE(event["pid"].is_number_integer());
    EXPECT_TRUE(event["tid"].is_number_integer());
    EXPECT_TRUE(event["args"].is_object());
  }
  EXPECT_EQ(events["run"], 2);
  EXPECT_EQ(events["prepare on test-one"], one->prepared);
  EXPECT_EQ(events["run on test-one"], one->runs);
  EXPECT_EQ(events["run on test-two"], two->runs);
  std::string dot;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".dot") {
      ExpectDot(text_of(entry.path()));
      dot += text_of(entry.path());
    }
  EXPECT_THAT(dot, HasSubstr("digraph"));
  EXPECT_THAT(dot, HasSubstr("CONV_2D on test-one"));
  EXPECT_THAT(dot, HasSubstr("MEAN on test-two"));
  EXPECT_FALSE(munja::hal::SetVerbose("gossip").ok());
  std::filesystem::remove_all(folder);
}

// Whatever happens to the process of its driver: the application has all of its
// answers, and right ones, since the CPU finishes what the device did not.
// MUNJA_EXECUTIONS: how many.
TEST_F(Devices, KilledHosts_LoseNoAnswer) {
  munja::hal::DriverHostOptions host_options;
  host_options.program = MUNJA_DRIVER_HOST;
  host_options.first_pause_ns = 1'000'000;
  const auto table = munja::hal::StartDriverHost("cpu", host_options);
  ASSERT_TRUE(table.ok()) << table.status().message();
  auto opened = munja::hal::Device::Open(*table, nullptr);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto device = std::make_shared<munja::hal::ManagedDevice>(
      "test", "a host", std::move(opened).value());
  Options options;
  options.names = "test";
  options.devices = {device};
  SessionOptions choices;
  choices.delegates = {std::make_shared<NnDelegate>(std::move(options))};
  auto session =
      CreateSession(std::make_shared<const graph::Graph>(graph_), choices);
  ASSERT_TRUE(session.ok()) << session.status().message();
  std::atomic<bool> is_over{false};
  std::thread killer([&] {
    std::minstd_rand random(11);
    uint64_t last_killed = 0;
    int64_t spared = 0;
    while (!is_over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
      // Kills hosts that serve, and one in ten while it starts: each is in that
      // danger once, or one that starts slowly never would.
      const auto report = munja::hal::ReportOfDriverHost(*table);
      if (report.process <= 0) continue;
      if (report.starts == last_killed) {
        if (report.process == spared) continue;
        spared = report.process;
        if (random() % 10 != 0) continue;
      }
      kill(static_cast<pid_t>(report.process), SIGKILL);
      last_killed = report.starts;
    }
  });
  const char* const wanted_runs = std::getenv("MUNJA_EXECUTIONS");
  const int runs = wanted_runs == nullptr ? 200 : std::atoi(wanted_runs);
  int on_device = 0, on_cpu = 0;
  for (int run = 0; run < runs && !HasFailure(); ++run) {
    // As if the time for which a device is left alone had passed.
    device->Report(Status());
    ExpectNear(Outputs(**session, kShape, image_), wanted_);
    ++(OwnersOf(**session).contains("cpu") ? on_cpu : on_device);
  }
  is_over = true;
  killer.join();
  EXPECT_GT(on_device, 0);
  std::printf("%d answers by the device, %d by the CPU, %llu hosts lost\n",
              on_device, on_cpu,
              static_cast<unsigned long long>(
                  munja::hal::ReportOfDriverHost(*table).lost));
}

// A network of functions of elements, convolutions, and sums along a row that
// no device has an operation for.
Network RandomNetwork(std::mt19937& random) {
  static constexpr const char* kUnary[] = {
      "RELU", "RELU6", "ABS", "NEG", "LOGISTIC", "HARD_SWISH", "LEAKY_RELU"};
  static constexpr const char* kBinary[] = {
      "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"};
  const Shape shape{1, 6, 5, 3};
  Network n;
  const ValueId x = n.Value(shape);
  n.sub().inputs = {x};
  std::vector<ValueId> values = {x};
  const auto any = [&] { return values[random() % values.size()]; };
  const size_t count = 3 + random() % 15;
  for (size_t k = 0; k < count; ++k) {
    const uint32_t kind = random() % 8;
    ValueId v = values.back();
    if (kind < 3) {
      v = n.Add(kUnary[random() % std::size(kUnary)], {any()}, shape);
    } else if (kind < 6) {
      v = n.Add(kBinary[random() % std::size(kBinary)], {any(), v}, shape);
    } else if (kind == 6) {
      v = n.Add("CONV_2D", {any(), n.Floats({3, 1, 1, 3})}, shape,
                {{"padding", std::string("SAME")}});
    } else {
      v = n.Add("CUMSUM", {any(), n.Ints({2}, Shape())}, shape);
    }
    values.push_back(n.Add("TANH", {v}, shape));  // Numbers stay small.
  }
  n.sub().outputs = {values.back(), values[values.size() / 2]};
  if (n.sub().outputs[1] == x) n.sub().outputs.pop_back();
  return n;
}

// Whatever devices there are, whatever they take: what the CPU gives.
TEST(RandomNetworks, AllDevices_Agree) {
  std::mt19937 random(20261123);
  std::map<std::string, int> owners;
  for (int trial = 0; trial < 60; ++trial) {
    const Network n = RandomNetwork(random);
    std::vector<float> input(90);
    for (float& v : input)
      v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    const Shape shape{1, 6, 5, 3};
    const auto wanted = Outputs(*SessionOf(*n.graph(), {}), shape, input);
    std::vector<std::shared_ptr<Behavior>> devices;
    const size_t count = 1 + random() % 3;
    for (size_t d = 0; d < count; ++d) {
      const auto device = Named(d == 0   ? "test-one"
                                : d == 1 ? "test-two"
                                         : "test-three");
      for (int32_t type = 0; type <= MUNJA_NN_RANK; ++type)
        if (random() % 3 != 0) device->operations.insert(type);
      static constexpr float kTimes[] = {0.0001f, 1.0f, 1000.0f};
      device->time = kTimes[random() % 3];
      device->hal_version = MUNJA_NN_1_0 + static_cast<int32_t>(random() % 4);
      device->has_buffers = random() % 2 == 0;
      device->has_bursts = random() % 2 == 0;
      device->fails_preparing = random() % 8 == 0;
      device->fails_running = random() % 8 == 0;
      devices.push_back(device);
    }
    Options options;
    options.weighs_cpu = random() % 2 == 0;
    const auto session = SessionOn(*n.graph(), devices, std::move(options));
    for (int run = 0; run < 2; ++run)
      ExpectNear(Outputs(*session, shape, input), wanted);
    for (const auto& [owner, nodes] : OwnersOf(*session))
      owners[owner] += nodes;
    if (::testing::Test::HasFailure()) FAIL() << "trial " << trial;
  }
  EXPECT_GT(owners["nn:test"], 100);
  EXPECT_GT(owners["cpu"], 100);
}

TEST(Vlog, SubjectList_IsParsed) {
  using munja::hal::IsVerbose;
  using munja::hal::SetVerbose;
  using munja::hal::Subject;
  for (const char* list : {"driver,model", "driver:model", " model  driver"}) {
    EXPECT_TRUE(SetVerbose(list).ok()) << list;
    EXPECT_TRUE(IsVerbose(Subject::kModel) && IsVerbose(Subject::kDriver));
    EXPECT_FALSE(IsVerbose(Subject::kExecution)) << list;
  }
  for (const char* all : {"all", "1"}) {
    EXPECT_TRUE(SetVerbose(all).ok());
    EXPECT_TRUE(IsVerbose(Subject::kManager)) << all;
  }
  EXPECT_THAT(std::string(SetVerbose("model,cpu").message()),
              HasSubstr("'cpu'"));
  EXPECT_TRUE(SetVerbose("").ok());
  EXPECT_FALSE(IsVerbose(Subject::kModel));
}

TEST(NnOptions, UnknownOption_IsRefusedByName) {
  const auto message = [](std::vector<DelegateOption> options) {
    const auto made = Make(options, drivers::Devices());
    return made.ok() ? "" : std::string(made.status().message());
  };
  EXPECT_THAT(message({}), HasSubstr("wants a device"));
  EXPECT_THAT(message({{"device", "absent"}}),
              HasSubstr("only cpu, reference"));
  EXPECT_THAT(message({{"device", "cpu"}, {"speed", "1"}}),
              HasSubstr("no option 'speed'"));
  EXPECT_THAT(message({{"device", "cpu"}, {"priority", "best"}}),
              HasSubstr("low, medium, high"));
  EXPECT_THAT(message({{"device", "cpu"}, {"timeout_ms", "-1"}}),
              HasSubstr("an integer"));
  EXPECT_EQ(message({{"device", "cpu,munja-reference"}}), "");
  EXPECT_EQ(message({{"device", "auto"}}), "");
}

}  // namespace
}  // namespace munja::delegates::nn
