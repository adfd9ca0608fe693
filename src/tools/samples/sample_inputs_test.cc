// Runs of models on made-up numbers.
#include "samples/sample_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/control.h"
#include "runtime/session.h"

namespace munja::tools {
namespace {

using ::testing::HasSubstr;

graph::ValueId AddNumber(graph::Subgraph& subgraph, const char* name,
                         ElementType type = ElementType::kFloat32) {
  graph::Value value;
  value.name = name;
  value.type = type;
  value.shape = Shape{1};
  return subgraph.AddValue(std::move(value));
}

// while x <= x: x = x + x
graph::Graph EndlessLoop() {
  graph::Graph model;
  model.subgraphs.resize(3);
  graph::Subgraph& main = model.subgraphs[0];
  main.inputs = {AddNumber(main, "x")};
  main.outputs = {AddNumber(main, "y")};
  graph::Node& loop = main.nodes.emplace_back();
  loop.op = "WHILE";
  loop.attributes.Set("cond_subgraph_index", int64_t{1});
  loop.attributes.Set("body_subgraph_index", int64_t{2});
  loop.inputs = main.inputs;
  loop.outputs = main.outputs;
  graph::Subgraph& condition = model.subgraphs[1];
  condition.inputs = {AddNumber(condition, "x")};
  condition.outputs = {AddNumber(condition, "goes_on", ElementType::kBool)};
  graph::Node& less = condition.nodes.emplace_back();
  less.op = "LESS_EQUAL";
  less.inputs = {condition.inputs[0], condition.inputs[0]};
  less.outputs = condition.outputs;
  graph::Subgraph& body = model.subgraphs[2];
  body.inputs = {AddNumber(body, "x")};
  body.outputs = {AddNumber(body, "next")};
  graph::Node& add = body.nodes.emplace_back();
  add.op = "ADD";
  add.inputs = {body.inputs[0], body.inputs[0]};
  add.outputs = body.outputs;
  return model;
}

class RunOnSampleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto session = runtime::CreateSession(model_, {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    session_ = std::move(*session);
    const Shape shape{1};
    auto inputs = SampleInputs::Create(*session_, {&shape, 1});
    ASSERT_TRUE(inputs.ok()) << inputs.status().message();
    inputs_.emplace(std::move(*inputs));
  }
  auto Run() { return RunOnSample(*model_, *session_, inputs_->views()); }

 private:
  const std::shared_ptr<const graph::Graph> model_ =
      std::make_shared<const graph::Graph>(EndlessLoop());
  std::unique_ptr<runtime::Session> session_;
  std::optional<SampleInputs> inputs_;
};

// Converting a model runs it on numbers that were not chosen for it.
TEST_F(RunOnSampleTest, LoopThatNeverEnds_IsLeft) {
  const auto results = Run();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().code(), Code::kTimedOut);
  EXPECT_THAT(std::string(results.status().message()),
              HasSubstr("a loop did not end on made-up numbers"));
}

// The time of such a run is not waited for when the call is cancelled.
TEST_F(RunOnSampleTest, CancelledCall_EndsAtOnce) {
  Control control({});
  const ControlScope scope(&control);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    control.Cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto results = Run();
  other.join();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().code(), Code::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

}  // namespace
}  // namespace munja::tools
