// Calls of subgraphs, and what all subgraphs of a session share.
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/session.h"
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

std::string Message(const Result<std::span<const TensorView>>& result) {
  return result.ok() ? "ok" : std::string(result.status().message());
}

TEST(CallTest, OneSubgraph_ServesManyCalls) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto y = b.Invoke(1, {x});
  b.Output(b.Add("ADD", {b.Invoke(1, {y}), y}));
  b.Select(1);
  b.Output(b.Add("ROLL", {b.Add("NEG", {b.Input({kDynamic})})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  for (const std::vector<float>& data :
       std::vector<std::vector<float>>{{1, 2, 4}, {3}, {5, 1}}) {
    const auto n = static_cast<int32_t>(data.size());
    const TensorView view = View(data, {n});
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    std::vector<float> want;
    for (int i = 0; i < n; ++i)
      want.push_back(data[(i + 2) % n] - data[(i + 1) % n]);
    EXPECT_EQ(Floats((*out)[0]), want);
  }
}

// A chain of subgraphs, each calling the next.
std::unique_ptr<Session> Chain(int length) {
  GraphBuilder b;
  for (int s = 0; s < length; ++s) {
    b.Select(static_cast<size_t>(s));
    const auto x = b.Input({kDynamic});
    b.Output(s + 1 < length ? b.Invoke(s + 1, {x}) : b.Add("NEG", {x}));
  }
  b.Select(0);
  return MustCreate(b);
}

TEST(CallTest, TooDeepNesting_IsRefused) {
  const std::vector<float> data = {1, 2};
  const TensorView view = View(data, {2});
  auto session = Chain(65);
  ASSERT_NE(session, nullptr);
  auto out = session->Run({&view, 1});
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT(Floats((*out)[0]), ElementsAre(-1, -2));
  session = Chain(66);
  ASSERT_NE(session, nullptr);
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(Message(session->Run({&view, 1})),
                HasSubstr("nested more than 64 deep"));
  }
}

// Verify refuses such graphs; kernels of others may do it all the same.
TEST(CallTest, RecursiveSubgraph_IsRefused) {
  GraphBuilder b;
  b.Output(b.Invoke(1, {b.Input({kDynamic})}));
  b.Select(1);
  b.Output(b.Invoke(0, {b.Input({kDynamic})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data = {1};
  const TensorView view = View(data, {1});
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(Message(session->Run({&view, 1})),
                HasSubstr("subgraph 0 calls itself"));
  }
}

TEST(CallTest, Failures_NameTheCallPath) {
  GraphBuilder b;
  b.Output(b.Invoke(1, {b.Input({kDynamic})}));
  b.Select(1);
  b.Output(b.Add("CHECK", {b.Input({kDynamic})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> bad = {-1}, good = {1};
  TensorView view = View(bad, {1});
  EXPECT_THAT(Message(session->Run({&view, 1})),
              HasSubstr("node 0 (INVOKE): subgraph 1: node 0 (CHECK): "));
  view = View(good, {1});
  auto out = session->Run({&view, 1});
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT(Floats((*out)[0]), ElementsAre(1));
}

TEST(CallTest, MismatchedArguments_AreRefused) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Invoke(1, {x, x}));
  b.Select(1);
  b.Output(b.Add("NEG", {b.Input({kDynamic})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const std::vector<float> data = {1};
  const TensorView view = View(data, {1});
  EXPECT_THAT(Message(session->Run({&view, 1})),
              HasSubstr("subgraph 1: the model has 1 input, 2 were given"));
}

// Models often state the shapes of the first turn of a loop.
TEST(CallTest, Callees_SupportOtherShapesThanStated) {
  GraphBuilder b;
  b.Output(b.Invoke(1, {b.Add("POSITIVE", {b.Input({kDynamic})})}));
  b.Select(1);
  const auto x = b.Input({2});
  const auto y = b.Add("ADD", {x, b.Add("ROLL", {x})});
  b.sub().values[y].has_shape = true;
  b.sub().values[y].shape = {2};
  b.Output(b.Invoke(2, {y}));
  b.Select(2);
  b.Output(b.Add("NEG", {b.Input({1, 1})}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  for (const std::vector<float>& data :
       std::vector<std::vector<float>>{{1, 2}, {1, 2, 4}, {5}, {}, {7, 3}}) {
    const auto n = data.size();
    const TensorView view = View(data, {static_cast<int32_t>(n)});
    auto out = session->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    std::vector<float> want;
    for (size_t i = 0; i < n; ++i) want.push_back(-data[i] - data[(i + 1) % n]);
    EXPECT_EQ(Floats((*out)[0]), want);
  }
}

TEST(CallTest, MissingOperatorsOfAllSubgraphs_AreNamedAtOnce) {
  GraphBuilder b;
  b.Output(b.Invoke(1, {b.Add("FOO", {b.Input({1})})}));
  b.Select(1);
  b.Output(b.Invoke(2, {b.Add("BAR", {b.Input({1})})}));
  b.Select(2);
  b.Output(b.Add("BAR", {b.Input({1})}));
  b.Select(3);  // It is never called.
  b.Output(b.Add("BAZ", {b.Input({1})}));
  auto session = CreateSessionWith(b.Take(), {}, FindFakeOp);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "missing operators: BAR (2 nodes), FOO (1 node)");
}

TEST(CallTest, Resources_BelongToASession) {
  GraphBuilder b;
  b.Output(b.Add("TALLY", {}));
  b.Output(b.Invoke(1, {}));
  b.Select(1);
  b.Output(b.Add("TALLY", {}));
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  const auto run = [](Session& s) {
    auto out = s.Run({});
    return out.ok()
               ? std::vector<float>{Floats((*out)[0])[0], Floats((*out)[1])[0]}
               : std::vector<float>();
  };
  EXPECT_THAT(run(*session), ElementsAre(1, 2));
  EXPECT_THAT(run(*session), ElementsAre(3, 4));
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_THAT(run(**fork), ElementsAre(1, 2));
  session->ResetVariables();
  EXPECT_THAT(run(*session), ElementsAre(1, 2));
}

TEST(CallTest, Forks_RunAtTheSameTime) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Invoke(1, {b.Add("POSITIVE", {x})}));
  b.Select(1);
  auto v = b.Input({kDynamic});
  for (int i = 0; i < 10; ++i) v = b.Add("ROLL", {v});
  b.Output(v);
  auto session = MustCreate(b);
  ASSERT_NE(session, nullptr);
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  std::vector<std::unique_ptr<Session>> forks;
  for (size_t t = 0; t < right.size(); ++t) {
    auto fork = session->Fork(nullptr);
    ASSERT_TRUE(fork.ok());
    forks.push_back(std::move(*fork));
  }
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < 30; ++run) {
        std::vector<float> data(10 + static_cast<size_t>(run) % 3);
        for (size_t i = 0; i < data.size(); ++i)
          data[i] = static_cast<float>(i + 1 + t * 100);
        const TensorView view = View(data, {static_cast<int32_t>(data.size())});
        auto out = forks[t]->Run({&view, 1});
        std::rotate(data.begin(), data.begin() + 10 % data.size(), data.end());
        right[t] += out.ok() && Floats((*out)[0]) == data;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(right, ::testing::Each(30));
}

}  // namespace
}  // namespace munja::runtime
