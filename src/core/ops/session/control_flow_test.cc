#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Subgraphs as functions. Their outputs hold until the next call, of any.
class FakeHost final : public TestHost {
 public:
  using Body = std::function<Result<std::vector<TestTensor>>(
      std::span<const TensorView>)>;

  Result<std::span<const TensorView>> Call(
      int index, std::span<const TensorView> inputs) override {
    calls.push_back(index);
    const auto body = bodies.find(index);
    if (body == bodies.end()) return TestHost::Call(index, inputs);
    MUNJA_ASSIGN_OR_RETURN(std::vector<TestTensor> outputs,
                           body->second(inputs));
    // Earlier outputs are overwritten, so that reading them shows.
    for (TestTensor& t : outputs_)
      std::fill(t.bytes.begin(), t.bytes.end(), uint8_t{0xEE});
    outputs_ = std::move(outputs);
    views_.clear();
    for (TestTensor& t : outputs_)
      views_.push_back(
          {t.type, t.shape, t.bytes.data(), t.bytes.size(), &t.quantization});
    return std::span<const TensorView>(views_);
  }

  std::map<int, Body> bodies;
  std::vector<int> calls;

 private:
  std::vector<TestTensor> outputs_;
  std::vector<TensorView> views_;
};

TestTensor Bool(bool value) {
  return MakeTensor<uint8_t>(ElementType::kBool, Shape(), {value});
}

int32_t IntAt(const TensorView& view) { return *view.as<int32_t>(); }

std::string Refusal(const TestNode& node, Host* host) {
  TestOptions options;
  options.host = host;
  const auto result = RunNode(node, options);
  return result.ok() ? "ok" : std::string(result.status().message());
}

TEST(ControlFlowTest, If_RunsOneBranch) {
  for (const bool condition : {true, false}) {
    FakeHost host;
    // The branches give other shapes.
    host.bodies[3] = [](auto in) {
      return std::vector<TestTensor>{Ints({2}, {IntAt(in[0]), 1})};
    };
    host.bodies[5] = [](auto in) {
      return std::vector<TestTensor>{Ints({1, 1}, {-IntAt(in[0])})};
    };
    TestNode node{.op = "IF",
                  .attributes = Options({{"then_subgraph_index", int64_t{3}},
                                         {"else_subgraph_index", int64_t{5}}}),
                  .inputs = {Bool(condition), Ints({}, {7})},
                  .outputs = {{ElementType::kInt32}}};
    TestOptions options;
    options.host = &host;
    const auto out = RunNode(node, options);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT(host.calls, ElementsAre(condition ? 3 : 5));
    EXPECT_EQ((*out)[0].shape, condition ? (Shape{2}) : (Shape{1, 1}));
    EXPECT_EQ((*out)[0].values<int32_t>()[0], condition ? 7 : -7);
  }
}

TEST(ControlFlowTest, IfWithInvalidBranches_IsRefused) {
  FakeHost host;
  host.bodies[0] = [](auto) {
    return std::vector<TestTensor>{Floats({1}, {1})};
  };
  const graph::Attributes branches =
      Options({{"then_subgraph_index", int64_t{0}},
               {"else_subgraph_index", int64_t{0}}});
  TestNode node{.op = "IF", .attributes = branches, .inputs = {Bool(true)}};
  EXPECT_EQ(Refusal(node, &host), "ok");
  node.outputs = {{ElementType::kInt32}};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("gives float32"));
  node.outputs = {{}, {}};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("has 1 outputs, the node 2"));
  node.outputs = {{}};
  node.inputs = {Ints({}, {1})};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("wants one bool"));
  node.inputs = {MakeTensor<uint8_t>(ElementType::kBool, {2}, {1, 1})};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("wants one bool"));
  node.inputs = {MakeTensor<uint8_t>(ElementType::kBool, {0}, {})};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("wants one bool"));
  node.inputs = {};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("no condition"));
  node.inputs = {Absent()};
  EXPECT_THAT(Refusal(node, &host), HasSubstr("absent"));
  node.inputs = {Bool(true)};
  node.attributes = Options({{"then_subgraph_index", int64_t{0}}});
  EXPECT_THAT(Refusal(node, &host), HasSubstr("names no subgraph"));
}

// [i, list]: while i < limit, i grows by one and the list by its value.
void AddCounting(FakeHost& host, int limit) {
  host.bodies[1] = [limit](auto in) {
    return std::vector<TestTensor>{Bool(IntAt(in[0]) < limit)};
  };
  host.bodies[2] = [](std::span<const TensorView> in) {
    const int32_t* list = in[1].as<int32_t>();
    std::vector<int32_t> longer(list, list + in[1].shape[0]);
    longer.push_back(IntAt(in[0]));
    return std::vector<TestTensor>{
        Ints({}, {IntAt(in[0]) + 1}),
        Ints({static_cast<int32_t>(longer.size())}, longer)};
  };
}

