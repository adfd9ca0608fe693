#include "graph/rewrite/rewriter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/passes/testing.h"
#include "graph/rewrite/match.h"

namespace munja::graph {
namespace {

using testing::GraphBuilder;
using testing::Listing;

// EXP reads what the node before it reads, where that is legal.
Result<bool> SkipOne(Rewriter& rewriter, const Node& node) {
  if (!Is(node, "EXP", 1)) return false;
  const Node* before = rewriter.Producer(node.inputs[0]);
  if (before == nullptr) return false;
  Node changed = node;
  changed.inputs[0] = before->inputs[0];
  rewriter.Replace(node, std::move(changed));
  return true;
}

bool RunOnce(GraphBuilder& b, Rewriter::Rewrite rewrite,
             bool is_backward = false) {
  const PassOptions options;
  const auto changed = Rewriter(b.sub(), options).Run(rewrite, is_backward);
  EXPECT_TRUE(changed.ok());
  EXPECT_TRUE(Verify(b.graph()).ok());
  return changed.ok() && *changed;
}

ValueId Variable(GraphBuilder& b) {
  const ValueId v = b.Input("state", {4});
  b.sub().inputs.pop_back();
  b.value(v).is_variable = true;
  return v;
}

// Whether what `op` reads may be read after `between`, which reads it, too.
bool Moves(const char* op, const char* between, bool is_variable,
           bool is_custom = false) {
  GraphBuilder b;
  const ValueId x = is_variable ? Variable(b) : b.Input("x", {4});
  const ValueId y = b.Add("y", op, {x});
  b.sub().nodes.back().is_custom = is_custom;
  if (between != nullptr) {
    b.Output(b.Add("between", between, {x}));
    b.sub().nodes.back().is_custom = is_custom;
  }
  b.Output(b.Add("z", "EXP", {y}));
  return RunOnce(b, SkipOne);
}

TEST(RewriterTest, Reads_MoveWhereNothingChangesInBetween) {
  for (const char* between : {"ABS", "SVDF", "CALL_ONCE", "IF"})
    EXPECT_TRUE(Moves("NEG", between, false)) << between;
  EXPECT_TRUE(Moves("NEG", nullptr, true));
  EXPECT_TRUE(Moves("NEG", "ABS", true));
  // Operators that are not known to leave it alone.
  for (const char* between :
       {"SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "ASSIGN_VARIABLE", "IF"})
    EXPECT_FALSE(Moves("NEG", between, true)) << between;
}

TEST(RewriterTest, ImpureNodes_StayInPlace) {
  for (const char* op : {"MULTINOMIAL", "RANDOM_UNIFORM", "READ_VARIABLE",
                         "WHILE", "HASHTABLE_FIND", "DELEGATE"})
    EXPECT_FALSE(Moves(op, nullptr, false)) << op;
  EXPECT_FALSE(Moves("NEG", nullptr, false, /*is_custom=*/true));
  // An update reads and changes its state.
  EXPECT_FALSE(Moves("SVDF", nullptr, true));
}

TEST(RewriterTest, UnreadNodes_AreRemoved) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4});
  const ValueId shared = b.Add("shared", "SIN", {x});
  const ValueId updated = b.Add("updated", "SVDF", {x, Variable(b)});
  const ValueId sum = b.Add("sum", "ADD", {shared, updated});
  const ValueId gone = b.Add("gone", "NEG", {b.Add("also", "ABS", {sum})});
  b.Output(b.Add("y", "EXP", {gone}));
  b.Output(shared);
  ASSERT_TRUE(
      RunOnce(b, [](Rewriter& rewriter, const Node& node) -> Result<bool> {
        if (!Is(node, "EXP", 1)) return false;
        Node changed = node;
        changed.inputs = {rewriter.subgraph().inputs[0]};
        rewriter.Replace(node, std::move(changed));
        return true;
      }));
  EXPECT_EQ(Listing(b.sub()),
            "shared = SIN(x)\nupdated = SVDF(x, state)\ny = EXP(x)\n");
}

TEST(RewriterTest, LongChain_IsRemovedAtOnce) {
  GraphBuilder b;
  ValueId x = b.Input("x", {4});
  b.Output(x);
  for (int i = 0; i < 100000; ++i) x = b.Add("y", "NEG", {x});
  ASSERT_TRUE(
      RunOnce(b, [](Rewriter& rewriter, const Node& node) -> Result<bool> {
        return rewriter.RemoveUnread(node);
      }));
  EXPECT_TRUE(b.sub().nodes.empty());
}

TEST(RewriterTest, NewNodes_AreInsertedInOrderBeforeTheVisitedOne) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4});
  b.Output(b.Add("y", "EXP", {b.Add("z", "NEG", {x})}));
  b.Output(b.Add("w", "EXP", {x}));
  ASSERT_TRUE(
      RunOnce(b, [](Rewriter& rewriter, const Node& node) -> Result<bool> {
        if (!Is(node, "EXP", 1)) return false;
        Node last = node;
        for (const char* name : {"/a", "/b"}) {
          Value value = rewriter.subgraph().values[node.outputs[0]];
          value.name += name;
          Node first = node;
          first.op = "SIN";
          first.inputs = last.inputs;
          first.outputs = {rewriter.AddValue(std::move(value))};
          last.inputs = first.outputs;
          rewriter.Insert(std::move(first));
        }
        rewriter.Replace(node, std::move(last));
        return true;
      }));
  EXPECT_EQ(Listing(b.sub()),
            "z = NEG(x)\n"
            "y/a = SIN(z)\ny/b = SIN(y/a)\ny = EXP(y/b)\n"
            "w/a = SIN(x)\nw/b = SIN(w/a)\nw = EXP(w/b)\n");
}

