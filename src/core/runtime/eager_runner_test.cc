// Sessions that run node by node: shapes that come with the run, calls of
// other subgraphs, resources.
#include "runtime/eager_runner.h"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/session.h"
#include "runtime/testing.h"
#include "tensor/strings.h"

namespace munja::runtime {
namespace {

using ::testing::ElementsAre;
using testing::Floats;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::MustCreate;
using testing::View;

// Runs on one vector; the first output, or the message alone in `failure`.
std::vector<float> RunOn(Session& session, const std::vector<float>& data,
                         std::string* failure = nullptr) {
  const TensorView view = View(data, {static_cast<int32_t>(data.size())});
  auto out = session.Run({&view, 1});
  if (failure != nullptr)
    *failure = out.ok() ? "ok" : std::string(out.status().message());
  else
    EXPECT_TRUE(out.ok()) << out.status().message();
  return out.ok() && !out->empty() ? Floats((*out)[0]) : std::vector<float>();
}

TEST(EagerRunnerTest, DynamicShapes_AreSupported) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto kept = b.Add("POSITIVE", {x});
  b.Output(b.Add("ADD", {b.Add("ROLL", {kept}), b.Add("NEG", {kept})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, -1, 4, 9}), ElementsAre(3, 5, -8));
  EXPECT_THAT(RunOn(*session, {-1, 5}), ElementsAre(0));
  EXPECT_THAT(RunOn(*session, {-1, -5}), ElementsAre());
  EXPECT_THAT(RunOn(*session, {}), ElementsAre());
  EXPECT_THAT(RunOn(*session, {2, 1, 2, 1, -3}), ElementsAre(-1, 1, -1, 1));
}

TEST(EagerRunnerTest, ShapeDecidingValues_AreReadInEachRun) {
  GraphBuilder b;
  const auto dims = b.Input({kDynamic}, ElementType::kInt32);
  b.Output(b.Add("ROLL", {b.Add("FILL", {dims})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  // The shape of the input stays, its values change.
  for (const std::vector<int32_t>& want :
       std::vector<std::vector<int32_t>>{{2, 3}, {4, 1}, {0, 5}, {1, 1}}) {
    TensorView view;
    view.type = ElementType::kInt32;
    view.shape = {2};
    view.data = const_cast<int32_t*>(want.data());
    view.bytes = 8;
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{want[0], want[1]}));
    EXPECT_EQ(Floats((*out)[0]), std::vector<float>(want[0] * want[1], 7));
  }
  // Node by node shapes are known after a run only.
  const Shape given{2};
  auto shapes = session->Plan({&given, 1});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
}

TEST(EagerRunnerTest, PlannableGraph_StillRunsAsAPlan) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, kDynamic});
  const auto shape = b.Add("SHAPE", {x}, ElementType::kInt32);
  b.Output(b.Add("FILL", {shape}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const Shape given{3, 2};
  auto shapes = session->Plan({&given, 1});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(Shape{3, 2}));
}

TEST(EagerRunnerTest, OutputsOfTheLastRun_MayBeInputs) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto kept = b.Add("POSITIVE", {x});
  b.Output(b.Add("ROLL", {kept}));
  b.Output(kept);
  b.Output(x);
  b.Output(kept);
  b.Output(b.Constant({1}, std::vector<float>{5}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8};
  TensorView view = View(data, {8});
  std::vector<float> want = data;
  for (int run = 0; run < 10; ++run) {
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ(Floats((*out)[1]), want);
    EXPECT_EQ(Floats((*out)[2]), want);
    EXPECT_EQ(Floats((*out)[3]), want);
    EXPECT_THAT(Floats((*out)[4]), ElementsAre(5));
    // An input that comes out is copied to the session's own memory.
    EXPECT_NE((*out)[2].data, view.data);
    std::rotate(want.begin(), want.begin() + 1, want.end());
    EXPECT_EQ(Floats((*out)[0]), want);
    view = (*out)[0];
  }
}

