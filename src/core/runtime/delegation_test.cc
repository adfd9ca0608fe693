#include "runtime/delegation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/log.h"
#include "runtime/delegate.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using testing::CreateSessionWith;
using ::testing::ElementsAre;
using testing::FindFakeOp;
using testing::Floats;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::View;

// Takes NEG, ADD and ACCUMULATE on floats of equal shape, fails on demand.
class FakeDelegate final : public Delegate {
 public:
  std::string_view name() const override { return name_; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph&, const graph::Subgraph& sub) override {
    ++checked;
    if (!fail_check.ok()) return fail_check.Clone();
    std::vector<NodeSupport> support;
    for (const graph::Node& node : sub.nodes) {
      if (takes.contains(node.op)) {
        support.push_back({true, ""});
      } else {
        support.push_back({false, node.op + " is not mine"});
      }
    }
    if (drop_an_entry) support.pop_back();
    return support;
  }
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph&, const graph::Subgraph& sub,
      const Partition& partition) override;
  Limits limits() const override { return limits_; }
  bool is_stateful() const override { return stateful; }
  bool takes_variables() const override { return variables; }

  std::string name_ = "fake";
  std::set<std::string> takes = {"NEG", "ADD"};
  Limits limits_;
  bool tells_times = false;
  Status fail_check, fail_compile, fail_prepare, fail_eval;
  bool drop_an_entry = false, stateful = false, variables = false;
  bool wants_values = false;  // Prepare needs the data.
  bool defers = false;        // Output shapes come with Eval.
  int checked = 0, compiled = 0, prepared = 0, evaluated = 0;
};

class FakeKernel final : public ops::Kernel {
 public:
  FakeKernel(FakeDelegate& owner, const graph::Subgraph& sub,
             const Partition& partition)
      : owner_(owner), partition_(partition) {
    for (const int n : partition.nodes) nodes_.push_back(sub.nodes[n]);
    for (size_t v = 0; v < sub.values.size(); ++v) {
      if (!sub.values[v].constant) continue;
      const auto& bytes = sub.values[v].constant->bytes;
      const auto* data = reinterpret_cast<const float*>(bytes.data());
      constants_[static_cast<graph::ValueId>(v)] = {
          data, data + bytes.size() / sizeof(float)};
    }
  }
  Status Prepare(ops::PrepareContext& context) const override {
    ++owner_.prepared;
    for (size_t o = 0; o < partition_.outputs.size(); ++o) {
      const int number = static_cast<int>(o);
      if (owner_.defers) {
        context.DeferOutputShape(number);
      } else {
        MUNJA_RETURN_IF_ERROR(
            context.SetOutputShape(number, context.input(0).shape));
      }
      context.AllowInPlace(number, 0);
    }
    if (!owner_.fail_prepare.ok()) return owner_.fail_prepare.Clone();
    if (owner_.wants_values && context.input(0).data == nullptr)
      return NeedsValues("the values are not there");
    return Status();
  }
  Status Eval(ops::EvalContext& context) const override {
    ++owner_.evaluated;
    std::map<graph::ValueId, std::vector<float>> values = constants_;
    for (size_t i = 0; i < partition_.inputs.size(); ++i)
      values[partition_.inputs[i]] = Floats(context.input(static_cast<int>(i)));
    for (const graph::Node& node : nodes_) {
      std::vector<float> out = values[node.inputs[0]];
      for (size_t i = 0; i < out.size(); ++i)
        out[i] =
            node.op == "NEG" ? -out[i] : out[i] + values[node.inputs[1]][i];
      if (node.op == "ACCUMULATE") values[node.inputs[1]] = out;
      values[node.outputs[0]] = out;
    }
    const auto write = [&](const TensorView& view, graph::ValueId v) {
      std::copy(values[v].begin(), values[v].end(), view.mutable_as<float>());
    };
    for (size_t i = 0; i < partition_.inputs.size(); ++i)
      if (owner_.variables)
        write(context.input(static_cast<int>(i)), partition_.inputs[i]);
    if (!owner_.fail_eval.ok()) return owner_.fail_eval.Clone();
    if (owner_.tells_times && context.part_times() != nullptr)
      for (const graph::Node& node : nodes_)
        context.part_times()->push_back(
            {"fake:" + node.op, node.name, "3 -> 3", 1e-9, 7, 24});
    for (size_t o = 0; o < partition_.outputs.size(); ++o) {
      const int number = static_cast<int>(o);
      if (owner_.defers) {
        MUNJA_RETURN_IF_ERROR(
            context.ResizeOutput(number, context.input(0).shape));
      }
      write(context.output(number), partition_.outputs[o]);
    }
    return Status();
  }

