#include "hal/manager/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hal/slice.h"
#include "hal/validate.h"

namespace munja::hal {
namespace {

// A model whose every operation adds two of the values before it.
Model RandomModel(std::mt19937& random, size_t operations) {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  const auto add = [&](int32_t lifetime) {
    Operand& operand = main.operands.emplace_back();
    operand.lifetime = lifetime;
    operand.dimensions = {1, 1u << (random() % 12), 8};
    return static_cast<uint32_t>(main.operands.size() - 1);
  };
  for (int i = 0; i < 2; ++i)
    main.inputs.push_back(add(MUNJA_NN_SUBGRAPH_INPUT));
  Operand none;
  none.type = MUNJA_NN_INT32;
  none.lifetime = MUNJA_NN_CONSTANT_COPY;
  none.location.length = 4;
  model.operand_values.assign(4, 0);
  main.operands.push_back(none);
  std::vector<uint32_t> values = main.inputs;
  for (size_t k = 0; k < operations; ++k) {
    const uint32_t a = values[random() % values.size()];
    const uint32_t b = values[values.size() - 1 - random() % 2];
    const uint32_t y = add(MUNJA_NN_TEMPORARY_VARIABLE);
    main.operations.push_back({MUNJA_NN_ADD, {a, b, 2}, {y}});
    values.push_back(y);
  }
  for (const Operation& operation : main.operations)
    for (const uint32_t i : operation.inputs) ++main.operands[i].consumers;
  for (const uint32_t i : values)
    if (main.operands[i].consumers == 0 || i == values.back()) {
      if (main.operands[i].lifetime == MUNJA_NN_SUBGRAPH_INPUT) continue;
      main.operands[i].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
      main.outputs.push_back(i);
    }
  return model;
}

std::vector<Candidate> RandomCandidates(std::mt19937& random, size_t count,
                                        size_t operations) {
  std::vector<Candidate> candidates(count);
  for (Candidate& candidate : candidates)
    for (size_t k = 0; k < operations; ++k) {
      candidate.supports.push_back(random() % 4 != 0);
      candidate.factors.push_back(0.25 * static_cast<double>(1 + random() % 8));
    }
  // Some candidate supports it.
  candidates.back().supports.assign(operations, true);
  candidates.back().is_at_hand = true;
  return candidates;
}

// Everything once, by one who can, after what it reads.
void ExpectRunnable(const Model& model, std::span<const Candidate> candidates,
                    std::span<const Step> steps) {
  const Subgraph& main = model.main();
  std::set<uint32_t> known(main.inputs.begin(), main.inputs.end());
  known.insert(2);
  size_t count = 0;
  for (const Step& step : steps) {
    ASSERT_LT(static_cast<size_t>(step.candidate), candidates.size());
    for (const uint32_t k : step.operations) {
      ++count;
      EXPECT_TRUE(candidates[static_cast<size_t>(step.candidate)].supports[k]);
      for (const uint32_t i : main.operations[k].inputs)
        EXPECT_TRUE(known.contains(i)) << "operand " << i;
      for (const uint32_t i : main.operations[k].outputs)
        EXPECT_TRUE(known.insert(i).second);
    }
  }
  EXPECT_EQ(count, main.operations.size());
}

TEST(Partition, AllOperations_RunAtNoMoreThanTheCostOfOneDevice) {
  std::mt19937 random(20261123);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t operations = 1 + random() % 24;
    const Model model = RandomModel(random, operations);
    ASSERT_TRUE(ValidateModel(model).ok());
    const auto candidates =
        RandomCandidates(random, 1 + random() % 4, operations);
    const auto steps = PartitionModel(model, candidates);
    ASSERT_TRUE(steps.ok()) << steps.status().message();
    ExpectRunnable(model, candidates, *steps);
    const double cost = CostOf(model, candidates, *steps);
    for (size_t c = 0; c < candidates.size(); ++c) {
      // Alone, except for unsupported operations.
      std::vector<int> assignment(operations);
      for (size_t k = 0; k < operations; ++k)
        assignment[k] = static_cast<int>(
            candidates[c].supports[k] ? c : candidates.size() - 1);
      const auto alone = StepsOf(model, assignment);
      if (std::ranges::all_of(candidates[c].supports,
                              [](bool supports) { return supports; })) {
        EXPECT_LE(cost, CostOf(model, candidates, alone));
      }
      ExpectRunnable(model, candidates, alone);
    }
    for (const Step& step : *steps) {
      const Slice slice = SliceOf(model, step.operations);
      EXPECT_TRUE(ValidateModel(slice.model).ok())
          << ValidateModel(slice.model).message();
    }
  }
}

TEST(Partition, UnsupportedOperation_IsNamed) {
  std::mt19937 random(1);
  const Model model = RandomModel(random, 3);
  std::vector<Candidate> candidates(1);
  candidates[0].supports = {true, false, true};
  candidates[0].factors = {1, 1, 1};
  const auto steps = PartitionModel(model, candidates);
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.status().code(), Code::kUnsupported);
  EXPECT_NE(steps.status().message().find("operation 1 (ADD)"),
            std::string_view::npos);
}