TEST(EagerRunnerTest, ErrorInTheMiddle_LeavesAUsableSession) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto kept = b.Add("POSITIVE", {x});
  const auto checked = b.Add("CHECK", {b.Add("ROLL", {b.Add("NEG", {x})})});
  b.Output(b.Add("ADD", {b.Add("NEG", {kept}), b.Add("NEG", {kept})}));
  b.Output(checked);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  std::string failure;
  RunOn(*session, {3, 1}, &failure);
  EXPECT_THAT(failure, HasSubstr("node 3 (CHECK): the first element"));
  EXPECT_THAT(RunOn(*session, {3, -1}), ElementsAre(-6));
  RunOn(*session, {3, 1, 4}, &failure);
  EXPECT_THAT(failure, HasSubstr("CHECK"));
  const size_t bytes = session->memory().arena;
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(RunOn(*session, {3, -1, 8}), ElementsAre(-6, -16));
    RunOn(*session, {3, 1, 4}, &failure);
    EXPECT_THAT(failure, HasSubstr("CHECK"));
  }
  EXPECT_LE(session->memory().arena, 2 * bytes + 1024);
}

TEST(EagerRunnerTest, Memory_IsReused) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  auto v = b.Add("POSITIVE", {x});
  for (int i = 0; i < 20; ++i) v = b.Add("ROLL", {v});
  b.Output(v);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  constexpr size_t kBytes = 4096;
  std::vector<float> data(kBytes / sizeof(float), 1);
  RunOn(*session, data);
  // Two of a chain at a time, scratch, and what is given out.
  EXPECT_LE(session->memory().arena, 4 * kBytes);
  for (int i = 0; i < 10; ++i) RunOn(*session, data);
  const size_t steady = session->memory().arena;
  EXPECT_LE(steady, 6 * kBytes);
  for (int i = 0; i < 10; ++i) RunOn(*session, data);
  EXPECT_EQ(session->memory().arena, steady);
  // Sizes up and down do not add up.
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    data.resize(1 + random() % 1024);
    std::fill(data.begin(), data.end(), 1.0f);
    EXPECT_EQ(RunOn(*session, data), data);
  }
  EXPECT_LE(session->memory().arena, 16 * kBytes);
}

TEST(EagerRunnerTest, Variables_LastBetweenRuns) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto sum =
      b.Add("ACCUMULATE", {b.Add("POSITIVE", {x}), b.Variable({2})});
  b.Output(sum);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, -1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(RunOn(*session, {1, 2}), ElementsAre(2, 4));
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_THAT(RunOn(**fork, {1, 2}), ElementsAre(1, 2));
  session->ResetVariables();
  EXPECT_THAT(RunOn(*session, {1, 2}), ElementsAre(1, 2));
}

// A variable may be an input and an output of the model.
TEST(EagerRunnerTest, VariablesThatAreInputs_AreNotWrittenInPlace) {
  for (const bool is_eager : {false, true}) {
    GraphBuilder b;
    const auto x = b.Input({2});
    const auto state = b.Variable({2});
    b.sub().inputs.push_back(state);
    const auto sum = b.Add("ACCUMULATE", {x, state});
    b.Output(sum);
    b.Output(state);
    if (is_eager) b.Output(b.Add("POSITIVE", {sum}));
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    const std::vector<float> data = {1, 2}, start = {10, 20};
    std::vector<TensorView> views = {View(data, {2}), View(start, {2})};
    auto out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT(Floats((*out)[0]), ElementsAre(11, 22));
    EXPECT_THAT(Floats((*out)[1]), ElementsAre(11, 22));
    EXPECT_THAT(start, ElementsAre(10, 20));
    // The state of the run before as input of this one.
    views[1] = (*out)[1];
    out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT(Floats((*out)[0]), ElementsAre(12, 24));
    views[0] = (*out)[1];
    views[1] = (*out)[1];
    out = session->Run(views);
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_THAT(Floats((*out)[0]), ElementsAre(24, 48));
  }
}

