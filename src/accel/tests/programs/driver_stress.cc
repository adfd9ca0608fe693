// A client that puts drivers in processes of their own under load. Its end is
// the outcome: exit code 0 is success, 1 a failure (a wrong or missing answer),
// a signal a crash, no end a hang.
//
//   munja_driver_stress SCENARIO SECONDS [DRIVER]
//
// clients: threads that use one device in every way at once; buffers: memory
// of the device that comes and goes; neighbor: a client that brings down its
// host again and again (DRIVER: of whom). fail, crash, hang: that outcome.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

constexpr uint32_t kElements = 1000;

class Load {
 public:
  explicit Load(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::nanoseconds>(
                 std::chrono::duration<double>(seconds))) {}

  bool GoesOn() const {
    return failures_ == 0 && std::chrono::steady_clock::now() < end_;
  }
  void Expect(bool holds, const char* what) {
    ++checks_;
    if (holds) return;
    ++failures_;
    std::fprintf(stderr, "not so: %s\n", what);
  }
  // Each thread with numbers of its own, until the time is over.
  void InThreads(unsigned count,
                 const std::function<void(std::minstd_rand&)>& work) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < count; ++t)
      threads.emplace_back([&work, t] {
        std::minstd_rand random(t + 1);
        work(random);
      });
    for (std::thread& thread : threads) thread.join();
  }
  int Result() const {
    std::printf("%llu answers checked, %llu wrong\n",
                static_cast<unsigned long long>(checks_.load()),
                static_cast<unsigned long long>(failures_.load()));
    return failures_ == 0 ? 0 : 1;
  }

 private:
  const std::chrono::steady_clock::time_point end_;
  std::atomic<uint64_t> checks_{0}, failures_{0};
};

int32_t ExecuteFenced(const Host& host, Sums& sums) {
  const munja_nn_execution_options options = NoOptions();
  int32_t number = -1;
  munja_nn_fence_info* info = nullptr;
  const int32_t status =
      host.model->execute_fenced(host.model->self, sums.request(), &options,
                                 nullptr, 0, 0, &number, &info);
  const Descriptor fence(number);
  if (status != MUNJA_NN_NONE) return status;
  pollfd state = {fence.get(), POLLIN, 0};
  if (fence.get() >= 0) poll(&state, 1, -1);
  munja_nn_timing launched = {}, fenced = {};
  const int32_t result = info->query(info->self, &launched, &fenced);
  info->release(info->self);
  return result;
}

int32_t ExecuteInBackground(const Host& host, Sums& sums) {
  const munja_nn_execution_options options = NoOptions();
  AwaitedResult outcome;
  const int32_t status =
      host.model->execute_async(host.model->self, sums.request(), &options,
                                AwaitedResult::Executed, &outcome);
  return status == MUNJA_NN_NONE ? outcome.status() : status;
}

// A model for one request.
int32_t PrepareAndExecute(const Host& host, uint32_t elements, bool is_shared,
                          bool* is_right) {
  munja_nn_prepared_model* model = nullptr;
  int32_t status = PrepareAddition(host.device, elements, &model);
  if (status != MUNJA_NN_NONE) return status;
  Sums sums(elements, is_shared);
  sums.Fill(1);
  AwaitedResult outcome;
  const munja_nn_execution_options options = NoOptions();
  status = model->execute(model->self, sums.request(), &options,
                          AwaitedResult::Executed, &outcome);
  *is_right = sums.IsRight();
  model->release(model->self);
  return status;
}

