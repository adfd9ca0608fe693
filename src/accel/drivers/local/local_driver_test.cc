#include "drivers/local/local_driver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hal/case_runner.h"
#include "hal/cases.h"
#include "hal/device.h"
#include "hal/eval/testing.h"

namespace munja::drivers::local {
namespace {

namespace fs = std::filesystem;

class LocalDriver : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto device = hal::Device::Open(OpenDevice(GetParam(), &host_), nullptr);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *device;
  }
  // Why, for people who look for what is wrong.
  std::string said_;
  const munja_nn_host host_ = {sizeof host_, &said_,
                               [](void* said, int32_t, const char* line) {
                                 *static_cast<std::string*>(said) = line;
                               }};
  std::shared_ptr<hal::Device> device_;
};

TEST_P(LocalDriver, ExternalCases_Pass) {
  const fs::path folder =
      fs::path(MUNJA_SOURCE_DIR) / "../shared/conformance/nn";
  if (!fs::exists(folder)) GTEST_SKIP() << "no cases here";
  std::map<std::string, int> failures;
  int passed = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const auto cases = hal::ReadCases(entry.path());
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    for (const hal::Case& example : *cases) {
      hal::Outcome outcome = hal::RunCase(*device_, example);
      if (outcome.status == hal::CaseStatus::kPassed &&
          hal::CanBeSigned(example))
        outcome = hal::RunCase(*device_, hal::Signed(example));
      if (outcome.status == hal::CaseStatus::kPassed)
        ++passed;
      else
        ADD_FAILURE() << hal::OperationOf(example) << " " << example.name
                      << ": " << outcome.reason << " (" << said_ << ")";
    }
  }
  EXPECT_GT(passed, 5000);
}

constexpr int32_t kReal = MUNJA_NN_TENSOR_FLOAT32, kInt = MUNJA_NN_INT32;