TEST(RewriterTest, ReadersAndWriters_AreCurrent) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4});
  ValueId y = b.Add("y", "NEG", {x});
  for (const char* name : {"p", "q", "r"}) y = b.Add(name, "EXP", {y});
  b.Output(y);
  // Each takes over the one after it, which then has none.
  ASSERT_TRUE(
      RunOnce(b, [](Rewriter& rewriter, const Node& node) -> Result<bool> {
        bool is_changed = false;
        while (const Node* after = rewriter.OnlyReader(node.outputs[0])) {
          Node merged = node;
          merged.op += "+";
          rewriter.Merge(node, std::move(merged), *after);
          is_changed = true;
        }
        return is_changed;
      }));
  EXPECT_EQ(Listing(b.sub()), "r = NEG+++(x)\n");
}

TEST(RewriterTest, Visits_BeginAtEitherEnd) {
  static std::string order;
  const auto visit = [](bool is_backward) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {4});
    b.Output(b.Add("z", "SIN", {b.Add("y", "NEG", {x})}));
    order.clear();
    EXPECT_FALSE(RunOnce(
        b,
        [](Rewriter&, const Node& node) -> Result<bool> {
          order += node.op + " ";
          return false;
        },
        is_backward));
    return order;
  };
  EXPECT_EQ(visit(false), "NEG SIN ");
  EXPECT_EQ(visit(true), "SIN NEG ");
}

TEST(RewriterTest, Error_LeavesAValidGraph) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4});
  b.Output(b.Add("z", "SIN", {b.Add("y", "NEG", {x})}));
  const PassOptions options;
  const auto changed =
      Rewriter(b.sub(), options)
          .Run(
              [](Rewriter& rewriter, const Node& node) -> Result<bool> {
                if (node.op == "SIN") return Internal("no");
                Node merged = node;
                rewriter.Merge(node, std::move(merged),
                               *rewriter.OnlyReader(node.outputs[0]));
                return Internal("no");
              },
              false);
  EXPECT_FALSE(changed.ok());
  EXPECT_TRUE(Verify(b.graph()).ok());
  EXPECT_EQ(Listing(b.sub()), "z = NEG(x)\n");
}

}  // namespace
}  // namespace munja::graph
