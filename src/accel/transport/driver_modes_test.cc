// Execution modes of a device in a process of its own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "transport/channel.h"
#include "transport/driver_host.h"
#include "transport/shared_memory.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

DriverHostOptions Impatient() {
  DriverHostOptions options;
  options.execution_ns = 2'000'000'000;
  options.first_pause_ns = 0;
  return options;
}

// Drivers that have all of it, and drivers that have executions only.
class BothDrivers : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Drivers, BothDrivers, testing::Bool());

TEST_P(BothDrivers, Async_CallsBack) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  const munja_nn_execution_options options = NoOptions();
  constexpr int kRequests = 24;
  std::deque<Sums> sums;
  std::deque<AwaitedResult> outcomes;
  for (int i = 0; i < kRequests; ++i) {
    sums.emplace_back(1000, i % 2 == 0);
    sums.back().Fill(static_cast<float>(i));
    outcomes.emplace_back();
    EXPECT_EQ(host.model->execute_async(host.model->self, sums.back().request(),
                                        &options, AwaitedResult::Executed,
                                        &outcomes.back()),
              MUNJA_NN_NONE);
  }
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_EQ(outcomes[i].status(), MUNJA_NN_NONE);
    EXPECT_TRUE(sums[i].IsRight()) << i;
  }
  // A wrong one: at once, and by the callback.
  munja_nn_request wrong = *sums[0].request();
  wrong.input_count = 1;
  AwaitedResult refused;
  EXPECT_EQ(host.model->execute_async(host.model->self, &wrong, &options,
                                      AwaitedResult::Executed, &refused),
            MUNJA_NN_INVALID_ARGUMENT);
  EXPECT_EQ(refused.calls(), 1);
  // All that are under way when the host is lost end, each once.
  sums[0].Fill(1, Fault::kHang);
  sums[2].Fill(1, Fault::kCrash);
  AwaitedResult hung, crashed;
  host.model->execute_async(host.model->self, sums[0].request(), &options,
                            AwaitedResult::Executed, &hung);
  host.model->execute_async(host.model->self, sums[2].request(), &options,
                            AwaitedResult::Executed, &crashed);
  EXPECT_EQ(hung.status(), MUNJA_NN_DEVICE_UNAVAILABLE);
  EXPECT_EQ(crashed.status(), MUNJA_NN_DEVICE_UNAVAILABLE);
}

// release() waits for callbacks; none comes after it.
TEST_P(BothDrivers, Release_WaitsForRequests) {
  auto host = std::make_unique<Host>(GetParam());
  ASSERT_NE(host->model, nullptr);
  Sums sums(1000);
  AwaitedResult outcome;
  const munja_nn_execution_options options = NoOptions();
  sums.Fill(1, Fault::kSlow);
  host->model->execute_async(host->model->self, sums.request(), &options,
                             AwaitedResult::Executed, &outcome);
  host = nullptr;
  EXPECT_EQ(outcome.calls(), 1);
  EXPECT_TRUE(sums.IsRight());
}

TEST_P(BothDrivers, AsyncDeadline_IsKept) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  Sums slow(1000, false), quick(1000, false);
  AwaitedResult missed, made;
  slow.Fill(1, Fault::kSlow);
  quick.Fill(1);
  const munja_nn_execution_options options = In(50);
  host.model->execute_async(host.model->self, slow.request(), &options,
                            AwaitedResult::Executed, &missed);
  const munja_nn_execution_options none = NoOptions();
  host.model->execute_async(host.model->self, quick.request(), &none,
                            AwaitedResult::Executed, &made);
  EXPECT_EQ(made.status(), MUNJA_NN_NONE);
  EXPECT_EQ(missed.status(), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(slow.sum()[0], -1e9f);  // Nothing is written any more.
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(slow.sum()[0], -1e9f);
  EXPECT_EQ(missed.calls(), 1);
}

enum class FenceState { kPending, kDone, kFailed };

FenceState StateOf(int fence, int timeout) {
  pollfd state = {fence, POLLIN, 0};
  poll(&state, 1, timeout);
  state.events = POLLIN | POLLOUT;
  poll(&state, 1, 0);
  if ((state.revents & POLLIN) == 0) return FenceState::kPending;
  return (state.revents & POLLOUT) != 0 ? FenceState::kDone
                                        : FenceState::kFailed;
}

struct Fenced {
  Descriptor fence;
  munja_nn_fence_info* info = nullptr;
  munja_nn_timing launched = {}, fenced = {};

