#include "runtime/session.h"

#include <cstring>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/cpu/simd.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using testing::CreateSessionWith;
using ::testing::ElementsAre;
using testing::FindFakeOp;
using testing::Floats;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::MustCreate;
using testing::View;

// The message of a failure, with its code in front.
template <class T>
std::string Failure(const Result<T>& result) {
  if (result.ok()) return "ok";
  return std::string(CodeName(result.status().code())) + ": " +
         std::string(result.status().message());
}

TEST(SessionTest, AnyFittingShape_Runs) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, 2});
  b.Output(b.Add("ADD", {b.Add("ROLL", {x}), x}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_EQ(session->inputs()[0].name, "in0");
  EXPECT_EQ(session->inputs()[0].shape, (Shape{kDynamic, 2}));

  for (const int rows : {1, 3, 1, 2}) {
    std::vector<float> data(rows * 2), want;
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    for (size_t i = 0; i < data.size(); ++i)
      want.push_back(data[i] + data[(i + 1) % data.size()]);
    const TensorView view = View(data, {rows, 2});
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{rows, 2}));
    EXPECT_EQ(Floats((*out)[0]), want);
  }
}

TEST(SessionTest, MissingOperators_AreNamedAtOnce) {
  GraphBuilder b;
  const auto x = b.Input({2});
  auto v = b.Add("FOO", {b.Add("FOO", {b.Add("FOO", {x})})});
  v = b.Add("NEG", {v});
  b.sub().nodes.back().version = 7;
  v = b.Add("NEG", {v});
  b.sub().nodes.back().is_custom = true;
  b.Output(v);
  EXPECT_EQ(Failure(CreateSessionWith(b.Take(), {}, FindFakeOp)),
            "unsupported: missing operators: FOO (3 nodes), NEG version 7 "
            "(1 node), custom NEG (1 node)");
}

TEST(SessionTest, Failures_NameTheNode) {
  GraphBuilder refuse;
  refuse.Output(refuse.Add("REFUSE", {refuse.Input({2})}));
  EXPECT_THAT(Failure(CreateSessionWith(refuse.Take(), {}, FindFakeOp)),
              ::testing::AllOf(HasSubstr("node 0 (REFUSE"),
                               HasSubstr("stride 3 is not supported")));

  const std::vector<float> data = {1, 2};
  const TensorView view = View(data, {2});
  for (const char* op : {"BROKEN", "FAIL"}) {
    GraphBuilder b;
    b.Output(b.Add(op, {b.Add("NEG", {b.Input({2})})}));
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    EXPECT_THAT(Failure(session->Run({&view, 1})),
                HasSubstr(std::string("node 1 (") + op));
  }
}

TEST(SessionTest, UnsupportedTensor_IsRefused) {
  GraphBuilder b;
  const auto x = b.Input({2});
  b.sub().values[x].unsupported = "sparsity";
  b.Output(b.Add("NEG", {x}));
  EXPECT_EQ(Failure(CreateSessionWith(b.Take(), {}, FindFakeOp)),
            "unsupported: tensor 'in0': sparsity is not supported");
}

TEST(SessionTest, MismatchedInputs_AreRefused) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, 2});
  b.Output(b.Add("NEG", {x}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data(6);

  EXPECT_EQ(Failure(session->Run({})),
            "invalid argument: the model has 1 input, 0 were given");
  TensorView view = View(data, {2, 3});
  EXPECT_EQ(Failure(session->Run({&view, 1})),
            "invalid argument: input 0 'in0' wants shape ?x2, given 2x3");
  view = View(data, {6});
  EXPECT_THAT(Failure(session->Run({&view, 1})), HasSubstr("given 6"));
  view = View(data, {kDynamic, 2});
  EXPECT_THAT(Failure(session->Run({&view, 1})), HasSubstr("given ?x2"));
  view = View(data, {3, 2});
  view.bytes = 20;
  EXPECT_THAT(Failure(session->Run({&view, 1})),
              HasSubstr("has 24 bytes, given 20"));
  view = View(data, {3, 2});
  view.data = nullptr;
  EXPECT_THAT(Failure(session->Run({&view, 1})), HasSubstr("has no data"));
  view = View(data, {3, 2});
  view.type = ElementType::kInt32;
  EXPECT_THAT(Failure(session->Run({&view, 1})),
              HasSubstr("wants type float32, given int32"));
  const Shape shape{2, 3};
  EXPECT_THAT(Failure(session->Plan({&shape, 1})), HasSubstr("given 2x3"));
  // It still works afterwards.
  view = View(data, {3, 2});
  EXPECT_TRUE(session->Run({&view, 1}).ok());
}

TEST(SessionTest, PlanOverTheMemoryLimit_IsRefused) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, kDynamic});
  b.Output(b.Add("ROLL", {x}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  for (const Shape& shape :
       {Shape{1 << 20, 1 << 16}, Shape{1 << 30, 1 << 30}}) {
    auto plan = session->Plan({&shape, 1});
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.status().code(), Code::kOutOfMemory);
  }
}