// A fast device is worth its transfers for much work only.
TEST(Partition, Work_IsWeighedAgainstTransfers) {
  for (const uint32_t size : {2u, 512u}) {
    Model model;
    Subgraph& main = model.subgraphs.emplace_back();
    Operand x;
    x.lifetime = MUNJA_NN_SUBGRAPH_INPUT;
    x.dimensions = {1, size, size, 64};
    x.consumers = 1;
    Operand filter = x, bias = x, y = x, number;
    filter.dimensions = {64, 3, 3, 64};
    bias.dimensions = {64};
    y.lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
    y.consumers = 0;
    number.type = MUNJA_NN_INT32;
    number.lifetime = MUNJA_NN_CONSTANT_COPY;
    number.location.length = 4;
    number.consumers = 4;
    model.operand_values = {1, 0, 0, 0};
    main.operands = {x, filter, bias, number, y};
    main.inputs = {0, 1, 2};
    main.outputs = {4};
    main.operations = {{MUNJA_NN_CONV_2D, {0, 1, 2, 3, 3, 3, 3}, {4}}};
    ASSERT_TRUE(ValidateModel(model).ok()) << ValidateModel(model).message();
    std::vector<Candidate> candidates(2);
    candidates[0] = {{true}, {0.1}, false};
    candidates[1] = {{true}, {1.0}, true};  // The CPU.
    const auto steps = PartitionModel(model, candidates);
    ASSERT_TRUE(steps.ok());
    ASSERT_EQ(steps->size(), 1u);
    EXPECT_EQ((*steps)[0].candidate, size == 2 ? 1 : 0);
  }
}

// The largest of each column, their places plus themselves, and those rows of
// x: only the CPU adds.
Model LargestRows() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  const auto add = [&](int32_t type, std::vector<uint32_t> dimensions,
                       uint32_t consumers) {
    Operand& operand = main.operands.emplace_back();
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.consumers = consumers;
  };
  add(MUNJA_NN_TENSOR_FLOAT32, {4000, 25}, 2);  // x
  add(MUNJA_NN_INT32, {}, 3);                   // 0: an axis, no activation
  add(MUNJA_NN_TENSOR_INT32, {25}, 2);          // places
  add(MUNJA_NN_TENSOR_INT32, {25}, 1);          // sums
  add(MUNJA_NN_TENSOR_FLOAT32, {25, 25}, 0);    // rows
  main.operands[0].lifetime = MUNJA_NN_SUBGRAPH_INPUT;
  main.operands[1].lifetime = MUNJA_NN_CONSTANT_COPY;
  main.operands[1].location.length = 4;
  model.operand_values.assign(4, 0);
  main.operands[4].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
  main.inputs = {0};
  main.outputs = {4};
  main.operations = {{MUNJA_NN_ARGMAX, {0, 1}, {2}},
                     {MUNJA_NN_ADD, {2, 2, 1}, {3}},
                     {MUNJA_NN_GATHER, {0, 1, 3}, {4}}};
  return model;
}

