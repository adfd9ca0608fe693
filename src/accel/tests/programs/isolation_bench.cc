// Cost of a driver in a process of its own: one driver and one model, 1 MB in
// and 1 MB out in shared memory, called in process, over a burst and call by
// call; and over a burst from memory that is not shared. The modes take turns,
// so that all of them see the same machine.
//
//   munja_isolation_bench [ROUNDS]
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "hal/fence.h"
#include "munja/driver.h"
#include "transport/driver_host.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

constexpr uint32_t kElements = 262144;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// The same megabyte is both inputs.
class BenchRequest {
 public:
  explicit BenchRequest(bool is_shared)
      : sums_(kElements, is_shared), request_(*sums_.request()) {
    sums_.Fill(0);
    std::ranges::fill(inputs_, request_.inputs[0]);
    request_.inputs = inputs_;
  }
  BenchRequest(const BenchRequest&) = delete;
  BenchRequest& operator=(const BenchRequest&) = delete;
  const munja_nn_request* get() const { return &request_; }

 private:
  Sums sums_;
  munja_nn_request request_;
  munja_nn_argument inputs_[2];
};

munja_nn_prepared_model* Prepare(munja_nn_device* device) {
  munja_nn_prepared_model* model = nullptr;
  PrepareAddition(device, kElements, &model);
  if (model == nullptr) Fail("the model cannot be prepared");
  return model;
}

munja_nn_burst* CreateBurst(munja_nn_prepared_model* model) {
  munja_nn_burst* burst = nullptr;
  if (model->create_burst(model->self, &burst) != MUNJA_NN_NONE)
    Fail("no burst");
  return burst;
}

munja_nn_device* OpenHere() {
  void* const library = dlopen(MUNJA_FAULT_DRIVER, RTLD_NOW);
  if (library == nullptr) Fail(dlerror());
  const auto entry = reinterpret_cast<munja_driver_entry_function>(
      dlsym(library, MUNJA_DRIVER_ENTRY));
  static constexpr munja_nn_host kHost = {sizeof(munja_nn_host), nullptr,
                                          [](void*, int32_t, const char*) {}};
  const munja_nn_driver* const driver = entry(&kHost);
  munja_nn_device* device = nullptr;
  driver->open(driver->self, 1, &device);
  return device;
}

struct Mode {
  const char* name;
  std::function<int32_t()> call;
  std::vector<double> microseconds;

  double At(double part) const {
    return microseconds[static_cast<size_t>(
        part * static_cast<double>(microseconds.size() - 1))];
  }
};

void Ignore(void*, const munja_nn_result*) {}

int Main(int rounds) {
  auto started = StartDriverHost(FaultDriver(/*full=*/true), TestOptions());
  if (!started.ok()) Fail(std::string(started.status().message()));
  munja_nn_prepared_model* const here = Prepare(OpenHere());
  munja_nn_prepared_model* const there = Prepare(*started);
  munja_nn_burst* const burst_here = CreateBurst(here);
  munja_nn_burst* const burst = CreateBurst(there);
  munja_nn_burst* const copying = CreateBurst(there);
  const BenchRequest shared(true), own(false);
  const munja_nn_execution_options options = NoOptions();
  const int32_t slot = 1;
  const auto in_burst = [&](munja_nn_burst* of, const BenchRequest& request) {
    return of->execute(of->self, request.get(), &slot, &options, Ignore,
                       nullptr);
  };
  std::vector<Mode> modes;
  modes.push_back(
      {"in process", [&] { return in_burst(burst_here, shared); }, {}});
  modes.push_back(
      {"isolated, burst", [&] { return in_burst(burst, shared); }, {}});
  modes.push_back({"isolated, burst, memory that is copied",
                   [&] { return in_burst(copying, own); },
                   {}});
  modes.push_back({"isolated, call by call",
                   [&] {
                     return there->execute(there->self, shared.get(), &options,
                                           Ignore, nullptr);
                   },
                   {}});
  // Short rows of one mode: a burst is for many requests one after the other.
  constexpr int kRow = 20;
  for (int round = 0; round < rounds / kRow + 1; ++round)
    for (Mode& mode : modes)
      for (int i = 0; i < kRow; ++i) {
        const uint64_t begin = MonotonicNow();
        if (mode.call() != MUNJA_NN_NONE)
          Fail(std::string(mode.name) + " fails");
        const uint64_t end = MonotonicNow();
        if (round > 0 || i > 2)
          mode.microseconds.push_back(static_cast<double>(end - begin) / 1000);
      }
  std::printf("%-40s %8s %8s %8s %8s\n", "1 MB in, 1 MB out; microseconds",
              "p50", "p90", "p99", "adds");
  for (Mode& mode : modes) {
    std::ranges::sort(mode.microseconds);
    std::printf("%-40s %8.1f %8.1f %8.1f %8.1f\n", mode.name, mode.At(0.5),
                mode.At(0.9), mode.At(0.99), mode.At(0.5) - modes[0].At(0.5));
  }
  for (munja_nn_burst* of : {burst, copying, burst_here}) of->release(of->self);
  for (munja_nn_prepared_model* of : {here, there}) of->release(of->self);
  (*started)->release((*started)->self);
  return 0;
}

}  // namespace
}  // namespace munja::hal

int main(int argc, char** argv) {
  return munja::hal::Main(argc > 1 ? std::atoi(argv[1]) : 2000);
}
