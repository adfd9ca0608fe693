// Compiled programs, as the driver "cpu" has them, against the same model
// operation by operation.
#include "hal/eval/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "hal/cases.h"
#include "hal/eval/testing.h"
#include "hal/types.h"
#include "hal/validate.h"

namespace munja::hal {
namespace {

std::vector<Tensor> InputsOf(const Case& example) {
  std::vector<Tensor> inputs;
  const Subgraph& main = example.model.main();
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    Tensor& input = inputs.emplace_back();
    input.dimensions = main.operands[main.inputs[i]].dimensions;
    input.bytes = *example.inputs[i];
  }
  return inputs;
}

// The case, expecting what the reference makes of it.
Case Solved(Case example) {
  EvalOptions how;
  const auto outputs = Evaluate(example.model, InputsOf(example), how);
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  const Subgraph& main = example.model.main();
  example.outputs.clear();
  for (size_t i = 0; outputs.ok() && i < outputs->size(); ++i) {
    Expected& expected = example.outputs.emplace_back();
    expected.type = main.operands[main.outputs[i]].type;
    expected.dimensions = (*outputs)[i].dimensions;
    const std::span<const uint8_t> bytes = (*outputs)[i].bytes;
    const size_t size = expected.type == MUNJA_NN_TENSOR_FLOAT32 ||
                                expected.type == MUNJA_NN_TENSOR_INT32
                            ? 4
                            : 1;
    for (size_t k = 0; k < bytes.size() / size; ++k)
      expected.values.push_back(ElementAt(expected.type, bytes.data(), k));
  }
  return example;
}

// "" or what is wrong.
std::string Mistake(const Program& program, const Case& example) {
  const auto outputs = program.Run(InputsOf(example), {});
  if (!outputs.ok()) return std::string(outputs.status().message());
  std::vector<Output> made;
  for (const Tensor& output : *outputs)
    made.push_back(
        {output.dimensions, {output.bytes.begin(), output.bytes.end()}});
  return DifferenceFrom(example, made);
}

std::unique_ptr<Program> Compile(const Model& model) {
  auto program = Program::Create(model, std::make_shared<ThreadPool>(2));
  EXPECT_TRUE(program.ok()) << program.status().message();
  return program.ok() ? std::move(program).value() : nullptr;
}

TEST(Program, WholeModel_IsCompiled) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const Case example = Solved(RandomCase(Numbers::kFloat32, seed, 8));
    const auto program = Compile(example.model);
    EXPECT_EQ(program->compiled_operations(),
              example.model.main().operations.size())
        << seed;
    // Again and again, on memory that was used before.
    for (int run = 0; run < 3; ++run)
      EXPECT_EQ(Mistake(*program, example), "") << seed;
  }
}

TEST(Program, UnknownDimensions_RunByOperation) {
  int split = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    Case example = Solved(RandomCase(Numbers::kFloat32, seed, 8));
    // One value between, of which only a run tells the size.
    Subgraph& main = example.model.subgraphs[0];
    const auto between = std::ranges::find_if(main.operands, [](const auto& o) {
      return o.lifetime == MUNJA_NN_TEMPORARY_VARIABLE;
    });
    if (between == main.operands.end()) continue;
    between->dimensions.assign(between->dimensions.size(), 0);
    const auto program = Compile(example.model);
    EXPECT_LT(program->compiled_operations(), main.operations.size()) << seed;
    split += program->compiled_operations() > 0;
    EXPECT_EQ(Mistake(*program, example), "") << seed;
  }
  EXPECT_GT(split, 5);
}

