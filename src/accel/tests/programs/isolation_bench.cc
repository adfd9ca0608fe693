// Cost of a driver in a process of its own: one driver and one model, 1 MB in
// and 1 MB out in shared memory, called in process, over a burst and call by
// call; and over a burst from memory that is not shared. The modes take turns,
// so that all of them see the same machine.
//
//   munja_isolation_bench [ROUNDS]
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "hal/c_structs.h"
#include "hal/fence.h"
#include "munja/driver.h"
#include "transport/channel.h"
#include "transport/driver_host.h"
#include "transport/shared_memory.h"

namespace munja::hal {
namespace {

constexpr uint32_t kElements = 262144;
constexpr uint32_t kBytes = kElements * sizeof(float);

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// c = a + b; requests give the same megabyte for both.
Model Addition() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  main.operands.resize(4);
  for (const size_t i : {0, 1, 3}) main.operands[i].dimensions = {kElements};
  main.operands[0].lifetime = MUNJA_NN_SUBGRAPH_INPUT;
  main.operands[1].lifetime = MUNJA_NN_SUBGRAPH_INPUT;
  main.operands[2].type = MUNJA_NN_INT32;
  main.operands[2].lifetime = MUNJA_NN_CONSTANT_COPY;
  main.operands[2].location = {0, 0, 4};
  main.operands[3].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
  for (const size_t i : {0, 1, 2}) main.operands[i].consumers = 1;
  model.operand_values.resize(4);
  main.operations = {{MUNJA_NN_ADD, {0, 1, 2}, {3}}};
  main.inputs = {0, 1};
  main.outputs = {3};
  return model;
}

struct Data {
  munja_nn_memory pool = {};
  munja_nn_argument arguments[3] = {};
  munja_nn_request request = {};
  std::vector<float> own;
  Memory shared;

  explicit Data(bool is_shared) {
    if (is_shared) {
      auto made = SharedPool(uint64_t{2} * kBytes);
      if (!made.ok()) Fail("no shared memory");
      shared = std::move(made).value();
    } else {
      own.resize(size_t{2} * kElements);
      shared.data = own.data();
      shared.bytes = uint64_t{2} * kBytes;
    }
    for (uint32_t i = 0; i < kElements; ++i)
      static_cast<float*>(shared.data)[i] = static_cast<float>(i);
    pool = {sizeof pool, shared.data, shared.bytes, shared.fd, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) {
      arguments[i].struct_size = sizeof arguments[i];
      arguments[i].location = {0, i == 2 ? kBytes : 0, kBytes};
    }
    request.struct_size = sizeof request;
    request.inputs = arguments;
    request.input_count = 2;
    request.outputs = arguments + 2;
    request.output_count = 1;
    request.pools = &pool;
    request.pool_count = 1;
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
};

munja_nn_prepared_model* Prepare(munja_nn_device* device) {
  struct Waiting {
    std::atomic<munja_nn_prepared_model*> model{nullptr};
    std::atomic<int32_t> status{-1};
  } waiting;
  const Model addition = Addition();
  const ModelStruct structs(addition);
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  device->prepare(
      device->self, structs.get(), &options,
      [](void* user, int32_t status, munja_nn_prepared_model* model) {
        static_cast<Waiting*>(user)->model = model;
        static_cast<Waiting*>(user)->status = status;
      },
      &waiting);
  while (waiting.status < 0) {
  }
  if (waiting.model == nullptr) Fail("the model cannot be prepared");
  return waiting.model;
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
  DriverHostOptions host_options;
  host_options.program = MUNJA_DRIVER_HOST;
  auto started =
      StartDriverHost(std::string(MUNJA_FAULT_DRIVER) + "#1", host_options);
  if (!started.ok()) Fail(std::string(started.status().message()));
  munja_nn_prepared_model* const here = Prepare(OpenHere());
  munja_nn_prepared_model* const there = Prepare(*started);
  munja_nn_burst* const burst_here = CreateBurst(here);
  munja_nn_burst* const burst = CreateBurst(there);
  munja_nn_burst* const copying = CreateBurst(there);
  const Data shared(true), own(false);
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  const int32_t slot = 1;
  const auto in_burst = [&](munja_nn_burst* of, const Data& data) {
    return of->execute(of->self, &data.request, &slot, &options, Ignore,
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
                     return there->execute(there->self, &shared.request,
                                           &options, Ignore, nullptr);
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
