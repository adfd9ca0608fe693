// Drivers that do not come back, in this process.
#include "hal/device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "munja/driver.hpp"

namespace munja::hal {
namespace {

// A driver that hangs waits here.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = true;
  std::atomic<int> models = 0;  // That are not released.

  void Set(bool open) {
    const std::lock_guard lock(mutex);
    is_open = open;
    changed.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_open; });
  }
};

// Adds 1 to each byte, when its gate is open.
class SlowModel : public driver::PreparedModel {
 public:
  explicit SlowModel(Gate& gate) : gate_(gate) { ++gate_.models; }
  ~SlowModel() override { --gate_.models; }
  SlowModel(const SlowModel&) = delete;
  SlowModel& operator=(const SlowModel&) = delete;

  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options&) override {
    std::vector<driver::Argument> in, out;
    driver::Answer answer;
    if (!driver::ReadArguments(request, false, 1, &in) ||
        !driver::ReadArguments(request, true, 1, &out))
      return answer;
    gate_.Pass();
    for (size_t i = 0; i < out[0].bytes; ++i)
      static_cast<uint8_t*>(out[0].data)[i] =
          static_cast<uint8_t>(static_cast<const uint8_t*>(in[0].data)[i] + 1);
    answer.status = MUNJA_NN_NONE;
    return answer;
  }

 private:
  Gate& gate_;
};

class SlowDevice : public driver::Device {
 public:
  explicit SlowDevice(Gate& gate) : gate_(gate) {}
  driver::Description Describe() override {
    driver::Description description;
    description.name = "test-slow";
    description.version_string = "1";
    return description;
  }
  int32_t SupportedOperations(const munja_nn_model&, uint8_t*) override {
    return MUNJA_NN_NONE;
  }
  int32_t Prepare(const munja_nn_model&, const munja_nn_compilation_options&,
                  std::unique_ptr<driver::PreparedModel>* made) override {
    gate_.Pass();
    *made = std::make_unique<SlowModel>(gate_);
    return MUNJA_NN_NONE;
  }

 private:
  Gate& gate_;
};

uint64_t After(std::chrono::milliseconds time) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          (std::chrono::steady_clock::now() + time).time_since_epoch())
          .count());
}
constexpr auto kSoon = std::chrono::milliseconds(30);
constexpr auto kLong = std::chrono::minutes(10);

// One operation that gives four bytes for four.
Model FourBytes() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  for (const int32_t lifetime :
       {MUNJA_NN_SUBGRAPH_INPUT, MUNJA_NN_SUBGRAPH_OUTPUT}) {
    Operand& operand = main.operands.emplace_back();
    operand.type = MUNJA_NN_TENSOR_BOOL8;
    operand.dimensions = {4};
    operand.lifetime = lifetime;
  }
  main.operands[0].consumers = 1;
  main.operations.push_back({MUNJA_NN_LOGICAL_NOT, {0}, {1}});
  main.inputs = {0};
  main.outputs = {1};
  return model;
}

class GuardedDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto device =
        Device::Open(driver::Export(std::make_unique<SlowDevice>(gate_)),
                     nullptr, Keeper::kDevice);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *device;
  }
  void TearDown() override {
    gate_.Set(true);
    WaitUntilBack();
  }
  void WaitUntilBack() {
    while (device_->left_behind() > 0) std::this_thread::yield();
  }
  Result<std::unique_ptr<PreparedModel>> Prepare(uint64_t deadline_ns) {
    munja_nn_compilation_options options = {};
    options.struct_size = sizeof options;
    options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
    options.priority = MUNJA_NN_PRIORITY_MEDIUM;
    options.deadline_ns = deadline_ns;
    return device_->Prepare(FourBytes(), options);
  }
  // Runs on the bytes 1, 2, 3, 4; the memory ends with the call.
  int32_t Execute(const PreparedModel& model, uint64_t deadline_ns,
                  std::vector<uint8_t>* result = nullptr) {
    std::vector<uint8_t> in = {1, 2, 3, 4}, out(4);
    Request request;
    request.inputs.emplace_back().location = {0, 0, 4};
    request.outputs.emplace_back().location = {1, 0, 4};
    for (auto* bytes : {&in, &out}) {
      Memory& pool = request.pools.emplace_back();
      pool.data = bytes->data();
      pool.bytes = bytes->size();
    }
    munja_nn_execution_options options = {};
    options.struct_size = sizeof options;
    options.deadline_ns = deadline_ns;
    const int32_t status = model.Execute(request, options).status;
    if (result != nullptr) *result = out;
    return status;
  }

  Gate gate_;
  std::shared_ptr<Device> device_;
};

TEST_F(GuardedDevice, AnswerInTime_ReachesTheCallersMemory) {
  const auto model = Prepare(After(kLong));
  ASSERT_TRUE(model.ok()) << model.status().message();
  std::vector<uint8_t> result;
  for (const uint64_t deadline : {After(kLong), uint64_t{0}, UINT64_MAX}) {
    EXPECT_EQ(Execute(**model, deadline, &result), MUNJA_NN_NONE);
    EXPECT_EQ(result, (std::vector<uint8_t>{2, 3, 4, 5}));
  }
  EXPECT_EQ(device_->left_behind(), 0);
}

TEST_F(GuardedDevice, HungRequest_MissesItsDeadlineAndDisablesTheDevice) {
  auto model = Prepare(0);
  ASSERT_TRUE(model.ok()) << model.status().message();
  gate_.Set(false);
  EXPECT_EQ(Execute(**model, After(kSoon)), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(device_->left_behind(), 1);
  // Nothing else waits for it, with a deadline or without.
  EXPECT_EQ(Execute(**model, 0), MUNJA_NN_DEVICE_UNAVAILABLE);
  EXPECT_EQ(Prepare(0).status().code(), Code::kUnavailable);
  EXPECT_EQ(device_->SupportedOperations(FourBytes()).status().code(),
            Code::kUnavailable);
  // The driver still runs in the model: it goes when the request is back.
  model->reset();
  EXPECT_EQ(gate_.models, 1);
  gate_.Set(true);
  WaitUntilBack();
  EXPECT_EQ(gate_.models, 0);
  const auto again = Prepare(0);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(Execute(**again, After(kLong)), MUNJA_NN_NONE);
}

TEST_F(GuardedDevice, HungPreparation_MissesItsDeadlineAndReleasesItsModel) {
  gate_.Set(false);
  EXPECT_EQ(Prepare(After(kSoon)).status().code(), Code::kTimedOut);
  EXPECT_EQ(device_->left_behind(), 1);
  gate_.Set(true);
  WaitUntilBack();
  EXPECT_EQ(gate_.models, 0);
}

TEST_F(GuardedDevice, PastDeadline_IsMissedAtOnce) {
  const auto model = Prepare(0);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(Execute(**model, 1), MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(device_->left_behind(), 0);
}

}  // namespace
}  // namespace munja::hal