// Scalars of the case become constants, as compiling needs them.
Case WithConstantScalars(const Case& from) {
  Case made = from;
  Subgraph& main = made.model.subgraphs[0];
  main.inputs.clear();
  made.inputs.clear();
  for (size_t i = 0; i < from.inputs.size(); ++i) {
    const uint32_t index = from.model.main().inputs[i];
    Operand& operand = main.operands[index];
    if (IsTensor(operand.type)) {
      main.inputs.push_back(index);
      made.inputs.push_back(from.inputs[i]);
      continue;
    }
    std::vector<uint8_t>& values = made.model.operand_values;
    operand.lifetime = MUNJA_NN_CONSTANT_COPY;
    operand.location.offset = static_cast<uint32_t>(values.size());
    operand.location.length = static_cast<uint32_t>(from.inputs[i]->size());
    values.insert(values.end(), from.inputs[i]->begin(), from.inputs[i]->end());
  }
  return made;
}

// 1 * 3 + 2 * 4 + 0.5 * 8 + 0.25, of one unit: a state of one element is no
// scalar. What goes in is only read.
TEST(Program, StatefulModel_IsCompiled) {
  constexpr int32_t kReal = MUNJA_NN_TENSOR_FLOAT32;
  for (const uint32_t units : {1u, 2u}) {
    const auto times = [&](const std::vector<double>& values) {
      std::vector<double> all;
      for (uint32_t u = 0; u < units; ++u)
        all.insert(all.end(), values.begin(), values.end());
      return all;
    };
    const std::vector<double> recurrent =
        units == 1 ? std::vector{0.5} : std::vector{0.5, 0.0, 0.0, 0.5};
    const Case example =
        WithConstantScalars(CaseOf(MUNJA_NN_RNN,
                                   {{kReal, {1, 2}, {1, 2}},
                                    {kReal, {units, 2}, times({3, 4})},
                                    {kReal, {units, units}, recurrent},
                                    {kReal, {units}, times({0.25})},
                                    {kReal, {1, units}, times({8})},
                                    {MUNJA_NN_INT32, {}, {0}}},
                                   {{kReal, {1, units}, times({15.25})},
                                    {kReal, {1, units}, times({15.25})}}));
    const auto program = Compile(example.model);
    EXPECT_EQ(program->compiled_operations(), 1u) << units;
    const Case before = example;
    for (int run = 0; run < 2; ++run)
      EXPECT_EQ(Mistake(*program, example), "") << units;
    EXPECT_EQ(example.inputs, before.inputs) << units;
  }
}

TEST(Program, ManyCallers_AreServed) {
  const Case example = Solved(RandomCase(Numbers::kFloat32, 7, 20));
  const auto program = Compile(example.model);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> callers;
  for (std::string& said : wrong)
    callers.emplace_back([&] {
      for (int run = 0; run < 50 && said.empty(); ++run)
        said = Mistake(*program, example);
    });
  for (std::thread& caller : callers) caller.join();
  for (const std::string& said : wrong) EXPECT_EQ(said, "");
}

// Takes every node, makes a copy of its input and counts its preparations.
class CopyingDelegate final : public runtime::Delegate {
 public:
  std::string_view name() const override { return "copying"; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph&, const graph::Subgraph& subgraph) override {
    return std::vector<NodeSupport>(subgraph.nodes.size(), {true, ""});
  }
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph&, const graph::Subgraph&,
      const runtime::Partition&) override {
    class Copy final : public ops::Kernel {
     public:
      explicit Copy(int& prepared) : prepared_(prepared) {}
      Status Prepare(ops::PrepareContext& context) const override {
        ++prepared_;
        return context.SetOutputShape(0, context.input(0).shape);
      }
      Status Eval(ops::EvalContext& context) const override {
        const TensorView& in = context.input(0);
        std::memcpy(context.output(0).data, in.data, in.bytes);
        return Status();
      }

     private:
      int& prepared_;
    };
    return std::unique_ptr<ops::Kernel>(std::make_unique<Copy>(prepared));
  }

  int prepared = 0;
};