TEST(SessionTest, ShapesComputedFromShapes_AreStatic) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, kDynamic});
  const auto neg = b.Add("NEG", {x});
  const auto shape = b.Add("SHAPE", {neg}, ElementType::kInt32);
  const auto twice =
      b.Add("MUL", {shape, b.Constant({1}, std::vector<int32_t>{2})},
            ElementType::kInt32);
  b.Output(b.Add("FILL", {twice}));
  b.Output(twice);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const Shape given{2, 3};
  auto shapes = session->Plan({&given, 1});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(Shape{4, 6}, Shape{2}));
  const std::vector<float> data(6);
  const TensorView view = View(data, given);
  auto out = session->Run({&view, 1});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(Floats((*out)[0]), std::vector<float>(24, 7.0f));
  EXPECT_EQ((*out)[1].as<int32_t>()[0], 4);
  EXPECT_EQ((*out)[1].as<int32_t>()[1], 6);
}

TEST(SessionTest, Variables_LastUntilReset) {
  GraphBuilder b;
  const auto x = b.Input({2});
  b.Output(b.Add("ACCUMULATE", {x, b.Variable({2})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data = {1, 2};
  const TensorView view = View(data, {2});
  const auto run = [&](Session& s) {
    auto out = s.Run({&view, 1});
    return out.ok() ? Floats((*out)[0]) : std::vector<float>();
  };
  EXPECT_THAT(run(*session), ElementsAre(1, 2));
  EXPECT_THAT(run(*session), ElementsAre(2, 4));
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_THAT(run(**fork), ElementsAre(1, 2));
  session->ResetVariables();
  EXPECT_THAT(run(*session), ElementsAre(1, 2));
}

// A zero that is stored as the zero point is one where a variable begins, too.
TEST(SessionTest, QuantizedVariables_BeginAtZero) {
  for (const ElementType type : {ElementType::kInt8, ElementType::kUInt8}) {
    GraphBuilder b;
    const auto x = b.Input({2});
    const auto v = b.Variable({3});
    graph::Value& variable = b.sub().values[static_cast<size_t>(v)];
    variable.type = type;
    variable.quantization.scales = {0.5f};
    variable.quantization.zero_points = {7};
    b.Output(b.Add("NEG", {x}));
    b.Output(v);
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    const std::vector<float> data = {1, 2};
    const TensorView view = View(data, {2});
    const auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    ASSERT_EQ((*out)[1].bytes, 3u);
    const auto* const bytes = static_cast<const uint8_t*>((*out)[1].data);
    EXPECT_THAT(std::vector<uint8_t>(bytes, bytes + 3), ElementsAre(7, 7, 7));
  }
}

// Sizes of a variable that a model leaves open are 1.
TEST(SessionTest, VariablesWithoutFixedShape_AreSupported) {
  for (const bool has_shape : {true, false}) {
    GraphBuilder b;
    const auto x = b.Input(has_shape ? Shape{1} : Shape());
    const auto state = b.Variable({kDynamic});
    b.sub().values[state].has_shape = has_shape;
    b.Output(b.Add("ACCUMULATE", {x, state}));
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    const std::vector<float> data = {5};
    const TensorView view = View(data, has_shape ? Shape{1} : Shape());
    for (const float runs : {1.0f, 2.0f}) {
      auto out = session->Run({&view, 1});
      ASSERT_TRUE(out.ok()) << out.status().message();
      EXPECT_THAT(Floats((*out)[0]), ElementsAre(5 * runs));
    }
  }
}

// Bytes 0x01 and 0xff of scale 0.5 are 0.5 and -0.5, whether they are called
// int8 or uint8.
TEST(SessionTest, OldUInt8WeightsNextToFloats_AreSigned) {
  for (const auto type : {ElementType::kInt8, ElementType::kUInt8}) {
    GraphBuilder b;
    const auto x = b.Input({1, 2});
    const auto w = b.Constant({1, 2}, std::vector<float>{0, 0});
    graph::Value& weights = b.sub().values[w];
    weights.type = type;
    weights.constant = graph::MakeConstant({0x01, 0xff});
    weights.quantization.scales = {0.5f};
    weights.quantization.zero_points = {0};
    b.Output(b.Add("FULLY_CONNECTED", {x, w}));
    auto session = CreateSession(b.Take(), {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    const std::vector<float> data = {127, -64};
    const TensorView view = View(data, {1, 2});
    auto out = (*session)->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    // Exact: the inputs are whole steps of their scale, 1.
    EXPECT_THAT(Floats((*out)[0]), ElementsAre(95.5f));
  }
}

// A result computed from a variable before it changes is not computed from the
// value it becomes, whatever passes fuse.
TEST(SessionTest, Variables_AreReadBeforeTheyChange) {
  for (const bool run_passes : {false, true}) {
    GraphBuilder b;
    const auto x = b.Input({1, 2}), state = b.Variable({1, 2});
    const auto same =
        b.Constant({2, 2}, std::vector<float>{1.0f, 0.0f, 0.0f, 1.0f});
    const auto before = b.Add("FULLY_CONNECTED", {state, same});
    b.Output(b.Add("ACCUMULATE", {x, state}));
    b.Output(b.Add("ADD", {before, x}));
    for (graph::Value& value : b.sub().values) {
      if (value.constant) continue;
      value.shape = {1, 2};
      value.has_shape = true;
    }
    SessionOptions options;
    options.run_passes = run_passes;
    auto session = CreateSessionWith(b.Take(), options, [](auto name) {
      return name == "ACCUMULATE" ? FindFakeOp(name) : ops::FindOp(name);
    });
    ASSERT_TRUE(session.ok()) << session.status().message();
    const std::vector<float> data = {1, 2};
    const TensorView view = View(data, {1, 2});
    for (const float runs : {1.0f, 2.0f, 3.0f}) {
      auto out = (*session)->Run({&view, 1});
      ASSERT_TRUE(out.ok()) << out.status().message();
      EXPECT_THAT(Floats((*out)[0]), ElementsAre(runs, 2 * runs));
      EXPECT_THAT(Floats((*out)[1]), ElementsAre(runs, 2 * runs));
    }
  }
}

// Weights are packed for the vector instructions in use.
TEST(SessionTest, InstructionSet_StaysWhileThereIsASession) {
  const std::string best = kernels::SimdName();
  const std::string other = kernels::SimdNames().back();
  if (best == other) GTEST_SKIP() << "there is one set";
  GraphBuilder b;
  const auto x = b.Input({1, 2});
  b.Output(b.Add("NEG", {x}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  session.reset();
  EXPECT_EQ(kernels::SelectSimd(other).code(), Code::kInvalidArgument);
  EXPECT_EQ(kernels::SimdName(), best);
  fork->reset();
  EXPECT_TRUE(kernels::SelectSimd(other).ok());
  EXPECT_TRUE(kernels::SelectSimd("").ok());
}

// Fails to be prepared for three numbers; needs its values for four.
struct Picky final : ops::Kernel {
  inline static int asked_for_three = 0;

  Status Prepare(ops::PrepareContext& c) const override {
    const Shape& shape = c.input(0).shape;
    if (shape[0] == 3) {
      ++asked_for_three;
      return Unsupported("three numbers");
    }
    if (shape[0] == 4 && c.input(0).data == nullptr)
      return NeedsValues("the values are not there");
    return c.SetOutputShape(0, shape);
  }
  Status Eval(ops::EvalContext& c) const override {
    std::memcpy(c.output(0).data, c.input(0).data, c.output(0).bytes);
    return Status();
  }
};

// Takes two numbers x, which it adds up in a variable, and the numbers y.
Result<std::unique_ptr<Session>> PickySession() {
  GraphBuilder b;
  const auto x = b.Input({2}), y = b.Input({kDynamic});
  b.Output(b.Add("ACCUMULATE", {x, b.Variable({2})}));
  // The values of y are those when it runs.
  b.Output(b.Add("picky", {b.Add("NEG", {y})}));
  b.sub().nodes.back().is_custom = true;
  graph::Value& out = b.sub().values[b.sub().outputs.back()];
  out.shape = {kDynamic};
  out.has_shape = true;
  auto resolver = std::make_shared<Resolver>(FindFakeOp);
  Resolver::Operator op;
  op.make = [](const ops::NodeInfo&) -> Result<std::unique_ptr<ops::Kernel>> {
    return std::unique_ptr<ops::Kernel>(std::make_unique<Picky>());
  };
  resolver->Add("picky", true, op);
  SessionOptions options;
  options.resolver = resolver;
  return CreateSession(b.Take(), options);
}

Result<std::vector<float>> RunPicky(Session& session, int32_t count) {
  const std::vector<float> x = {1, 2}, y(static_cast<size_t>(count), 5.0f);
  const std::vector<TensorView> inputs = {View(x, {2}), View(y, {count})};
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, session.Run(inputs));
  EXPECT_EQ(outputs[1].shape, Shape{count});
  return Floats(outputs[0]);
}

// Neither a plan nor running node by node can take three numbers; what was
// found out on the way changed a variable.
TEST(SessionTest, UnsupportedRun_LeavesVariablesUnchanged) {
  auto session = PickySession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunPicky(**session, 2).value(), ElementsAre(1, 2));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(RunPicky(**session, 3).status().code(), Code::kUnsupported);
  EXPECT_THAT(RunPicky(**session, 2).value(), ElementsAre(2, 4));
  // Where inputs that run node by node were there before, too.
  EXPECT_THAT(RunPicky(**session, 4).value(), ElementsAre(3, 6));
  EXPECT_EQ(RunPicky(**session, 3).status().code(), Code::kUnsupported);
  EXPECT_THAT(RunPicky(**session, 4).value(), ElementsAre(4, 8));
}

// Only what needs values is tried again with them.
TEST(SessionTest, UnsupportedNode_IsReportedBeforeAnythingRuns) {
  auto session = PickySession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  Picky::asked_for_three = 0;
  const Status refused = RunPicky(**session, 3).TakeStatus();
  EXPECT_EQ(refused.code(), Code::kUnsupported);
  EXPECT_THAT(refused.message(), ::testing::HasSubstr("three numbers"));
  EXPECT_EQ(Picky::asked_for_three, 1);
  const Shape two{2};
  EXPECT_EQ((*session)->Plan({{two, Shape{3}}}).status().code(),
            Code::kUnsupported);
  EXPECT_EQ((*session)->Plan({{two, Shape{4}}}).status().code(),
            Code::kNeedsValues);
}

// One set of shapes that has to run node by node does not make all others do.
TEST(SessionTest, DataDependentShapes_LeaveOthersTheirPlans) {
  auto session = PickySession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  ASSERT_TRUE(RunPicky(**session, 4).ok());
  const std::vector<Shape> two = {{2}, {2}}, four = {{2}, {4}};
  auto shapes = (*session)->Plan(two);
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(Shape{2}, Shape{2}));
  EXPECT_GT((*session)->memory().arena, 0u);
  // The others are unknown before the run.
  shapes = (*session)->Plan(four);
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT((*shapes)[1], Shape{kDynamic});
  EXPECT_THAT(RunPicky(**session, 2).value(), ElementsAre(2, 4));
  EXPECT_THAT(RunPicky(**session, 4).value(), ElementsAre(3, 6));
}

TEST(SessionTest, Outputs_MayBeInputsConstantsAndRepeated) {
  GraphBuilder b;
  const auto x = b.Input({2});
  const auto y = b.Add("NEG", {x});
  b.Output(x);
  b.Output(y);
  b.Output(b.Constant({1}, std::vector<float>{5}));
  b.Output(y);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  std::vector<float> data = {1, 2};
  const TensorView view = View(data, {2});
  auto out = session->Run({&view, 1});
  ASSERT_TRUE(out.ok());
  data = {0, 0};  // The outputs are the session's own.
  EXPECT_THAT(Floats((*out)[0]), ElementsAre(1, 2));
  EXPECT_THAT(Floats((*out)[1]), ElementsAre(-1, -2));
  EXPECT_THAT(Floats((*out)[2]), ElementsAre(5));
  EXPECT_THAT(Floats((*out)[3]), ElementsAre(-1, -2));
}

TEST(SessionTest, OwnOutputsAndUnalignedInputs_AreSupported) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Add("ROLL", {b.Add("NEG", {x})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data = {1, 2, 3};
  TensorView view = View(data, {3});
  auto first = session->Run({&view, 1});
  ASSERT_TRUE(first.ok());
  view = (*first)[0];  // -2 -3 -1
  auto second = session->Run({&view, 1});
  ASSERT_TRUE(second.ok());
  EXPECT_THAT(Floats((*second)[0]), ElementsAre(3, 1, 2));

  std::vector<uint8_t> bytes(13);
  std::memcpy(bytes.data() + 1, data.data(), 12);
  view = View(data, {3});
  view.data = bytes.data() + 1;
  auto third = session->Run({&view, 1});
  ASSERT_TRUE(third.ok());
  EXPECT_THAT(Floats((*third)[0]), ElementsAre(-2, -3, -1));
}

// Each input that is copied first has a place of its own.
TEST(SessionTest, SeveralUnalignedInputs_AreSupported) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic}), y = b.Input({kDynamic}),
             z = b.Input({kDynamic});
  b.Output(b.Add("ADD", {b.Add("ADD", {x, y}), z}));
  b.Output(b.Add("NEG", {x}));
  b.Output(b.Add("NEG", {y}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data = {1, 2, 3, 10, 20, 30, 100, 200, 300};
  std::vector<uint8_t> bytes(4 * data.size() + 1);
  std::memcpy(bytes.data() + 1, data.data(), 4 * data.size());
  for (const bool middle_is_aligned : {false, true}) {
    std::vector<TensorView> views(3, View({1, 2, 3}, {3}));
    for (size_t i = 0; i < 3; ++i) views[i].data = bytes.data() + 1 + 12 * i;
    const std::vector<float> middle = {10, 20, 30};
    if (middle_is_aligned) views[1] = View(middle, {3});
    auto out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT(Floats((*out)[0]), ElementsAre(111, 222, 333));
    EXPECT_THAT(Floats((*out)[1]), ElementsAre(-1, -2, -3));
    EXPECT_THAT(Floats((*out)[2]), ElementsAre(-10, -20, -30));
  }
}

TEST(SessionTest, Forks_RunAtTheSameTime) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  auto v = x;
  for (int i = 0; i < 20; ++i) v = b.Add("ROLL", {v});
  b.Output(v);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  std::vector<std::unique_ptr<Session>> forks;
  for (int t = 0; t < 4; ++t) {
    auto fork = session->Fork(nullptr);
    ASSERT_TRUE(fork.ok());
    forks.push_back(std::move(*fork));
  }
  session.reset();  // Forks do not need it.
  std::vector<std::thread> threads;
  std::vector<int> right(forks.size());
  for (size_t t = 0; t < forks.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < 50; ++run) {
        std::vector<float> data(21);
        for (size_t i = 0; i < data.size(); ++i)
          data[i] = static_cast<float>(i + t * 100);
        const TensorView view = View(data, {21});
        auto out = forks[t]->Run({&view, 1});
        std::vector<float> want(data.end() - 1, data.end());
        want.insert(want.end(), data.begin(), data.end() - 1);
        right[t] += out.ok() && Floats((*out)[0]) == want;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, ::testing::Each(50));
}

TEST(SessionTest, Profile_CountsRunsByNode) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Add("ROLL", {b.Add("NEG", {x})}));
  SessionOptions options;
  options.profile = true;
  auto session = MustCreate(b, options);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data(4);
  for (const int n : {3, 4}) {
    TensorView view = View(data, {n});
    view.bytes = n * sizeof(float);
    ASSERT_TRUE(session->Run({&view, 1}).ok());
  }
  const auto rows = session->Profile();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "NEG");
  EXPECT_EQ(rows[0].shapes, "4 -> 4");
  EXPECT_EQ(rows[0].runs, 2);
  EXPECT_EQ(rows[0].multiply_accumulates, 4);
  EXPECT_EQ(rows[1].op, "ROLL");
  session->ResetProfile();
  EXPECT_TRUE(session->Profile().empty());
}