 private:
  FakeDelegate& owner_;
  Partition partition_;
  std::vector<graph::Node> nodes_;
  std::map<graph::ValueId, std::vector<float>> constants_;
};

Result<std::unique_ptr<ops::Kernel>> FakeDelegate::Compile(
    const graph::Graph&, const graph::Subgraph& sub,
    const Partition& partition) {
  ++compiled;
  if (!fail_compile.ok()) return fail_compile.Clone();
  return std::unique_ptr<ops::Kernel>(
      std::make_unique<FakeKernel>(*this, sub, partition));
}

// x -> NEG a -> ROLL b -> ADD(b, a) c -> NEG d, and NEG of a constant.
GraphBuilder TwoPartitions() {
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  const auto one = b.Constant({3}, std::vector<float>{1, 1, 1});
  const auto folded = b.Add("NEG", {one});
  const auto a = b.Add("NEG", {x});
  const auto rolled = b.Add("ROLL", {a});
  const auto c = b.Add("ADD", {rolled, a});
  b.Output(b.Add("ADD", {b.Add("NEG", {c}), folded}));
  return b;
}
const std::vector<float> kIn = {1, 2, 4};
const std::vector<float> kOut = {2, 5, 4};  // x + roll(x) - 1

class DelegationTest : public ::testing::Test {
 protected:
  DelegationTest() {
    SetLogSink([this](Severity, std::string_view line) {
      log_.push_back(std::string(line));
    });
  }
  ~DelegationTest() override { SetLogSink(nullptr); }

  std::unique_ptr<Session> Make(GraphBuilder b) {
    SessionOptions options;
    options.delegates = {delegate_};
    options.profile = true;
    auto session = CreateSessionWith(b.Take(), options, FindFakeOp);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? std::move(*session) : nullptr;
  }
  static std::vector<float> Run(Session& session,
                                const std::vector<float>& in = kIn) {
    const TensorView view = View(in, {static_cast<int32_t>(in.size())});
    auto out = session.Run({&view, 1});
    EXPECT_TRUE(out.ok()) << out.status().message();
    return out.ok() ? Floats((*out)[0]) : std::vector<float>();
  }

  std::shared_ptr<FakeDelegate> delegate_ = std::make_shared<FakeDelegate>();
  std::vector<std::string> log_;
};

TEST_F(DelegationTest, Partitions_RunInTheDelegate) {
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->compiled, 2);
  EXPECT_EQ(delegate_->evaluated, 2);
  const auto owners = session->Owners();
  ASSERT_THAT(owners, SizeIs(6));
  const auto text = [&](size_t n) {
    return owners[n].op + " " + owners[n].owner + " " +
           std::to_string(owners[n].partition);
  };
  EXPECT_EQ(text(0), "NEG none -1");
  EXPECT_EQ(text(1), "NEG fake 0");
  EXPECT_EQ(text(2), "ROLL cpu -1");
  EXPECT_EQ(owners[2].reason, "fake: ROLL is not mine");
  EXPECT_EQ(text(3), "ADD fake 1");
  EXPECT_EQ(text(4), "NEG fake 1");
  EXPECT_EQ(text(5), "ADD fake 1");
  EXPECT_EQ(owners[5].reason, "");
  EXPECT_EQ(owners[5].node, 5);
  const auto profile = session->Profile();
  ASSERT_THAT(profile, SizeIs(3));
  EXPECT_EQ(profile[2].op, "fake");
  EXPECT_EQ(profile[2].name, "partition of 3 nodes");
  EXPECT_THAT(log_, IsEmpty());
}