// The state is moved after the outputs were made; the .tflite operator moves it
// before. column 1 + 2 = 3: 1 * 10 + 2 * 100 + 3 * 1000.
TEST_P(LocalDriver, Svdf_ShiftsItsStateAfterwards) {
  const hal::Case example =
      hal::CaseOf(MUNJA_NN_SVDF,
                  {{kReal, {1, 2}, {1, 2}},
                   {kReal, {1, 2}, {1, 1}},
                   {kReal, {1, 3}, {10, 100, 1000}},
                   {kReal, {1}, {}},
                   {kReal, {1, 3}, {1, 2, 77}},
                   {kInt, {}, {1}},
                   {kInt, {}, {0}}},
                  {{kReal, {1, 3}, {2, 3, 0}}, {kReal, {1, 1}, {3210}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// Without weights all gates are sigmoid(0) = 0.5, and so is the new value: the
// cell is 0.5 * 0.5, the output 0.5 * sigmoid(0.25).
TEST_P(LocalDriver, Lstm_SupportsSigmoidActivation) {
  std::vector<hal::OperandRow> inputs = {{kReal, {1, 1}, {1}}};
  for (int i = 0; i < 8; ++i) inputs.push_back({kReal, {1, 1}, {0}});
  for (int i = 0; i < 3; ++i) inputs.push_back({kReal, {1}, {}});
  for (int i = 0; i < 4; ++i) inputs.push_back({kReal, {1}, {0}});
  inputs.push_back({kReal, {1, 1}, {}});
  inputs.push_back({kReal, {1}, {}});
  for (int i = 0; i < 2; ++i) inputs.push_back({kReal, {1, 1}, {0}});
  inputs.push_back({kInt, {}, {6}});
  for (int i = 0; i < 2; ++i) inputs.push_back({MUNJA_NN_FLOAT32, {}, {0}});
  const double h = 0.5 / (1.0 + std::exp(-0.25));
  const hal::Case example = hal::CaseOf(MUNJA_NN_LSTM, inputs,
                                        {{kReal, {1, 4}, {}},
                                         {kReal, {1, 1}, {h}},
                                         {kReal, {1, 1}, {0.25}},
                                         {kReal, {1, 1}, {h}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// The result is not defined, but the driver survives and continues.
TEST_P(LocalDriver, IntegerDivisionByZero_MayFail) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32;
  hal::Case example = hal::CaseOf(
      MUNJA_NN_DIV, {{kInts, {1}, {1}}, {kInts, {1}, {0}}, {kInt, {}, {0}}},
      {{kInts, {1}, {0}}});
  example.outputs[0].is_ignored = true;
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
  example = hal::CaseOf(
      MUNJA_NN_DIV, {{kInts, {1}, {-7}}, {kInts, {1}, {2}}, {kInt, {}, {0}}},
      {{kInts, {1}, {-4}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

TEST_P(LocalDriver, IntegerDivision_AppliesItsActivation) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32;
  const std::vector<std::vector<double>> expected = {
      {-4, -1, 0, 3, 9}, {0, 0, 0, 3, 9}, {-1, -1, 0, 1, 1}, {0, 0, 0, 3, 6}};
  for (int activation = 0; activation < 4; ++activation) {
    const hal::Case example =
        hal::CaseOf(MUNJA_NN_DIV,
                    {{kInts, {5}, {-7, -1, 1, 7, 18}},
                     {kInts, {1}, {2}},
                     {kInt, {}, {static_cast<double>(activation)}}},
                    {{kInts, {5}, expected[static_cast<size_t>(activation)]}});
    EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
  }
}

// 0.3 is three times 0.1 as a float32, and so it is for every multiple.
TEST_P(LocalDriver, QuantizedComparison_ComparesRealValues) {
  constexpr int32_t kBytes = MUNJA_NN_TENSOR_QUANT8_ASYMM;
  constexpr int32_t kBools = MUNJA_NN_TENSOR_BOOL8;
  hal::Case example = hal::CaseOf(
      MUNJA_NN_EQUAL,
      {{kBytes, {5}, {10, 11, 12, 20, 50}}, {kBytes, {5}, {5, 8, 12, 35, 125}}},
      {{kBools, {5}, {1, 1, 0, 1, 1}}});
  auto& operands = example.model.subgraphs[0].operands;
  operands[0].scale = 0.3f;
  operands[0].zero_point = 10;
  operands[1].scale = 0.1f;
  operands[1].zero_point = 5;
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// A state that goes elsewhere, too, or comes from somewhere, is what the model
// says. One step of y = x + h for each of two sequences.
TEST_P(LocalDriver, InputStates_StayUnchanged) {
  const auto sequence = [](bool is_shared, double added) {
    hal::Case example = hal::CaseOf(MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_RNN,
                                    {{kReal, {1, 1, 1}, {4}},
                                     {kReal, {1, 1}, {1}},
                                     {kReal, {1, 1}, {1}},
                                     {kReal, {1}, {0}},
                                     {kReal, {1, 1}, {8}},
                                     {kInt, {}, {0}},
                                     {kInt, {}, {0}}},
                                    {{kReal, {1, 1, 1}, {12 + added}}});
    hal::Subgraph& main = example.model.subgraphs[0];
    const auto add = [&](const hal::Operand& operand) {
      main.operands.push_back(operand);
      return static_cast<uint32_t>(main.operands.size() - 1);
    };
    // ADD of a constant, before or beside.
    hal::Operand constant = main.operands[3];
    constant.lifetime = MUNJA_NN_CONSTANT_COPY;
    constant.location = {0, 0, sizeof(float)};
    hal::Operand activation = main.operands[6];
    activation.lifetime = MUNJA_NN_CONSTANT_COPY;
    activation.location = {0, sizeof(float), sizeof(int32_t)};
    const auto value = static_cast<float>(added);
    example.model.operand_values.resize(sizeof value + sizeof(int32_t));
    std::memcpy(example.model.operand_values.data(), &value, sizeof value);
    hal::Operation sum;
    sum.type = MUNJA_NN_ADD;
    sum.inputs = {4, add(constant), add(activation)};
    hal::Operand result = main.operands[4];
    result.lifetime =
        is_shared ? MUNJA_NN_SUBGRAPH_OUTPUT : MUNJA_NN_TEMPORARY_VARIABLE;
    result.consumers = is_shared ? 0 : 1;
    sum.outputs = {add(result)};
    if (is_shared) {
      main.operands[4].consumers = 2;
      main.outputs.push_back(sum.outputs[0]);
      example.outputs[0].values = {12};
      example.outputs.push_back({kReal, {1, 1}, false, {8 + added}});
      main.operations.push_back(sum);
    } else {
      main.operations[0].inputs[4] = sum.outputs[0];
      main.operations.insert(main.operations.begin(), sum);
    }
    return example;
  };
  for (const bool is_shared : {false, true})
    for (const double added : {0.0, 1.5})
      EXPECT_EQ(hal::RunCase(*device_, sequence(is_shared, added)).reason, "")
          << said_;
}

TEST_P(LocalDriver, TopK_OrdersEqualValuesFromTheLast) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32;
  const hal::Case example = hal::CaseOf(
      MUNJA_NN_TOPK_V2, {{kReal, {1, 6}, {5, 7, 5, 7, 7, 1}}, {kInt, {}, {5}}},
      {{kReal, {1, 5}, {7, 7, 7, 5, 5}}, {kInts, {1, 5}, {4, 3, 1, 2, 0}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

TEST_P(LocalDriver, Prelu_BroadcastsTheInputToTheSlopes) {
  const hal::Case example = hal::CaseOf(
      MUNJA_NN_PRELU, {{kReal, {2, 1}, {-2, 3}}, {kReal, {3}, {1, 10, 100}}},
      {{kReal, {2, 3}, {-2, -20, -200, 3, 3, 3}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// The flag of the corners may come without that of the pixels' middles.
TEST_P(LocalDriver, Resize_AlignsCorners) {
  const hal::Case example = hal::CaseOf(MUNJA_NN_RESIZE_BILINEAR,
                                        {{kReal, {1, 1, 2, 1}, {0, 3}},
                                         {kInt, {}, {4}},
                                         {kInt, {}, {1}},
                                         {MUNJA_NN_BOOL, {}, {0}},
                                         {MUNJA_NN_BOOL, {}, {1}}},
                                        {{kReal, {1, 1, 4, 1}, {0, 1, 2, 3}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// Two images of one anchor (its middle 2, 3, its height 2, its width 4), with
// more than a box in what is said of them.
TEST_P(LocalDriver, Detection_IgnoresKeypoints) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32;
  std::vector<hal::OperandRow> inputs = {
      {kReal, {2, 1, 2}, {0, 0.75, 0, 0.5}},
      {kReal, {2, 1, 6}, {0, 0, 0, 0, 9, 9, 1, 1, 0, 0, 9, 9}},
      {kReal, {1, 4}, {2, 3, 2, 4}}};
  for (const double scale : {2, 4, 1, 1})
    inputs.push_back({MUNJA_NN_FLOAT32, {}, {scale}});
  inputs.push_back({MUNJA_NN_BOOL, {}, {0}});
  for (int i = 0; i < 3; ++i) inputs.push_back({kInt, {}, {1}});
  inputs.push_back({MUNJA_NN_FLOAT32, {}, {0.25}});
  inputs.push_back({MUNJA_NN_FLOAT32, {}, {0.5}});
  inputs.push_back({MUNJA_NN_BOOL, {}, {0}});
  const hal::Case example =
      hal::CaseOf(MUNJA_NN_DETECTION_POSTPROCESSING, inputs,
                  {{kReal, {2, 1}, {0.75, 0.5}},
                   {kReal, {2, 1, 4}, {1, 1, 3, 5, 2, 2, 4, 6}},
                   {kInts, {2, 1}, {0, 0}},
                   {kInts, {2}, {1, 1}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

// One image of two anchors far apart, each of which is of both classes
// (behind the background) above the threshold. A regular suppression has room
// for as many detections as are asked for, the fast one for all classes of
// each, and counts them.
TEST_P(LocalDriver, Detection_ReturnsSeveralClassesOfABox) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32;
  for (const bool is_regular : {true, false}) {
    std::vector<hal::OperandRow> inputs = {
        {kReal, {1, 2, 3}, {0, 0.75, 0.5, 0, 0.625, 0.875}},
        {kReal, {1, 2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}},
        {kReal, {2, 4}, {2, 3, 2, 4, 20, 30, 2, 4}}};
    for (int i = 0; i < 4; ++i) inputs.push_back({MUNJA_NN_FLOAT32, {}, {1}});
    inputs.push_back({MUNJA_NN_BOOL, {}, {is_regular ? 1.0 : 0.0}});
    for (const double count : {3, 2, 1}) inputs.push_back({kInt, {}, {count}});
    inputs.push_back({MUNJA_NN_FLOAT32, {}, {0.25}});
    inputs.push_back({MUNJA_NN_FLOAT32, {}, {0.5}});
    inputs.push_back({MUNJA_NN_BOOL, {}, {0}});
    const std::vector<double> one = {1, 1, 3, 5}, other = {19, 28, 21, 32};
    std::vector<double> boxes, scores, classes;
    const auto expect = [&](const std::vector<double>& box, double score,
                            double of) {
      boxes.insert(boxes.end(), box.begin(), box.end());
      scores.push_back(score);
      classes.push_back(of);
    };
    expect(other, 0.875, 1);
    if (is_regular) {
      expect(one, 0.75, 0);
      expect({0, 0, 0, 0}, 0, 0);
    } else {
      expect(other, 0.625, 0);
      expect(one, 0.75, 0);
      expect(one, 0.5, 1);
      for (int i = 0; i < 2; ++i) expect({0, 0, 0, 0}, 0, 0);
    }
    const auto rows = static_cast<uint32_t>(scores.size());
    const hal::Case example =
        hal::CaseOf(MUNJA_NN_DETECTION_POSTPROCESSING, inputs,
                    {{kReal, {1, rows}, scores},
                     {kReal, {1, rows, 4}, boxes},
                     {kInts, {1, rows}, classes},
                     {kInts, {1}, {is_regular ? 2.0 : 4.0}}});
    EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
  }
}

// Numbers that stand for nothing, and tensors of another rank than what they
// tell has.
TEST_P(LocalDriver, InvalidOperands_AreRefused) {
  constexpr int32_t kInts = MUNJA_NN_TENSOR_INT32, kBool = MUNJA_NN_BOOL;
  const std::vector<double> ones4(4, 1), ones9(9, 1);
  const hal::OperandRow one = {kInt, {}, {1}}, none = {kInt, {}, {0}};
  const hal::OperandRow image = {kReal, {1, 3, 3, 1}, ones9};
  const auto convolution = [&](const hal::OperandRow& bias, double activation) {
    return hal::CaseOf(MUNJA_NN_CONV_2D,
                       {image,
                        {kReal, {1, 2, 2, 1}, ones4},
                        bias,
                        {kInt, {}, {2}},
                        one,
                        one,
                        {kInt, {}, {activation}}},
                       {{kReal, {1, 2, 2, 1}, {5, 5, 5, 5}}});
  };
  const auto pool = [&](double scheme) {
    return hal::CaseOf(MUNJA_NN_MAX_POOL_2D,
                       {image,
                        {kInt, {}, {scheme}},
                        one,
                        one,
                        {kInt, {}, {2}},
                        {kInt, {}, {2}},
                        none},
                       {{kReal, {1, 2, 2, 1}, {1, 1, 1, 1}}});
  };
  const auto sum = [&](double activation) {
    return hal::CaseOf(
        MUNJA_NN_ADD,
        {{kInts, {1}, {1}}, {kInts, {1}, {1}}, {kInt, {}, {activation}}},
        {{kInts, {1}, {2}}});
  };
  const auto resize = [&](double corners, double middles) {
    return hal::CaseOf(MUNJA_NN_RESIZE_NEAREST_NEIGHBOR,
                       {image,
                        {kInt, {}, {3}},
                        {kInt, {}, {3}},
                        {kBool, {}, {0}},
                        {kBool, {}, {corners}},
                        {kBool, {}, {middles}}},
                       {{kReal, {1, 3, 3, 1}, ones9}});
  };
  const auto heatmap = [&](double begin, double end) {
    return hal::CaseOf(MUNJA_NN_HEATMAP_MAX_KEYPOINT,
                       {{kReal, {1, 2, 2, 1}, {1, 0, 0, 0}},
                        {kReal, {1, 4}, {begin, 0, end, 8}},
                        {kBool, {}, {0}}},
                       {{kReal, {1, 1}, {}}, {kReal, {1, 1, 2}, {}}});
  };
  const auto pad = [&](hal::Dimensions dimensions) {
    return hal::CaseOf(
        MUNJA_NN_PAD,
        {{kReal, {1}, {7}}, {kInts, std::move(dimensions), {1, 1}}},
        {{kReal, {3}, {0, 7, 0}}});
  };
  const auto logistic = [&](float scale) {
    hal::Case made = hal::CaseOf(MUNJA_NN_LOGISTIC,
                                 {{MUNJA_NN_TENSOR_QUANT8_ASYMM, {1}, {0}}},
                                 {{MUNJA_NN_TENSOR_QUANT8_ASYMM, {1}, {128}}});
    made.model.subgraphs[0].operands[0].scale = 0.5f;
    made.model.subgraphs[0].operands[1].scale = scale;
    return made;
  };
  struct Pair {
    std::string name;
    hal::Case right, wrong;
  };
  const std::vector<Pair> pairs = {
      {"activation", convolution({kReal, {1}, {1}}, 1),
       convolution({kReal, {1}, {1}}, 4)},
      {"bias", convolution({kReal, {1}, {1}}, 0),
       convolution({kReal, {1, 1}, {1}}, 0)},
      {"scheme", pool(2), pool(3)},
      {"activation of integers", sum(0), sum(1)},
      {"where pixels are", resize(1, 0), resize(1, 1)},
      {"box", heatmap(0, 8), heatmap(8, 0)},
      {"paddings", pad({1, 2}), pad({2})},
      {"prescribed scale", logistic(1.0f / 256), logistic(1.0f / 128)},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(hal::RunCase(*device_, pair.right).reason, "")
        << pair.name << ": " << said_;
    hal::Case wrong = pair.wrong;
    wrong.expects_failure = true;
    EXPECT_EQ(hal::RunCase(*device_, wrong).reason, "") << pair.name;
  }
}

// The input alone would make (1, -1) of the new value, the auxiliary one turns
// it around: (-2, 2), normalized (-1, 1). All gates are 0.5.
TEST_P(LocalDriver, NormalizedLstm_UsesTheAuxiliaryInput) {
  const auto repeat = [](std::vector<hal::OperandRow>& rows, int count,
                         const hal::OperandRow& row) {
    for (int i = 0; i < count; ++i) rows.push_back(row);
  };
  const hal::OperandRow no_matrix = {kReal, {2, 1}, {}},
                        no_row = {kReal, {2}, {}};
  std::vector<hal::OperandRow> inputs = {{kReal, {1, 1, 1}, {1}}};
  for (int side = 0; side < 2; ++side) {
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(
          {kReal,
           {2, 1},
           gate == 2 ? std::vector{1.0, -1.0} : std::vector{0.0, 0.0}});
    repeat(inputs, 4, {kReal, {2, 2}, {0, 0, 0, 0}});
    repeat(inputs, 3, no_row);
    repeat(inputs, 4, {kReal, {2}, {0, 0}});
    inputs.push_back({kReal, {2, 2}, {}});
    inputs.push_back(no_row);
  }
  repeat(inputs, 4, {kReal, {1, 2}, {0, 0}});
  inputs.push_back({kReal, {1, 1, 1}, {1}});
  for (int side = 0; side < 2; ++side)
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(
          {kReal,
           {2, 1},
           gate == 2 ? std::vector{-3.0, 3.0} : std::vector{0.0, 0.0}});
  inputs.push_back({kInt, {}, {4}});
  repeat(inputs, 2, {MUNJA_NN_FLOAT32, {}, {0}});
  repeat(inputs, 2, {MUNJA_NN_BOOL, {}, {0}});
  repeat(inputs, 8, {kReal, {2}, {1, 1}});
  ASSERT_EQ(inputs.size(), 61u);
  const double h = 0.5 * std::tanh(0.5 * std::tanh(1.0));
  const hal::Case example =
      hal::CaseOf(MUNJA_NN_BIDIRECTIONAL_SEQUENCE_LSTM, inputs,
                  {{kReal, {1, 1, 2}, {-h, h}}, {kReal, {1, 1, 2}, {-h, h}}});
  EXPECT_EQ(hal::RunCase(*device_, example).reason, "") << said_;
}

INSTANTIATE_TEST_SUITE_P(Drivers, LocalDriver,
                         ::testing::Values("reference", "cpu"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace munja::drivers::local