void UseInEveryWay(Load& load) {
  const Host host(true, kElements);
  load.Expect(host.model != nullptr, "there is a device");
  if (host.model == nullptr) return;
  load.InThreads(4, [&](std::minstd_rand& random) {
    Sums shared(kElements), own(kElements, false);
    munja_nn_burst* burst = nullptr;
    while (load.GoesOn()) {
      const bool is_shared = random() % 2 == 0;
      Sums& sums = is_shared ? shared : own;
      sums.Fill(static_cast<float>(random() % 500));
      int32_t status = MUNJA_NN_NONE;
      AwaitedResult outcome;
      const munja_nn_execution_options options = NoOptions();
      bool is_right = true;
      switch (random() % 6) {
        case 0:
          status =
              host.model->execute(host.model->self, sums.request(), &options,
                                  AwaitedResult::Executed, &outcome);
          break;
        case 1:
          status = ExecuteInBackground(host, sums);
          break;
        case 2:
          status = ExecuteFenced(host, sums);
          break;
        case 3:
          status = PrepareAndExecute(host, 700 + random() % 3000, is_shared,
                                     &is_right);
          sums.Fill(1);
          for (uint32_t i = 0; i < kElements; ++i)
            sums.sum()[i] = sums.a()[i] + sums.b()[i];
          break;
        default: {
          if (burst == nullptr &&
              host.model->create_burst(host.model->self, &burst) !=
                  MUNJA_NN_NONE)
            break;
          const int32_t slot = is_shared ? 1 : 2;
          status = burst->execute(burst->self, sums.request(), &slot, &options,
                                  AwaitedResult::Executed, &outcome);
          if (random() % 50 == 0) {
            burst->release(burst->self);
            burst = nullptr;
          }
        }
      }
      load.Expect(status == MUNJA_NN_NONE, "a request succeeds");
      load.Expect(is_right && sums.IsRight(), "an answer is right");
    }
    if (burst != nullptr) burst->release(burst->self);
  });
  load.Expect(ReportOfDriverHost(host.device).lost == 0, "the host stays");
}

// The expected content of a buffer; empty: nothing was written.
struct Held {
  munja_nn_buffer* table = nullptr;
  std::vector<float> content;
};

munja_nn_memory Whole(std::vector<float>& values) {
  return {sizeof(munja_nn_memory),
          values.data(),
          values.size() * sizeof(float),
          -1,
          0,
          0};
}

munja_nn_buffer* Allocate(const Host& host) {
  const munja_nn_buffer_role role = {sizeof role, 0, 0, 1.0f};
  munja_nn_buffer_description description = {};
  description.struct_size = sizeof description;
  description.models = &host.model;
  description.model_count = 1;
  description.input_roles = description.output_roles = &role;
  description.input_role_count = description.output_role_count = 1;
  munja_nn_buffer* buffer = nullptr;
  host.device->allocate(host.device->self, &description, &buffer);
  return buffer;
}

// to = from + b.
int32_t AddOnDevice(const Host& host, const Held& from, const Held& to,
                    Sums& sums) {
  munja_nn_request request = *sums.request();
  munja_nn_argument inputs[2] = {request.inputs[0], request.inputs[1]};
  munja_nn_argument output = request.outputs[0];
  munja_nn_memory pools[3] = {request.pools[0]};
  for (munja_nn_memory* pool : {&pools[1], &pools[2]}) {
    pool->struct_size = sizeof *pool;
    pool->fd = -1;
  }
  pools[1].token = from.table->token;
  pools[2].token = to.table->token;
  inputs[0].location = {1, 0, 0};
  output.location = {2, 0, 0};
  request.inputs = inputs;
  request.outputs = &output;
  request.pools = pools;
  request.pool_count = 3;
  AwaitedResult outcome;
  const munja_nn_execution_options options = NoOptions();
  return host.model->execute(host.model->self, &request, &options,
                             AwaitedResult::Executed, &outcome);
}