// A partition's time is what its parts do not account for.
TEST_F(DelegationTest, PartsOfAPartition_HaveProfileRows) {
  delegate_->tells_times = true;
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Run(*session), kOut);
  const auto profile = session->Profile();
  ASSERT_THAT(profile, SizeIs(7));  // NEG; ROLL; ADD, NEG, ADD.
  EXPECT_EQ(profile[0].op, "fake");
  EXPECT_EQ(profile[1].op, "fake:NEG");
  EXPECT_EQ(profile[2].op, "ROLL");
  EXPECT_EQ(profile[3].name, "partition of 3 nodes");
  EXPECT_EQ(profile[3].multiply_accumulates, 0);
  EXPECT_EQ(profile[5].op, "fake:NEG");
  EXPECT_EQ(profile[6].runs, 3);
  EXPECT_DOUBLE_EQ(profile[6].milliseconds, 3e-9);
  EXPECT_EQ(profile[6].multiply_accumulates, 7);
  EXPECT_EQ(profile[6].bytes, 24);
  session->ResetProfile();
  EXPECT_THAT(session->Profile(), IsEmpty());
  EXPECT_EQ(Run(*session), kOut);
  ASSERT_THAT(session->Profile(), SizeIs(7));
  EXPECT_EQ(session->Profile()[6].runs, 1);
}

TEST_F(DelegationTest, FailingCompile_LeavesTheNodesInPlace) {
  delegate_->fail_compile = Unavailable("the device is busy");
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(session->Owners()[1].owner, "cpu");
  EXPECT_EQ(session->Owners()[1].reason,
            "fake: compile failed: the device is busy");
  EXPECT_THAT(log_, ElementsAre(HasSubstr("partition 0 (1 node) runs on the "
                                          "CPU: compile failed: the device"),
                                HasSubstr("(3 nodes)")));
}

TEST_F(DelegationTest, FailingPrepare_FallsBack) {
  delegate_->fail_prepare = Internal("no room");
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 0);
  EXPECT_EQ(session->Owners()[3].owner, "cpu");
  EXPECT_EQ(session->Owners()[3].reason, "fake: prepare failed: no room");
  EXPECT_THAT(log_, SizeIs(2));
}

TEST_F(DelegationTest, FailingEval_FallsBackPermanently) {
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  delegate_->fail_eval = Unavailable("the device is lost");
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 4);
  EXPECT_THAT(log_, SizeIs(2));
  EXPECT_EQ(session->Owners()[4].reason,
            "fake: eval failed: the device is lost");
}

TEST_F(DelegationTest, FailingCheckSupport_TakesNothing) {
  delegate_->drop_an_entry = true;
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->compiled, 0);
  EXPECT_THAT(log_, ElementsAre(HasSubstr("gave 4 entries for 5 nodes")));
}

TEST_F(DelegationTest, DataDependentShapes_RunNodeByNode) {
  delegate_->wants_values = true;
  auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 4);
  // The same when it never can.
  delegate_->fail_prepare = Unsupported("never");
  session = Make(TwoPartitions());
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 4);
  EXPECT_THAT(log_, SizeIs(2));
}

// A kernel that asks for values where all are there asks in vain.
TEST_F(DelegationTest, ValuesWantedAgain_FallBack) {
  delegate_->fail_prepare = NeedsValues("more of them");
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  for (int run = 0; run < 2; ++run) EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 0);
  EXPECT_EQ(session->Owners()[3].reason, "fake: prepare failed: more of them");
}

TEST_F(DelegationTest, DynamicShapes_AreSupported) {
  delegate_->defers = true;
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->evaluated, 2);
  delegate_->fail_eval = Internal("no more");
  EXPECT_EQ(Run(*session), kOut);
}

GraphBuilder Counter() {
  GraphBuilder b;
  const auto x = b.Input({3});
  b.Output(b.Add("ACCUMULATE", {b.Add("NEG", {x}), b.Variable({3})}));
  return b;
}