TEST(SessionTest, Memory_IsReported) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Add("ROLL", {b.Add("NEG", {b.Add("ROLL", {x})})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->memory().arena, 0u);
  EXPECT_EQ(session->memory().packed_weights, 10u);
  const Shape shape{1024};
  ASSERT_TRUE(session->Plan({&shape, 1}).ok());
  // Input and output of a ROLL and its scratch; NEG works in place.
  EXPECT_EQ(session->memory().arena, 3 * 4096u);
}

TEST(SessionTest, MissingSubgraph_IsRefused) {
  GraphBuilder b;
  b.Output(b.Add("NEG", {b.Input({1})}));
  const auto graph = b.Take();
  for (const int subgraph : {-1, 1}) {
    SessionOptions options;
    options.subgraph = subgraph;
    EXPECT_THAT(Failure(CreateSessionWith(graph, options, FindFakeOp)),
                HasSubstr("there is no subgraph"));
  }
  EXPECT_FALSE(CreateSessionWith(nullptr, {}, FindFakeOp).ok());
}

// Random graphs against a plain evaluation that gives every value memory of
// its own. ROLL fills its scratch with NaN, so sharing memory that is still
// in use shows in the results.
TEST(SessionTest, RandomGraphs_MatchPlainEvaluation) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    GraphBuilder b;
    const int n = 4 << (random() % 6);
    std::vector<graph::ValueId> values = {b.Input({n}), b.Input({n})};
    std::vector<std::vector<float>> truth(2, std::vector<float>(n));
    for (auto& data : truth)
      for (float& x : data) x = static_cast<float>(random() % 100);
    const auto inputs = truth;
    for (int i = 0; i < 30; ++i) {
      // Mostly recent values, so that memory is freed.
      const auto pick = [&] {
        const size_t back = 1 + random() % std::min<size_t>(values.size(), 6);
        return values.size() - back;
      };
      const size_t p = pick(), q = pick();
      std::vector<float> data(n);
      switch (random() % 3) {
        case 0:
          values.push_back(b.Add("NEG", {values[p]}));
          for (int k = 0; k < n; ++k) data[k] = -truth[p][k];
          break;
        case 1:
          values.push_back(b.Add("ADD", {values[p], values[q]}));
          for (int k = 0; k < n; ++k) data[k] = truth[p][k] + truth[q][k];
          break;
        default:
          values.push_back(b.Add("ROLL", {values[p]}));
          for (int k = 0; k < n; ++k) data[k] = truth[p][(k + 1) % n];
      }
      truth.push_back(std::move(data));
    }
    std::vector<size_t> outputs = {values.size() - 1, random() % values.size(),
                                   random() % values.size()};
    for (const size_t o : outputs) b.Output(values[o]);
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    const std::vector<TensorView> views = {View(inputs[0], {n}),
                                           View(inputs[1], {n})};
    for (int run = 0; run < 2; ++run) {
      auto out = session->Run(views);
      ASSERT_TRUE(out.ok()) << out.status().message();
      for (size_t i = 0; i < outputs.size(); ++i)
        ASSERT_EQ(Floats((*out)[i]), truth[outputs[i]]) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace munja::runtime
