#include "drivers/faulty/faulty_driver.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hal/case_runner.h"
#include "hal/cases.h"
#include "hal/device.h"

namespace munja::drivers::faulty {
namespace {

// -3 and 5 through RELU.
nn::Case Relu() {
  nn::Case example;
  example.name = "relu";
  nn::Subgraph& main = example.model.subgraphs.emplace_back();
  for (const int32_t lifetime :
       {MUNJA_NN_SUBGRAPH_INPUT, MUNJA_NN_SUBGRAPH_OUTPUT}) {
    nn::Operand& operand = main.operands.emplace_back();
    operand.dimensions = {2};
    operand.lifetime = lifetime;
  }
  main.operands[0].consumers = 1;
  main.operations.push_back({MUNJA_NN_RELU, {0}, {1}});
  main.inputs = {0};
  main.outputs = {1};
  const float values[] = {-3.0f, 5.0f};
  std::vector<uint8_t> bytes(sizeof values);
  std::memcpy(bytes.data(), values, sizeof values);
  example.inputs.emplace_back(std::move(bytes));
  example.outputs.push_back({MUNJA_NN_TENSOR_FLOAT32, {2}, false, {0.0, 5.0}});
  return example;
}

std::shared_ptr<nn::Device> Open(const std::string& name) {
  auto device =
      nn::Device::Open(OpenDevice(name), nullptr, nn::Keeper::kDevice);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return *device;
}

int32_t Execute(const nn::Device& device, std::chrono::milliseconds time) {
  const nn::Case example = Relu();
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  auto model = device.Prepare(example.model, options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  std::vector<uint8_t> input = *example.inputs[0], output(8);
  nn::Request request;
  request.inputs.emplace_back().location = {0, 0, 8};
  request.outputs.emplace_back().location = {1, 0, 8};
  for (auto* bytes : {&input, &output}) {
    nn::Memory& pool = request.pools.emplace_back();
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

TEST(FaultyDriver, HasOnlyTheFaultsThatItNames) {
  EXPECT_EQ(OpenDevice("faulty"), nullptr);
  EXPECT_EQ(OpenDevice("cpu"), nullptr);
  for (const std::string_view name : kNames)
    EXPECT_EQ(Open(std::string(name))->name(), "munja-faulty");
}

TEST(FaultyDriver, HangsAndTheRequestMissesItsDeadline) {
  const auto device = Open("faulty-hang");
  EXPECT_EQ(Execute(*device, std::chrono::milliseconds(30)),
            MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(device->left_behind(), 1);
}

TEST(FaultyDriverDeathTest, Crashes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((void)nn::RunCase(*Open("faulty-crash"), Relu()),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultyDriver, CorruptsWhatItGives) {
  const nn::Outcome outcome = nn::RunCase(*Open("faulty-corrupt"), Relu());
  EXPECT_EQ(outcome.verdict, nn::Verdict::kFailed);
}

TEST(FaultyDriver, AnswersLateAndRight) {
  const auto device = Open("faulty-late");
  EXPECT_EQ(nn::RunCase(*device, Relu()).reason, "");
  EXPECT_EQ(Execute(*device, std::chrono::milliseconds(30)),
            MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
}

TEST(FaultyDriver, ClaimsWhatItCannotDo) {
  const auto device = Open("faulty-claims");
  const nn::Case example = Relu();
  const auto supported = device->SupportedOperations(example.model);
  ASSERT_TRUE(supported.ok()) << supported.status().message();
  EXPECT_TRUE((*supported)[0]);
  EXPECT_EQ(nn::RunCase(*device, example).verdict, nn::Verdict::kFailed);
}

}  // namespace
}  // namespace munja::drivers::faulty