// A device plans a model once for all that run one after another.
TEST(Program, RunsInTurn_ShareOnePlan) {
  constexpr int32_t kReal = MUNJA_NN_TENSOR_FLOAT32;
  const Case example = CaseOf(MUNJA_NN_RELU, {{kReal, {3}, {1, 2, 3}}},
                              {{kReal, {3}, {1, 2, 3}}});
  const auto delegate = std::make_shared<CopyingDelegate>();
  const auto program = Program::Create(example.model, nullptr, delegate);
  ASSERT_TRUE(program.ok()) << program.status().message();
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Mistake(**program, example), "");
  EXPECT_EQ(delegate->prepared, 1);
}

TEST(Program, PastDeadline_StartsNothing) {
  const Case example = RandomCase(Numbers::kFloat32, 7, 8);
  const auto program = Compile(example.model);
  EvalOptions how;
  how.deadline_ns = 1;
  EXPECT_EQ(program->Run(InputsOf(example), how).status().code(),
            Code::kTimedOut);
}

// if (condition) x + x else x * x, behind an operation and before one.
Model Branching() {
  Model model;
  const auto constant = [&model](int32_t type, int32_t value) {
    Operand operand;
    operand.type = type;
    operand.lifetime = MUNJA_NN_CONSTANT_COPY;
    operand.location = {0, static_cast<uint32_t>(model.operand_values.size()),
                        4};
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    model.operand_values.insert(model.operand_values.end(), bytes, bytes + 4);
    return operand;
  };
  const auto tensor = [](int32_t lifetime) {
    Operand operand;
    operand.lifetime = lifetime;
    operand.dimensions = {3};
    return operand;
  };
  const auto branch = [&](int32_t operation) {
    Subgraph made;
    made.operands = {tensor(MUNJA_NN_SUBGRAPH_INPUT),
                     constant(MUNJA_NN_INT32, 0),
                     tensor(MUNJA_NN_SUBGRAPH_OUTPUT)};
    made.operands[0].consumers = 2;
    made.operands[1].consumers = 1;
    made.operations = {{operation, {0, 0, 1}, {2}}};
    made.inputs = {0};
    made.outputs = {2};
    return made;
  };
  const auto called = [](uint32_t subgraph) {
    Operand operand;
    operand.type = MUNJA_NN_SUBGRAPH;
    operand.lifetime = MUNJA_NN_LIFETIME_SUBGRAPH;
    operand.location.offset = subgraph;
    operand.consumers = 1;
    return operand;
  };
  Subgraph main;
  Operand condition = tensor(MUNJA_NN_SUBGRAPH_INPUT);
  condition.type = MUNJA_NN_TENSOR_BOOL8;
  condition.dimensions = {1};
  main.operands = {condition,
                   tensor(MUNJA_NN_SUBGRAPH_INPUT),
                   tensor(MUNJA_NN_TEMPORARY_VARIABLE),
                   called(0),
                   called(1),
                   tensor(MUNJA_NN_TEMPORARY_VARIABLE),
                   tensor(MUNJA_NN_SUBGRAPH_OUTPUT)};
  for (const size_t i : {0, 1, 2, 5}) main.operands[i].consumers = 1;
  main.operations = {{MUNJA_NN_RELU, {1}, {2}},
                     {MUNJA_NN_IF, {0, 3, 4, 2}, {5}},
                     {MUNJA_NN_TANH, {5}, {6}}};
  main.inputs = {0, 1};
  main.outputs = {6};
  model.subgraphs = {main, branch(MUNJA_NN_ADD), branch(MUNJA_NN_MUL)};
  return model;
}

TEST(Program, If_FollowsItsCondition) {
  Case example;
  example.model = Branching();
  const Status valid = ValidateModel(example.model);
  ASSERT_TRUE(valid.ok()) << valid.message();
  const auto program = Compile(example.model);
  const float x[] = {-1.0f, 0.25f, 0.75f};
  std::vector<uint8_t> bytes(sizeof x);
  std::memcpy(bytes.data(), x, sizeof x);
  for (const uint8_t condition : {0, 1}) {
    example.inputs = {std::vector<uint8_t>{condition}, bytes};
    example.outputs = {{MUNJA_NN_TENSOR_FLOAT32, {3}, false, {}}};
    for (const float v : {0.0f, 0.25f, 0.75f})
      example.outputs[0].values.push_back(
          std::tanh(condition != 0 ? v + v : v * v));
    EXPECT_EQ(Mistake(*program, example), "") << int{condition};
  }
}