TEST_F(DelegationTest, Variables_StayOnTheCpu) {
  delegate_->takes.insert("ACCUMULATE");
  const auto session = Make(Counter());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), (std::vector<float>{-1, -2, -4}));
  EXPECT_EQ(Run(*session), (std::vector<float>{-2, -4, -8}));
  EXPECT_EQ(session->Owners()[1].reason,
            "fake: it keeps its state in a variable");
}

TEST_F(DelegationTest, Variables_SurviveAFallback) {
  delegate_->takes.insert("ACCUMULATE");
  delegate_->variables = true;
  const auto session = Make(Counter());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), (std::vector<float>{-1, -2, -4}));
  EXPECT_EQ(delegate_->evaluated, 1);
  EXPECT_EQ(Run(*session), (std::vector<float>{-2, -4, -8}));
  delegate_->fail_eval = Internal("no more");  // After it wrote the variable.
  EXPECT_EQ(Run(*session), (std::vector<float>{-3, -6, -12}));
  EXPECT_EQ(Run(*session), (std::vector<float>{-4, -8, -16}));
  session->ResetVariables();
  EXPECT_EQ(Run(*session), (std::vector<float>{-1, -2, -4}));
}

TEST_F(DelegationTest, LaterDelegates_SeeUnclaimedNodes) {
  auto second = std::make_shared<FakeDelegate>();
  second->name_ = "second";
  delegate_->takes = {"NEG"};
  SessionOptions options;
  options.delegates = {delegate_, second};
  auto b = TwoPartitions();
  auto session = CreateSessionWith(b.Take(), options, FindFakeOp);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_EQ(Run(**session), kOut);
  const auto owners = (*session)->Owners();
  EXPECT_EQ(owners[1].owner, "fake");
  EXPECT_EQ(owners[3].owner, "second");
  EXPECT_EQ(owners[3].reason, "fake: ADD is not mine");
  EXPECT_EQ(owners[4].owner, "fake");
  EXPECT_EQ(owners[2].reason,
            "fake: ROLL is not mine; second: ROLL is not "
            "mine");
}

TEST_F(DelegationTest, Limits_AreKept) {
  delegate_->limits_.max_partitions = 1;
  const auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), kOut);
  EXPECT_EQ(delegate_->compiled, 1);
  EXPECT_EQ(session->Owners()[1].reason,
            "fake: its partition of 1 is beyond the delegate's limits");
}

TEST_F(DelegationTest, Forks_ShareStatelessKernels) {
  auto session = Make(TwoPartitions());
  ASSERT_NE(session, nullptr);
  auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(delegate_->compiled, 2);
  EXPECT_EQ(Run(**fork), kOut);
  EXPECT_EQ(Run(*session), kOut);
  delegate_->stateful = true;
  session = Make(TwoPartitions());
  fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(delegate_->compiled, 6);
  EXPECT_EQ(Run(**fork), kOut);
}

TEST_F(DelegationTest, OperatorsThatTheCpuLacks_MayBeClaimed) {
  GraphBuilder b;
  b.Output(b.Add("DOUBLE", {b.Add("NEG", {b.Input({3})}),
                            b.Constant({3}, std::vector<float>{3, 4, 5})}));
  delegate_->takes.insert("DOUBLE");  // Adds its inputs here.
  const GraphBuilder copy = b;
  auto session = Make(std::move(b));
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Run(*session), (std::vector<float>{2, 2, 1}));
  // But then there is nothing to fall back on.
  delegate_->fail_eval = Internal("no more");
  const TensorView view = View(kIn, {3});
  const auto out = session->Run({&view, 1});
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(std::string(out.status().message()),
              HasSubstr("missing operators: DOUBLE (1 node)"));
  SessionOptions options;
  options.delegates = {delegate_};
  options.resolver = std::make_shared<const Resolver>(FindFakeOp);
  delegate_->takes.erase("DOUBLE");
  auto owners = ReportOwners(*GraphBuilder(copy).Take(), options);
  ASSERT_TRUE(owners.ok());
  EXPECT_EQ((*owners)[1].owner, "none");
  EXPECT_EQ((*owners)[1].reason,
            "cpu: the operator is missing; fake: DOUBLE is not mine");
}

}  // namespace
}  // namespace munja::runtime
