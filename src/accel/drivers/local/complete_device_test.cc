// The optional parts of the HAL in the drivers of the project.
#include "drivers/local/complete_device.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "drivers/local/local_driver.h"
#include "hal/c_structs.h"
#include "hal/case_runner.h"
#include "hal/device.h"
#include "hal/eval/testing.h"

namespace munja::drivers::local {
namespace {

// x + 1 of three numbers; the activation is an input, too.
hal::Case Sum() {
  return hal::CaseOf(MUNJA_NN_ADD,
                     {{MUNJA_NN_TENSOR_FLOAT32, {3}, {1, 2, 3}},
                      {MUNJA_NN_TENSOR_FLOAT32, {3}, {1, 1, 1}},
                      {MUNJA_NN_INT32, {}, {0}}},
                     {{MUNJA_NN_TENSOR_FLOAT32, {3}, {2, 3, 4}}});
}

hal::Memory MemoryOf(void* data, uint64_t bytes) {
  hal::Memory memory;
  memory.data = data;
  memory.bytes = bytes;
  return memory;
}

munja_nn_execution_options Plainly() {
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  return options;
}

munja_nn_compilation_options Fast() {
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  return options;
}

// A request of Sum() in memory: x at 0, ones at 64, the activation at 128, the
// result at 192.
struct Numbers4 {
  std::array<float, 64> memory = {};
  hal::Request request;

  Numbers4() {
    for (int i = 0; i < 3; ++i) {
      memory[i] = static_cast<float>(i + 1);
      memory[16 + i] = 1.0f;
    }
    request.pools.push_back(MemoryOf(memory.data(), sizeof memory));
    request.inputs = {{false, {0, 0, 12}, {}},
                      {false, {0, 64, 12}, {}},
                      {false, {0, 128, 4}, {}}};
    request.outputs = {{false, {0, 192, 12}, {}}};
  }
  float result(int i) const { return memory[48 + i]; }
  void Use(hal::Argument& argument, uint32_t token) {
    argument.location = {static_cast<uint32_t>(request.pools.size()), 0, 0};
    request.pools.emplace_back().token = token;
  }
};

class CompleteDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto device = hal::Device::Open(OpenDevice(GetParam()), nullptr);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *device;
  }
  std::shared_ptr<hal::Device> device_;
};

TEST_P(CompleteDevice, AllModes_RunAModel) {
  const hal::Outcome outcome = hal::RunCase(*device_, Sum(), hal::kAllModes);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_TRUE(outcome.lacking.empty());
  // All but the one of unsigned bytes, of which there are none.
  EXPECT_EQ(outcome.run.size(), std::size(hal::kAllModes) - 1);
}

TEST_P(CompleteDevice, DeviceMemory_KeepsValuesBetweenRequests) {
  const hal::Case example = Sum();
  const auto model = device_->Prepare(example.model, Fast());
  const auto other = device_->Prepare(example.model, Fast());
  ASSERT_TRUE(model.ok() && other.ok());
  const hal::Device::Role in = {model->get(), 0}, out = {model->get(), 0};
  const auto input = device_->Allocate({&in, 1}, {});
  const auto both = device_->Allocate({&in, 1}, {&out, 1});
  ASSERT_TRUE(input.ok() && both.ok());
  EXPECT_NE((*input)->token(), (*both)->token());
  const auto run = [&](const hal::PreparedModel& of, uint32_t from,
                       uint32_t to) {
    Numbers4 numbers;
    if (from != 0) numbers.Use(numbers.request.inputs[0], from);
    if (to != 0) numbers.Use(numbers.request.outputs[0], to);
    const int32_t status = of.Execute(numbers.request, Plainly()).status;
    return std::pair(status, numbers.result(2));
  };
  const uint32_t a = (*input)->token(), b = (*both)->token();
  using Answer = std::pair<int32_t, float>;
  constexpr int32_t kWrong = MUNJA_NN_INVALID_ARGUMENT;
  // Nothing was written yet.
  std::array<float, 3> values = {};
  const hal::Memory memory = MemoryOf(values.data(), sizeof values);
  EXPECT_FALSE((*both)->CopyTo(memory).ok());
  EXPECT_EQ(run(**model, b, 0), Answer(MUNJA_NN_GENERAL_FAILURE, 0));
  // Another role, another model, no buffer, from and to the same.
  EXPECT_EQ(run(**model, 0, a), Answer(kWrong, 0));
  EXPECT_EQ(run(**other, b, 0), Answer(kWrong, 0));
  EXPECT_EQ(run(**model, b + 100, 0), Answer(kWrong, 0));
  EXPECT_EQ(run(**model, b, b), Answer(kWrong, 0));
  // 3 + 1, kept, + 1.
  EXPECT_EQ(run(**model, 0, b).first, MUNJA_NN_NONE);
  EXPECT_EQ(run(**model, b, 0), Answer(MUNJA_NN_NONE, 5));
  ASSERT_TRUE((*both)->CopyTo(memory).ok());
  EXPECT_EQ(values, (std::array<float, 3>{2, 3, 4}));
  ASSERT_TRUE((*input)->CopyFrom(memory, {3}).ok());
  EXPECT_EQ(run(**model, a, 0), Answer(MUNJA_NN_NONE, 5));
  EXPECT_FALSE((*input)->CopyFrom(memory, {4}).ok());
  EXPECT_FALSE((*input)->CopyFrom(MemoryOf(values.data(), 8), {}).ok());
  EXPECT_EQ(run(**model, a, 0), Answer(MUNJA_NN_GENERAL_FAILURE, 0));
}

