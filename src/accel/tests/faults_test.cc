// Drivers that fail inside this process: the framework must not.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/case_runner.h"
#include "hal/cases.h"
#include "hal/device.h"
#include "tests/plugins/fault_injecting_driver.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

std::shared_ptr<Device> OpenTestDevice(TestDevice number) {
  auto device = LoadDriver(std::string(MUNJA_FAULT_DRIVER) + "#" +
                           std::to_string(static_cast<int>(number)));
  EXPECT_TRUE(device.ok()) << device.status().message();
  return *device;
}

// A sum of two elements that asks for a fault.
Case AdditionWith(Fault fault) {
  const float a[] = {static_cast<float>(fault), 5.0f}, b[] = {0.0f, 1.0f};
  Case example;
  example.name = "addition";
  example.model = Addition(2);
  for (const float* values : {a, b}) {
    std::vector<uint8_t> bytes(sizeof a);
    std::memcpy(bytes.data(), values, bytes.size());
    example.inputs.emplace_back(std::move(bytes));
  }
  example.outputs.push_back(
      {MUNJA_NN_TENSOR_FLOAT32, {2}, false, {double{a[0]}, 6.0}});
  return example;
}

int32_t Execute(const Device& device, Fault fault,
                std::chrono::milliseconds time) {
  const Case example = AdditionWith(fault);
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  auto model = device.Prepare(example.model, options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  std::vector<uint8_t> a = *example.inputs[0], b = *example.inputs[1], sum(8);
  Request request;
  request.inputs.resize(2);
  request.inputs[0].location = {0, 0, 8};
  request.inputs[1].location = {1, 0, 8};
  request.outputs.emplace_back().location = {2, 0, 8};
  for (auto* bytes : {&a, &b, &sum}) {
    Memory& pool = request.pools.emplace_back();
    pool.data = bytes->data();
    pool.bytes = bytes->size();
  }
  munja_nn_execution_options how = {};
  how.struct_size = sizeof how;
  how.deadline_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          (std::chrono::steady_clock::now() + time).time_since_epoch())
          .count());
  return (*model)->Execute(request, how).status;
}

TEST(DriverFaults, None_CasesPass) {
  EXPECT_EQ(
      RunCase(*OpenTestDevice(TestDevice::kPlain), AdditionWith(Fault::kNone))
          .reason,
      "");
}

TEST(DriverFaults, Hang_MissesTheDeadline) {
  const auto device = OpenTestDevice(TestDevice::kPlain);
  EXPECT_EQ(Execute(*device, Fault::kHang, std::chrono::milliseconds(30)),
            MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(device->left_behind(), 1);
}

TEST(DriverFaultsDeathTest, Crash_EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((void)RunCase(*OpenTestDevice(TestDevice::kPlain),
                            AdditionWith(Fault::kCrash)),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(DriverFaults, WrongResult_FailsTheCase) {
  const Outcome outcome = RunCase(*OpenTestDevice(TestDevice::kPlain),
                                  AdditionWith(Fault::kWrongResult));
  EXPECT_EQ(outcome.status, CaseStatus::kFailed);
}

TEST(DriverFaults, Late_IsRightButMissesTheDeadline) {
  const auto device = OpenTestDevice(TestDevice::kPlain);
  EXPECT_EQ(RunCase(*device, AdditionWith(Fault::kLate)).reason, "");
  EXPECT_EQ(Execute(*device, Fault::kLate, std::chrono::milliseconds(30)),
            MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
}

TEST(DriverFaults, UnkeptClaim_FailsTheCase) {
  const auto device = OpenTestDevice(TestDevice::kClaims);
  const Case example = AdditionWith(Fault::kNone);
  const auto supported = device->SupportedOperations(example.model);
  ASSERT_TRUE(supported.ok()) << supported.status().message();
  EXPECT_TRUE((*supported)[0]);
  EXPECT_EQ(RunCase(*device, example).status, CaseStatus::kFailed);
}

}  // namespace
}  // namespace munja::hal