// while (x == x) x = x + x, alone or in a branch that is taken.
Model Endless(bool in_branch) {
  const auto operand = [](int32_t type, int32_t lifetime) {
    Operand made;
    made.type = type;
    made.lifetime = lifetime;
    if (IsTensor(type)) made.dimensions = {1};
    return made;
  };
  const auto real = [&](int32_t lifetime) {
    return operand(MUNJA_NN_TENSOR_FLOAT32, lifetime);
  };
  const auto called = [&](uint32_t subgraph) {
    Operand made = operand(MUNJA_NN_SUBGRAPH, MUNJA_NN_LIFETIME_SUBGRAPH);
    made.location.offset = subgraph;
    made.consumers = 1;
    return made;
  };
  Subgraph condition;
  condition.operands = {
      real(MUNJA_NN_SUBGRAPH_INPUT),
      operand(MUNJA_NN_TENSOR_BOOL8, MUNJA_NN_SUBGRAPH_OUTPUT)};
  condition.operands[0].consumers = 2;
  condition.operations = {{MUNJA_NN_EQUAL, {0, 0}, {1}}};
  condition.inputs = {0};
  condition.outputs = {1};
  Subgraph body;
  body.operands = {real(MUNJA_NN_SUBGRAPH_INPUT),
                   operand(MUNJA_NN_INT32, MUNJA_NN_CONSTANT_COPY),
                   real(MUNJA_NN_SUBGRAPH_OUTPUT)};
  body.operands[0].consumers = 2;
  body.operands[1].consumers = 1;
  body.operands[1].location.length = 4;
  body.operations = {{MUNJA_NN_ADD, {0, 0, 1}, {2}}};
  body.inputs = {0};
  body.outputs = {2};
  const auto loop = [&](uint32_t first) {
    Subgraph made;
    made.operands = {called(first), called(first + 1),
                     real(MUNJA_NN_SUBGRAPH_INPUT),
                     real(MUNJA_NN_SUBGRAPH_OUTPUT)};
    made.operands[2].consumers = 1;
    made.operations = {{MUNJA_NN_WHILE, {0, 1, 2}, {3}}};
    made.inputs = {2};
    made.outputs = {3};
    return made;
  };
  Model model;
  model.operand_values.resize(4);
  if (!in_branch) {
    model.subgraphs = {loop(0), condition, body};
    return model;
  }
  Subgraph main;
  main.operands = {operand(MUNJA_NN_TENSOR_BOOL8, MUNJA_NN_SUBGRAPH_INPUT),
                   called(0), called(1), real(MUNJA_NN_SUBGRAPH_INPUT),
                   real(MUNJA_NN_SUBGRAPH_OUTPUT)};
  main.operands[0].consumers = main.operands[3].consumers = 1;
  main.operations = {{MUNJA_NN_IF, {0, 1, 2, 3}, {4}}};
  main.inputs = {0, 3};
  main.outputs = {4};
  model.subgraphs = {main, loop(2), body, condition, body};
  return model;
}

TEST(Program, EndlessLoop_TimesOut) {
  for (const bool in_branch : {false, true}) {
    Case example;
    example.model = Endless(in_branch);
    const Status valid = ValidateModel(example.model);
    ASSERT_TRUE(valid.ok()) << valid.message();
    if (in_branch) example.inputs.emplace_back(std::vector<uint8_t>{1});
    example.inputs.emplace_back(std::vector<uint8_t>(4));
    const auto program = Compile(example.model);
    EvalOptions how;
    how.loop_timeout_ns = 1'000'000;
    EXPECT_EQ(program->Run(InputsOf(example), how).status().code(),
              Code::kTimedOut);
  }
}

}  // namespace
}  // namespace munja::hal