TEST_P(CompleteDevice, UnfitMemory_IsRefused) {
  const hal::Case example = Sum();
  const auto model = device_->Prepare(example.model, Fast());
  ASSERT_TRUE(model.ok());
  const hal::Device::Role x = {model->get(), 0}, scalar = {model->get(), 2},
                          none = {model->get(), 3};
  const hal::Device::Role twice[] = {x, x}, mixed[] = {x, scalar};
  EXPECT_FALSE(device_->Allocate({}, {}).ok());
  EXPECT_FALSE(device_->Allocate(twice, {}).ok());
  EXPECT_FALSE(device_->Allocate(mixed, {}).ok());
  EXPECT_FALSE(device_->Allocate({&none, 1}, {}).ok());
  EXPECT_TRUE(device_->Allocate({&scalar, 1}, {}).ok());
}

TEST_P(CompleteDevice, DamagedCacheFiles_AreDetected) {
  const hal::Case example = Sum();
  const Descriptor file(memfd_create("model", MFD_CLOEXEC));
  const int32_t fd = file.get();
  munja_nn_cache cache = {};
  cache.struct_size = sizeof cache;
  cache.model_fds = &fd;
  cache.model_fd_count = 1;
  cache.token[5] = 7;
  munja_nn_compilation_options options = Fast();
  options.cache = &cache;
  ASSERT_TRUE(device_->Prepare(example.model, options).ok());
  const off_t size = lseek(fd, 0, SEEK_END);
  ASSERT_GT(size, 100);
  const auto works = [&] { return device_->PrepareFromCache(cache, 0).ok(); };
  ASSERT_TRUE(works());
  for (off_t at = 0; at < size; ++at) {
    uint8_t byte = 0;
    ASSERT_EQ(pread(fd, &byte, 1, at), 1);
    const uint8_t other = byte ^ 0x10;
    ASSERT_EQ(pwrite(fd, &other, 1, at), 1);
    EXPECT_FALSE(works()) << at;
    ASSERT_EQ(pwrite(fd, &byte, 1, at), 1);
  }
  cache.token[5] = 8;
  EXPECT_FALSE(works());
  cache.token[5] = 7;
  cache.model_fd_count = 0;
  EXPECT_FALSE(works());
  cache.model_fd_count = 1;
  const auto other = hal::Device::Open(
      OpenDevice(std::string(GetParam()) == "cpu" ? "reference" : "cpu"),
      nullptr);
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE((*other)->PrepareFromCache(cache, 0).ok());
  const auto model = device_->PrepareFromCache(cache, 0);
  ASSERT_TRUE(model.ok());
  Numbers4 numbers;
  EXPECT_EQ((*model)->Execute(numbers.request, Plainly()).status,
            MUNJA_NN_NONE);
  EXPECT_EQ(numbers.result(0), 2);
  ASSERT_EQ(ftruncate(fd, size - 1), 0);
  EXPECT_FALSE(works());
}