void ChurnBuffers(Load& load) {
  const Host host(true, kElements);
  load.Expect(host.model != nullptr, "there is a device");
  if (host.model == nullptr) return;
  load.InThreads(3, [&](std::minstd_rand& random) {
    std::deque<Held> all;
    Sums sums(kElements);
    std::vector<float> values(kElements);
    while (load.GoesOn()) {
      Held* const one = all.empty() ? nullptr : &all[random() % all.size()];
      const uint32_t action = random() % 8;
      if (one == nullptr || (action == 0 && all.size() < 8)) {
        all.push_back({Allocate(host), {}});
        load.Expect(all.back().table != nullptr, "memory is allocated");
        if (all.back().table == nullptr) all.pop_back();
      } else if (action == 1) {
        one->table->release(one->table->self);
        std::swap(*one, all.back());
        all.pop_back();
      } else if (action < 4) {
        for (float& value : values) value = static_cast<float>(random() % 999);
        const munja_nn_memory memory = Whole(values);
        load.Expect(one->table->copy_from(one->table->self, &memory, nullptr,
                                          0) == MUNJA_NN_NONE,
                    "memory is written");
        one->content = values;
      } else if (action < 6) {
        const munja_nn_memory memory = Whole(values);
        const int32_t status = one->table->copy_to(one->table->self, &memory);
        if (one->content.empty()) {
          load.Expect(status == MUNJA_NN_GENERAL_FAILURE,
                      "what was not written cannot be read");
        } else {
          load.Expect(status == MUNJA_NN_NONE, "memory is read");
          load.Expect(values == one->content, "memory holds what was written");
        }
      } else {
        Held& other = all[random() % all.size()];
        if (&other == one || one->content.empty()) continue;
        sums.Fill(static_cast<float>(random() % 100));
        load.Expect(AddOnDevice(host, *one, other, sums) == MUNJA_NN_NONE,
                    "a request between buffers succeeds");
        other.content.resize(kElements);
        for (uint32_t i = 0; i < kElements; ++i)
          other.content[i] = one->content[i] + sums.b()[i];
      }
    }
    for (Held& held : all) held.table->release(held.table->self);
  });
  load.Expect(ReportOfDriverHost(host.device).lost == 0, "the host stays");
}

// Crashes, hangs, nonsense, and requests without end.
void DisturbTheHost(Load& load, const char* driver) {
  DriverHostOptions options = TestOptions();
  options.execution_ns = 100'000'000;
  options.first_pause_ns = 0;
  const auto started = StartDriverHost(driver, options);
  load.Expect(started.ok(), "there is a host");
  if (!started.ok()) return;
  munja_nn_prepared_model* model = nullptr;
  while (load.GoesOn() && model == nullptr)
    PrepareAddition(*started, kElements, &model);
  const munja_nn_execution_options none = NoOptions();
  for (int round = 0; load.GoesOn(); ++round) {
    std::deque<Sums> sums;
    std::deque<AwaitedResult> outcomes;
    for (int i = 0; i < 64; ++i) {
      sums.emplace_back(kElements, i % 2 == 0).Fill(1);
      outcomes.emplace_back();
    }
    constexpr Fault kFaults[] = {Fault::kCrash, Fault::kProtocolError,
                                 Fault::kHang};
    sums.back().Fill(1, kFaults[round % 3]);
    for (size_t i = 0; i < sums.size(); ++i)
      model->execute_async(model->self, sums[i].request(), &none,
                           AwaitedResult::Executed, &outcomes[i]);
    for (size_t i = 0; i < sums.size(); ++i)
      load.Expect(outcomes[i].status() != MUNJA_NN_NONE || sums[i].IsRight(),
                  "an answer is right or there is none");
  }
  if (model != nullptr) model->release(model->self);
  (*started)->release((*started)->self);
}

int Main(std::string_view scenario, double seconds, const char* driver) {
  Load load(seconds);
  if (scenario == "clients") {
    UseInEveryWay(load);
  } else if (scenario == "buffers") {
    ChurnBuffers(load);
  } else if (scenario == "neighbor" && driver != nullptr) {
    DisturbTheHost(load, driver);
  } else if (scenario == "fail") {
    load.Expect(false, "that nothing fails");
  } else if (scenario == "crash") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  } else if (scenario == "hang") {
    for (;;) pause();
  } else {
    std::fprintf(stderr, "no scenario '%s'\n", std::string(scenario).c_str());
    return 2;
  }
  return load.Result();
}

}  // namespace
}  // namespace munja::hal

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  return munja::hal::Main(argv[1], std::atof(argv[2]),
                          argc > 3 ? argv[3] : nullptr);
}