// Random graphs with values whose size only the run tells, against plain
// evaluation.
TEST(EagerRunnerTest, RandomGraphs_MatchPlainEvaluation) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    GraphBuilder b;
    const int n = 1 + static_cast<int>(random() % 40);
    std::vector<float> data(n);
    for (float& f : data) f = static_cast<float>(random() % 19) - 9;
    std::vector<graph::ValueId> values = {b.Input({kDynamic})};
    std::vector<std::vector<float>> truth = {data};
    for (int i = 0; i < 30; ++i) {
      const auto pick = [&] {
        return values.size() - 1 -
               random() % std::min<size_t>(values.size(), 5);
      };
      const size_t p = pick(), q = pick();
      std::vector<float> result = truth[p];
      switch (random() % 4) {
        case 0:
          values.push_back(b.Add("NEG", {values[p]}));
          for (float& f : result) f = -f;
          break;
        case 1:
          values.push_back(b.Add("POSITIVE", {values[p]}));
          std::erase_if(result, [](float f) { return !(f > 0); });
          break;
        case 2:
          if (truth[p].size() == truth[q].size()) {
            values.push_back(b.Add("ADD", {values[p], values[q]}));
            for (size_t k = 0; k < result.size(); ++k) result[k] += truth[q][k];
            break;
          }
          [[fallthrough]];
        default:
          values.push_back(b.Add("ROLL", {values[p]}));
          if (!result.empty())
            std::rotate(result.begin(), result.begin() + 1, result.end());
      }
      truth.push_back(std::move(result));
    }
    std::vector<size_t> outputs = {values.size() - 1, random() % values.size()};
    for (const size_t o : outputs) b.Output(values[o]);
    b.Output(b.Add("POSITIVE", {values[0]}));
    auto session = MustCreate(b);
    ASSERT_NE(session, nullptr);
    const TensorView view = View(data, {n});
    for (int run = 0; run < 3; ++run) {
      auto out = session->Run({&view, 1});
      ASSERT_TRUE(out.ok()) << out.status().message();
      for (size_t i = 0; i < outputs.size(); ++i)
        ASSERT_EQ(Floats((*out)[i]), truth[outputs[i]]) << "round " << round;
    }
  }
}

TEST(EagerRunnerTest, Profile_CoversEachNode) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Add("NEG", {b.Add("POSITIVE", {x})}));
  SessionOptions options;
  options.profile = true;
  auto session = MustCreate(b, options);
  ASSERT_NE(session, nullptr);
  RunOn(*session, {1, -1, 1});
  RunOn(*session, {1, 1, 1});
  const auto rows = session->Profile();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "POSITIVE");
  EXPECT_EQ(rows[0].runs, 2);
  EXPECT_EQ(rows[1].shapes, "3 -> 3");
  EXPECT_EQ(rows[1].multiply_accumulates, 3);
}

TEST(EagerRunnerTest, Strings_PassThrough) {
  GraphBuilder b;
  b.Output(b.Input({kDynamic}, ElementType::kString));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::string_view words[] = {"one", "", "three"};
  std::vector<uint8_t> bytes(StringBytes(words));
  WriteStrings(words, bytes.data());
  TensorView view;
  view.type = ElementType::kString;
  view.shape = {3};
  view.data = bytes.data();
  view.bytes = bytes.size();
  for (int run = 0; run < 2; ++run) {
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ((*out)[0].shape, (Shape{3}));
    EXPECT_EQ(StringAt((*out)[0], 2), "three");
    view = (*out)[0];
  }
  view.bytes -= 1;
  auto out = session->Run({&view, 1});
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(std::string(out.status().message()), HasSubstr("string 3 lies"));
}

}  // namespace
}  // namespace munja::runtime