enum class Fence { kPending, kDone, kFailed };
Fence StateOf(int fd, int wait_ms) {
  pollfd state = {fd, POLLIN, 0};
  poll(&state, 1, wait_ms);
  state.events = POLLIN | POLLOUT;
  poll(&state, 1, 0);
  if ((state.revents & POLLIN) == 0) return Fence::kPending;
  return (state.revents & POLLOUT) != 0 ? Fence::kDone : Fence::kFailed;
}

TEST_P(CompleteDevice, Fences_AreWaitedFor) {
  const hal::Case example = Sum();
  const munja_nn_device& table = device_->table();
  munja_nn_prepared_model* model = nullptr;
  const munja_nn_compilation_options fast = Fast();
  const hal::ModelStruct structs(example.model);
  table.prepare(
      table.self, structs.get(), &fast,
      [](void* to, int32_t, munja_nn_prepared_model* made) {
        *static_cast<munja_nn_prepared_model**>(to) = made;
      },
      &model);
  ASSERT_NE(model, nullptr);
  constexpr int kLong = 60'000;
  // before: what the fence says at the call, after: once it runs.
  const auto run = [&](uint64_t before, uint64_t after, uint64_t limit_ns,
                       int32_t* status) {
    Numbers4 numbers;
    const hal::RequestStruct request(numbers.request);
    munja_nn_execution_options options = Plainly();
    options.measure = 1;
    const Descriptor waited(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const auto signal = [&](uint64_t value) {
      EXPECT_EQ(write(waited.get(), &value, sizeof value),
                static_cast<ssize_t>(sizeof value));
    };
    if (before != 0) signal(before);
    const int32_t wait_for = waited.get();
    int32_t fence = -1;
    munja_nn_fence_info* info = nullptr;
    if (limit_ns != 0) {
      timespec now = {};
      clock_gettime(CLOCK_MONOTONIC, &now);
      options.deadline_ns = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
                            static_cast<uint64_t>(now.tv_nsec) + limit_ns;
    }
    *status = model->execute_fenced(model->self, request.get(), &options,
                                    &wait_for, 1, 0, &fence, &info);
    if (*status != MUNJA_NN_NONE) return Fence::kFailed;
    const Descriptor own(fence);
    munja_nn_timing launched = {}, fenced = {};
    if (before == 0 && limit_ns == 0) {
      EXPECT_EQ(StateOf(fence, 20), Fence::kPending);
      EXPECT_EQ(info->query(info->self, &launched, &fenced),
                MUNJA_NN_GENERAL_FAILURE);
      signal(after);
    }
    const Fence state = StateOf(fence, kLong);
    *status = info->query(info->self, &launched, &fenced);
    if (state == Fence::kDone) {
      EXPECT_EQ(numbers.result(1), 3);
      EXPECT_LE(fenced.in_driver, launched.in_driver);
    }
    info->release(info->self);
    return state;
  };
  int32_t status = 0;
  EXPECT_EQ(run(MUNJA_NN_FENCE_DONE, 0, 0, &status), Fence::kDone);
  EXPECT_EQ(status, MUNJA_NN_NONE);
  EXPECT_EQ(run(0, MUNJA_NN_FENCE_DONE, 0, &status), Fence::kDone);
  EXPECT_EQ(status, MUNJA_NN_NONE);
  EXPECT_EQ(run(0, MUNJA_NN_FENCE_FAILED, 0, &status), Fence::kFailed);
  EXPECT_EQ(status, MUNJA_NN_GENERAL_FAILURE);
  EXPECT_EQ(run(MUNJA_NN_FENCE_FAILED, 0, 0, &status), Fence::kFailed);
  EXPECT_EQ(status, MUNJA_NN_INVALID_ARGUMENT);
  EXPECT_EQ(run(0, 0, 10'000'000, &status), Fence::kFailed);
  EXPECT_EQ(status, MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  model->release(model->self);
}

INSTANTIATE_TEST_SUITE_P(Drivers, CompleteDevice,
                         ::testing::Values("reference", "cpu"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace munja::drivers::local
