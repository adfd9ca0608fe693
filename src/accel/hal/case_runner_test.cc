#include "hal/case_runner.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "hal/cases.h"
#include "hal/device.h"
#include "munja/driver.hpp"

namespace munja::hal {
namespace {

class Copies : public driver::PreparedModel {
  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options&) override {
    std::vector<driver::Argument> inputs, outputs;
    if (!driver::ReadArguments(request, false, 1, &inputs) ||
        !driver::ReadArguments(request, true, 1, &outputs) ||
        inputs[0].bytes != outputs[0].bytes)
      return {};
    std::memcpy(outputs[0].data, inputs[0].data, inputs[0].bytes);
    return {MUNJA_NN_NONE, {}};
  }
};

// Runs one operation, as if it did nothing, where its size is known before.
class FixedSizes : public driver::Device {
  driver::Description Describe() override {
    driver::Description description;
    description.name = "test-fixed";
    description.version_string = "1";
    description.SetPerformance(MUNJA_NN_TENSOR_FLOAT32, 1.0f, 1.0f);
    return description;
  }
  int32_t SupportedOperations(const munja_nn_model& model,
                              uint8_t* supported) override {
    const driver::Graph graph = driver::ReadGraph(model);
    supported[0] = graph.operands[graph.outputs[0]].elements() > 0 ? 1 : 0;
    return MUNJA_NN_NONE;
  }
  int32_t Prepare(const munja_nn_model&, const munja_nn_compilation_options&,
                  std::unique_ptr<driver::PreparedModel>* prepared) override {
    *prepared = std::make_unique<Copies>();
    return MUNJA_NN_NONE;
  }
};

Case ReluCase() {
  Case example;
  Subgraph& main = example.model.subgraphs.emplace_back();
  main.operands.resize(2);
  main.operands[0].lifetime = MUNJA_NN_SUBGRAPH_INPUT;
  main.operands[0].consumers = 1;
  main.operands[1].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
  for (Operand& operand : main.operands) operand.dimensions = {1};
  main.operations = {{MUNJA_NN_RELU, {0}, {1}}};
  main.inputs = {0};
  main.outputs = {1};
  example.inputs.emplace_back(std::vector<uint8_t>(4));  // 0
  example.outputs.push_back({MUNJA_NN_TENSOR_FLOAT32, {1}, false, {0.0}});
  return example;
}

// A driver may refuse what is not known before the run, and still run the case.
TEST(CaseRunner, RefusedVariant_IsAMissingMode) {
  const auto device =
      Device::Open(driver::Export(std::make_unique<FixedSizes>()), nullptr);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const std::vector<Mode> both = {Mode::kSync, Mode::kDynamic};
  const Outcome outcome = RunCase(**device, ReluCase(), both);
  EXPECT_EQ(outcome.status, CaseStatus::kPassed) << outcome.reason;
  EXPECT_EQ(outcome.run, std::vector{Mode::kSync});
  EXPECT_EQ(outcome.lacking, std::vector{Mode::kDynamic});
  const std::vector<Mode> dynamic = {Mode::kDynamic};
  EXPECT_EQ(RunCase(**device, ReluCase(), dynamic).status,
            CaseStatus::kUnsupported);
}

}  // namespace
}  // namespace munja::hal