// Steps that are worth their time on the device where x is there already, but
// together do not pay for handing x over: 100 us for 25 us each.
TEST(Partition, CostsSharedBySteps_AreSavedTogether) {
  const Model model = LargestRows();
  ASSERT_TRUE(ValidateModel(model).ok()) << ValidateModel(model).message();
  std::vector<Candidate> candidates(2);
  candidates[0] = {{true, false, true}, {0.1, 0.1, 0.1}, false};
  candidates[1] = {{true, true, true}, {1, 1, 1}, true};  // The CPU.
  const auto steps = PartitionModel(model, candidates);
  ASSERT_TRUE(steps.ok()) << steps.status().message();
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_EQ((*steps)[0].candidate, 1);
}

// By hand: the formula of docs/explanation/accelerators.md.
TEST(Partition, Costs_FollowTheFormula) {
  std::mt19937 random(1);
  Model model = RandomModel(random, 1);
  for (Operand& operand : model.subgraphs[0].operands)
    if (operand.type == MUNJA_NN_TENSOR_FLOAT32) operand.dimensions = {1000};
  Subgraph& main = model.subgraphs[0];
  main.operations[0].inputs = {0, 1, 2};
  // 12004 bytes at 8 a nanosecond.
  EXPECT_DOUBLE_EQ(WorkOf(model, main.operations[0]), 12004.0 / 8.0);
  std::vector<Candidate> candidates(1);
  candidates[0] = {{true}, {0.5}, false};
  const auto steps = PartitionModel(model, candidates);
  ASSERT_TRUE(steps.ok());
  EXPECT_DOUBLE_EQ(CostOf(model, candidates, *steps),
                   20'000.0 + 0.5 * 12004.0 / 8.0 + 3 * 4000.0 / 4.0);
}

TEST(Partition, Times_ComeFromCapabilities) {
  std::mt19937 random(1);
  Model model = RandomModel(random, 1);
  const munja_nn_operand_performance rows[] = {
      {sizeof(munja_nn_operand_performance), MUNJA_NN_INT32, {9, 9}},
      {sizeof(munja_nn_operand_performance),
       MUNJA_NN_TENSOR_FLOAT32,
       {0.5f, 1}}};
  munja_nn_capabilities capabilities = {};
  capabilities.struct_size = sizeof capabilities;
  capabilities.relaxed_tensor = {0.25f, 1};
  capabilities.operands = rows;
  capabilities.operand_count = 2;
  const auto factor = [&] {
    return TimeFactor(capabilities, model, model.main().operations[0]);
  };
  EXPECT_EQ(factor(), 0.5);
  model.is_relaxed = true;
  EXPECT_EQ(factor(), 0.25);
  model.is_relaxed = false;
  capabilities.operand_count = 1;
  EXPECT_GT(factor(), 1000.0);  // It says nothing of them.
}

TEST(Slice, OlderDevice_GetsNoNewerFeatures) {
  std::mt19937 random(1);
  Model model = RandomModel(random, 2);
  model.is_relaxed = true;
  std::vector<std::string> lost;
  ASSERT_TRUE(ConvertTo(model, MUNJA_NN_1_1, &lost).ok());
  EXPECT_TRUE(lost.empty());
  const auto oldest = ConvertTo(model, MUNJA_NN_1_0, &lost);
  ASSERT_TRUE(oldest.ok());
  EXPECT_FALSE(oldest->is_relaxed);
  EXPECT_EQ(lost.size(), 1u);
  // int32 sums came with 1.3.
  for (Operand& operand : model.subgraphs[0].operands)
    if (operand.type == MUNJA_NN_TENSOR_FLOAT32)
      operand.type = MUNJA_NN_TENSOR_INT32;
  lost.clear();
  const auto refused = ConvertTo(model, MUNJA_NN_1_2, &lost);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("needs HAL 1.3"),
            std::string_view::npos);
}

}  // namespace
}  // namespace munja::hal