  Fenced() = default;
  ~Fenced() {
    if (info != nullptr) info->release(info->self);
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  int32_t Start(const Host& host, Sums& sums,
                const munja_nn_execution_options& options,
                const std::vector<int32_t>& wait_for = {},
                uint64_t duration_ns = 0) {
    int32_t number = -1;
    const int32_t status = host.model->execute_fenced(
        host.model->self, sums.request(), &options, wait_for.data(),
        static_cast<uint32_t>(wait_for.size()), duration_ns, &number, &info);
    fence = Descriptor(number);
    return status;
  }
  int32_t Query() { return info->query(info->self, &launched, &fenced); }
};

TEST_P(BothDrivers, Fenced_SignalsItsFence) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  Sums first(1000), second(1000, false);
  first.Fill(1, Fault::kSlow);
  second.Fill(2);
  munja_nn_execution_options options = NoOptions();
  options.measure = 1;
  Fenced a, b;
  ASSERT_EQ(a.Start(host, first, options), MUNJA_NN_NONE);
  EXPECT_EQ(a.Query(), MUNJA_NN_GENERAL_FAILURE) << "before its fence";
  // One waits for the other.
  ASSERT_EQ(b.Start(host, second, options, {a.fence.get()}), MUNJA_NN_NONE);
  EXPECT_EQ(StateOf(b.fence.get(), 0), FenceState::kPending);
  EXPECT_EQ(StateOf(b.fence.get(), 60'000), FenceState::kDone);
  EXPECT_EQ(StateOf(a.fence.get(), 0), FenceState::kDone);
  EXPECT_EQ(a.Query(), MUNJA_NN_NONE);
  EXPECT_EQ(b.Query(), MUNJA_NN_NONE);
  EXPECT_TRUE(first.IsRight());
  EXPECT_TRUE(second.IsRight());
  EXPECT_NE(b.launched.in_driver, MUNJA_NN_NO_TIME);
}

TEST_P(BothDrivers, FailedRequest_FailsItsFence) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  Sums sums(1000);
  sums.Fill(1);
  const Descriptor pending(eventfd(0, EFD_NONBLOCK));
  const Descriptor failed(eventfd(0, EFD_NONBLOCK));
  const uint64_t failure = MUNJA_NN_FENCE_FAILED;
  ASSERT_GT(write(failed.get(), &failure, sizeof failure), 0);
  {
    Fenced wrong;
    EXPECT_EQ(wrong.Start(host, sums, NoOptions(), {failed.get()}),
              MUNJA_NN_INVALID_ARGUMENT);
    EXPECT_EQ(wrong.info, nullptr);
    EXPECT_EQ(wrong.fence.get(), -1);
    EXPECT_EQ(wrong.Start(host, sums, NoOptions(), {98765}),
              MUNJA_NN_INVALID_ARGUMENT);
  }
  {
    // It turns out to fail while a caller waits for it.
    Fenced waiting;
    ASSERT_EQ(waiting.Start(host, sums, NoOptions(), {pending.get()}),
              MUNJA_NN_NONE);
    ASSERT_GT(write(pending.get(), &failure, sizeof failure), 0);
    EXPECT_EQ(StateOf(waiting.fence.get(), 60'000), FenceState::kFailed);
    EXPECT_EQ(waiting.Query(), MUNJA_NN_GENERAL_FAILURE);
  }
  {
    const Descriptor never(eventfd(0, EFD_NONBLOCK));
    Fenced late;
    ASSERT_EQ(late.Start(host, sums, In(500), {never.get()}), MUNJA_NN_NONE);
    EXPECT_EQ(StateOf(late.fence.get(), 60'000), FenceState::kFailed);
    EXPECT_EQ(late.Query(), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  }
  {
    sums.Fill(1, Fault::kSlow);
    Fenced slow;
    ASSERT_EQ(slow.Start(host, sums, NoOptions(), {}, 50'000'000),
              MUNJA_NN_NONE);
    EXPECT_EQ(StateOf(slow.fence.get(), 60'000), FenceState::kFailed);
    EXPECT_EQ(slow.Query(), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  }
  sums.Fill(1, Fault::kCrash);
  Fenced crashed;
  ASSERT_EQ(crashed.Start(host, sums, NoOptions()), MUNJA_NN_NONE);
  EXPECT_EQ(StateOf(crashed.fence.get(), 60'000), FenceState::kFailed);
  EXPECT_EQ(crashed.Query(), MUNJA_NN_DEVICE_UNAVAILABLE);
}

class Burst {
 public:
  explicit Burst(const Host& host) {
    EXPECT_EQ(host.model->create_burst(host.model->self, &table_),
              MUNJA_NN_NONE);
  }
  ~Burst() {
    if (table_ != nullptr) table_->release(table_->self);
  }
  Burst(const Burst&) = delete;
  Burst& operator=(const Burst&) = delete;

  int32_t Execute(Sums& sums, int32_t slot,
                  const munja_nn_execution_options& options = NoOptions()) {
    AwaitedResult outcome;
    const int32_t status =
        table_->execute(table_->self, sums.request(), &slot, &options,
                        AwaitedResult::Executed, &outcome);
    EXPECT_EQ(outcome.calls(), 1);
    EXPECT_EQ(outcome.status(), status);
    return status;
  }
  void Forget(int32_t slot) { table_->forget(table_->self, slot); }

 private:
  munja_nn_burst* table_ = nullptr;
};

TEST_P(BothDrivers, Burst_IsExecuted) {
  Host host(GetParam());
  ASSERT_NE(host.model, nullptr);
  Burst burst(host);
  Sums shared(1000), own(1000, false);
  for (int i = 0; i < 100; ++i)
    for (const int32_t slot : {5, -1})
      for (Sums* sums : {&shared, &own}) {
        sums->Fill(static_cast<float>(i));
        // Each its own slot.
        const int32_t name = slot < 0 ? -1 : slot + (sums == &own ? 1 : 0);
        ASSERT_EQ(burst.Execute(*sums, name), MUNJA_NN_NONE);
        ASSERT_TRUE(sums->IsRight());
      }
  burst.Forget(99);  // Not known: nothing.
  burst.Forget(5);
  burst.Forget(5);
  // A name may be another pool's afterwards, or even without.
  for (Sums* sums : {&own, &shared, &own}) {
    sums->Fill(7);
    ASSERT_EQ(burst.Execute(*sums, 5), MUNJA_NN_NONE);
    ASSERT_TRUE(sums->IsRight());
  }
}

TEST_P(BothDrivers, Burst_SurvivesItsHost) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  Burst burst(host), other(host);
  Sums shared(1000), own(1000, false);
  uint64_t lost = 0;
  for (const Fault fault : {Fault::kCrash, Fault::kHang, Fault::kProtocolError})
    for (Sums* sums : {&shared, &own}) {
      if (fault == Fault::kHang && sums == &own) continue;
      sums->Fill(1, fault);
      EXPECT_EQ(burst.Execute(*sums, 3), MUNJA_NN_DEVICE_UNAVAILABLE);
      burst.Forget(3);
      for (Burst* next : {&burst, &other}) {
        sums->Fill(2);
        EXPECT_EQ(next->Execute(*sums, 3), MUNJA_NN_NONE);
        EXPECT_TRUE(sums->IsRight());
        next->Forget(3);
      }
      EXPECT_EQ(ReportOfDriverHost(host.device).lost, ++lost);
    }
  shared.Fill(1, Fault::kSlow);
  EXPECT_EQ(burst.Execute(shared, 3, In(50)),
            MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  shared.Fill(1, Fault::kRespectsCancel);
  EXPECT_THAT(burst.Execute(shared, 3, In(100)),
              testing::AnyOf(MUNJA_NN_MISSED_DEADLINE_PERSISTENT,
                             MUNJA_NN_MISSED_DEADLINE_TRANSIENT));
  for (const Fault fault : {Fault::kUnknownStatus, Fault::kManyShapes,
                            Fault::kWrongTiming, Fault::kNoCallback}) {
    shared.Fill(1, fault);
    EXPECT_EQ(burst.Execute(shared, 3), MUNJA_NN_GENERAL_FAILURE);
  }
  shared.Fill(5);
  EXPECT_EQ(burst.Execute(shared, 3), MUNJA_NN_NONE);
  EXPECT_TRUE(shared.IsRight());
}

// Several threads, each with a burst, while one's requests kill the host.
TEST_P(BothDrivers, Burst_ServesManyThreads) {
  Host host(GetParam(), 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  std::atomic<int> right{0}, lost{0}, wrong{0};
  // Made before the first crash, of which the making of one may be the victim.
  std::deque<Burst> bursts;
  for (int t = 0; t < 3; ++t) bursts.emplace_back(host);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Burst& burst = bursts[static_cast<size_t>(t)];
      Sums sums(1000, t != 1);
      std::minstd_rand random(static_cast<unsigned>(t) + 1);
      for (int i = 0; i < 150; ++i) {
        const bool crashes = t == 2 && random() % 30 == 0;
        sums.Fill(static_cast<float>(i + t),
                  crashes ? Fault::kCrash : Fault::kNone);
        const int32_t status = burst.Execute(sums, 1);
        if (status == MUNJA_NN_NONE)
          ++(sums.IsRight() && !crashes ? right : wrong);
        else if (status == MUNJA_NN_DEVICE_UNAVAILABLE)
          ++lost;
        else
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(right + lost, 450);
  EXPECT_GT(right, 150);
}

class Buffer {
 public:
  Buffer(const Host& host, bool is_input) {
    munja_nn_buffer_role role = {sizeof role, 0, 0, 1.0f};
    munja_nn_buffer_description description = {};
    description.struct_size = sizeof description;
    description.models = &host.model;
    description.model_count = 1;
    (is_input ? description.input_roles : description.output_roles) = &role;
    (is_input ? description.input_role_count : description.output_role_count) =
        1;
    EXPECT_EQ(host.device->allocate(host.device->self, &description, &table_),
              MUNJA_NN_NONE);
  }
  ~Buffer() {
    if (table_ != nullptr) table_->release(table_->self);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int32_t CopyTo(std::vector<float>& values) {
    const munja_nn_memory memory = Whole(values);
    return table_->copy_to(table_->self, &memory);
  }
  int32_t CopyFrom(std::vector<float>& values) {
    const munja_nn_memory memory = Whole(values);
    return table_->copy_from(table_->self, &memory, nullptr, 0);
  }
  uint32_t token() const { return table_->token; }

 private:
  static munja_nn_memory Whole(std::vector<float>& values) {
    return {sizeof(munja_nn_memory),
            values.data(),
            values.size() * sizeof(float),
            -1,
            0,
            0};
  }
  munja_nn_buffer* table_ = nullptr;
};

TEST(Buffers, LostHost_EmptiesBuffers) {
  Host host(true, 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  Buffer in(host, true), out(host, false);
  EXPECT_NE(in.token(), 0u);
  EXPECT_NE(in.token(), out.token());
  std::vector<float> values(1000, 3.0f), result(1000), wrong(999);
  Sums sums(1000);
  munja_nn_request request = *sums.request();
  std::array<munja_nn_argument, 2> inputs = {request.inputs[0],
                                             request.inputs[1]};
  munja_nn_argument output = request.outputs[0];
  std::array<munja_nn_memory, 3> pools = {request.pools[0]};
  for (const size_t i : {1, 2}) {
    pools[i].struct_size = sizeof pools[i];
    pools[i].fd = -1;
  }
  pools[1].token = in.token();
  pools[2].token = out.token();
  inputs[0].location = {1, 0, 0};
  output.location = {2, 0, 0};
  request.inputs = inputs.data();
  request.outputs = &output;
  request.pools = pools.data();
  request.pool_count = 3;
  const auto execute = [&] {
    AwaitedResult outcome;
    const munja_nn_execution_options options = NoOptions();
    return host.model->execute(host.model->self, &request, &options,
                               AwaitedResult::Executed, &outcome);
  };
  for (int i = 0; i < 2; ++i) {
    // Nothing was written: nothing can be read. The same after a crash, which
    // takes with it what was there.
    EXPECT_EQ(in.CopyTo(result), MUNJA_NN_GENERAL_FAILURE);
    EXPECT_EQ(execute(), MUNJA_NN_GENERAL_FAILURE);
    EXPECT_EQ(in.CopyFrom(wrong), MUNJA_NN_INVALID_ARGUMENT);
    EXPECT_EQ(in.CopyFrom(values), MUNJA_NN_NONE);
    sums.Fill(4);
    EXPECT_EQ(execute(), MUNJA_NN_NONE);
    EXPECT_EQ(out.CopyTo(result), MUNJA_NN_NONE);
    for (size_t k = 0; k < 1000; ++k) ASSERT_EQ(result[k], 3.0f + sums.b()[k]);
    sums.Fill(1, Fault::kCrash);
    EXPECT_EQ(host.Execute(sums, NoOptions()), MUNJA_NN_DEVICE_UNAVAILABLE);
  }
  pools[1].token = 4711;
  EXPECT_EQ(execute(), MUNJA_NN_INVALID_ARGUMENT);
}

// A model that came from a cache, and one that was saved there, are prepared
// from it again when the host is lost.
TEST(Caches, LostHost_PreparesFromCache) {
  Host host(true, 1000, Impatient());
  ASSERT_NE(host.model, nullptr);
  const Descriptor file(memfd_create("cache", MFD_CLOEXEC));
  const int32_t number = file.get();
  munja_nn_cache cache = {};
  cache.struct_size = sizeof cache;
  cache.model_fds = &number;
  cache.model_fd_count = 1;
  cache.token[0] = 9;
  struct Given {
    std::atomic<int> calls{0};
    int32_t status = -1;
    munja_nn_prepared_model* model = nullptr;
  } given;
  const auto prepare = [&] {
    given.calls = 0;
    host.device->prepare_from_cache(
        host.device->self, 0, &cache,
        [](void* user, int32_t status, munja_nn_prepared_model* model) {
          auto* to = static_cast<Given*>(user);
          to->status = status;
          to->model = model;
          ++to->calls;
        },
        &given);
    while (given.calls == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return given.status;
  };
  EXPECT_EQ(prepare(), MUNJA_NN_GENERAL_FAILURE) << "nothing in it";
  EXPECT_EQ(given.model, nullptr);
  munja_nn_prepared_model* saved = nullptr;
  ASSERT_EQ(PrepareAddition(host.device, 500, &saved, &cache), MUNJA_NN_NONE);
  ASSERT_EQ(prepare(), MUNJA_NN_NONE);
  munja_nn_prepared_model* const cached = given.model;
  const munja_nn_execution_options options = NoOptions();
  const auto execute = [&](munja_nn_prepared_model* model, Fault fault) {
    Sums sums(500);
    sums.Fill(1, fault);
    AwaitedResult outcome;
    const int32_t status = model->execute(model->self, sums.request(), &options,
                                          AwaitedResult::Executed, &outcome);
    EXPECT_TRUE(status != MUNJA_NN_NONE || sums.IsRight());
    return status;
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(execute(saved, Fault::kNone), MUNJA_NN_NONE);
    EXPECT_EQ(execute(cached, Fault::kNone), MUNJA_NN_NONE);
    EXPECT_EQ(execute(cached, Fault::kCrash), MUNJA_NN_DEVICE_UNAVAILABLE);
  }
  // Without its file the one is lost, the other still has its model.
  ASSERT_EQ(ftruncate(file.get(), 0), 0);
  EXPECT_EQ(execute(cached, Fault::kNone), MUNJA_NN_GENERAL_FAILURE);
  EXPECT_EQ(execute(saved, Fault::kNone), MUNJA_NN_NONE);
  saved->release(saved->self);
  cached->release(cached->self);
}

// A host that was started by hand, for several clients, which it keeps apart.
TEST(ListeningHost, Clients_AreIndependent) {
  const std::string path = testing::TempDir() + "h";
  const std::string driver = FaultDriver(true);
  std::vector<std::string> words = {MUNJA_DRIVER_HOST, "--listen", path,
                                    driver};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t id = 0;
  ASSERT_EQ(posix_spawn(&id, MUNJA_DRIVER_HOST, nullptr, nullptr,
                        arguments.data(), environ),
            0);
  DriverHostOptions options = Impatient();
  const auto start = [&]() -> munja_nn_device* {
    for (int i = 0; i < 2000; ++i) {
      auto started = StartDriverHost("unix:" + path, options);
      if (started.ok()) return *started;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return nullptr;
  };
  munja_nn_device* const good = start();
  munja_nn_device* const bad = start();
  ASSERT_NE(good, nullptr);
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(ReportOfDriverHost(good).process, 0);
  munja_nn_prepared_model *good_model = nullptr, *bad_model = nullptr;
  ASSERT_EQ(PrepareAddition(good, 1000, &good_model), MUNJA_NN_NONE);
  ASSERT_EQ(PrepareAddition(bad, 1000, &bad_model), MUNJA_NN_NONE);
  const munja_nn_execution_options none = NoOptions();
  const auto execute = [&](munja_nn_prepared_model* model, Fault fault) {
    Sums sums(1000);
    sums.Fill(1, fault);
    AwaitedResult outcome;
    const int32_t status = model->execute(model->self, sums.request(), &none,
                                          AwaitedResult::Executed, &outcome);
    EXPECT_TRUE(status != MUNJA_NN_NONE || sums.IsRight());
    return status;
  };
  for (const Fault fault :
       {Fault::kCrash, Fault::kHang, Fault::kProtocolError}) {
    EXPECT_EQ(execute(bad_model, fault), MUNJA_NN_DEVICE_UNAVAILABLE);
    EXPECT_EQ(execute(good_model, Fault::kNone), MUNJA_NN_NONE);
    EXPECT_EQ(execute(bad_model, Fault::kNone), MUNJA_NN_NONE);
  }
  EXPECT_EQ(ReportOfDriverHost(good).lost, 0u);
  EXPECT_EQ(ReportOfDriverHost(bad).lost, 3u);
  for (munja_nn_prepared_model* model : {good_model, bad_model})
    model->release(model->self);
  for (munja_nn_device* device : {good, bad}) device->release(device->self);
  kill(id, SIGTERM);
  int status = -1;
  waitpid(id, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace munja::hal