TestNode WhileNode() {
  return {.op = "WHILE",
          .attributes = Options({{"cond_subgraph_index", int64_t{1}},
                                 {"body_subgraph_index", int64_t{2}}}),
          .inputs = {Ints({}, {0}), Ints({1}, {-5})},
          .outputs = {{ElementType::kInt32}, {ElementType::kInt32}}};
}

TEST(ControlFlowTest, While_SupportsGrowingVariables) {
  FakeHost host;
  AddCounting(host, 4);
  TestOptions options;
  options.host = &host;
  const auto out = RunNode(WhileNode(), options);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<int32_t>(), ElementsAre(4));
  EXPECT_EQ((*out)[1].shape, (Shape{5}));
  EXPECT_THAT((*out)[1].values<int32_t>(), ElementsAre(-5, 0, 1, 2, 3));
  EXPECT_THAT(host.calls, ElementsAre(1, 2, 1, 2, 1, 2, 1, 2, 1));
}

TEST(ControlFlowTest, WhileThatNeverRuns_GivesItsInputs) {
  FakeHost host;
  AddCounting(host, 0);
  TestOptions options;
  options.host = &host;
  const auto out = RunNode(WhileNode(), options);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<int32_t>(), ElementsAre(0));
  EXPECT_THAT((*out)[1].values<int32_t>(), ElementsAre(-5));
}

TEST(ControlFlowTest, WhileWithInvalidBodies_IsRefused) {
  FakeHost host;
  AddCounting(host, 4);
  TestNode node = WhileNode();
  node.outputs.pop_back();
  EXPECT_THAT(Refusal(node, &host), HasSubstr("2 inputs and 1 outputs"));
  node = WhileNode();
  node.outputs[1].type = ElementType::kFloat32;
  EXPECT_THAT(Refusal(node, &host), HasSubstr("loop variable 1: mixes"));
  node = WhileNode();
  host.bodies[1] = [](auto) { return std::vector<TestTensor>{Ints({}, {1})}; };
  EXPECT_THAT(Refusal(node, &host), HasSubstr("wants one bool"));
  host.bodies[1] = [](auto) {
    return std::vector<TestTensor>{Bool(true), Bool(true)};
  };
  EXPECT_THAT(Refusal(node, &host), HasSubstr("2 outputs, wants one"));
  AddCounting(host, 4);
  host.bodies[2] = [](auto) { return std::vector<TestTensor>{Bool(true)}; };
  EXPECT_THAT(Refusal(node, &host),
              HasSubstr("1 outputs for 2 loop variables"));
  host.bodies[2] = [](auto) {
    return std::vector<TestTensor>{Bool(true), Ints({}, {1})};
  };
  EXPECT_THAT(Refusal(node, &host),
              HasSubstr("loop variable 0: mixes int32 and bool"));
  host.bodies.erase(2);
  EXPECT_THAT(Refusal(node, &host), HasSubstr("no subgraph 2"));
}

TEST(ControlFlowTest, CallAndComposite_GiveTheSubgraphsOutputs) {
  FakeHost host;
  host.bodies[4] = [](auto in) {
    return std::vector<TestTensor>{Floats({2}, {1, 2}),
                                   Ints({}, {IntAt(in[0]) + 1})};
  };
  for (const char* op : {"CALL", "STABLEHLO_COMPOSITE"}) {
    TestNode node{
        .op = op,
        .attributes = Options({{"subgraph", int64_t{4}},
                               {"decomposition_subgraph_index", int64_t{4}}}),
        .inputs = {Ints({}, {8})},
        .outputs = {{}, {ElementType::kInt32}}};
    TestOptions options;
    options.host = &host;
    const auto out = RunNode(node, options);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT((*out)[0].values<float>(), ElementsAre(1, 2));
    EXPECT_THAT((*out)[1].values<int32_t>(), ElementsAre(9));
  }
}

TEST(ControlFlowTest, CallOnce_RunsOnceUntilResourcesAreCleared) {
  FakeHost host;
  host.bodies[6] = [](auto) { return std::vector<TestTensor>{}; };
  const TestNode node{
      .op = "CALL_ONCE",
      .attributes = Options({{"init_subgraph_index", int64_t{6}}}),
      .outputs = {}};
  EXPECT_EQ(Refusal(node, &host), "ok");
  EXPECT_EQ(Refusal(node, &host), "ok");
  EXPECT_THAT(host.calls, ElementsAre(6));
  host.resources().Clear();
  EXPECT_EQ(Refusal(node, &host), "ok");
  EXPECT_THAT(host.calls, ElementsAre(6, 6));
  // The failed call did not run.
  host.resources().Clear();
  host.bodies.erase(6);
  EXPECT_THAT(Refusal(node, &host), HasSubstr("initialization"));
  EXPECT_THAT(Refusal(node, &host), HasSubstr("initialization"));
}

}  // namespace
}  // namespace munja::ops
