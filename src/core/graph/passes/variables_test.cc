// A variable changes in the midst of a run: an operator that keeps its state
// writes it where it reads it. No pass may make anybody read it later than the
// model does.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::GraphBuilder;
using testing::Listing;

// Builds a graph around the variable; `update` adds the node that changes it.
using Build =
    std::function<void(GraphBuilder&, ValueId, const std::function<void()>&)>;

struct Case {
  const char* name;
  Build build;
};

ValueId Pointwise(GraphBuilder& b, std::string name, ValueId x, int in,
                  int out) {
  const std::vector<float> ones(static_cast<size_t>(in) * out, 1.0f);
  const ValueId w = b.Floats(name + "_w", {out, 1, 1, in}, ones);
  return b.Add(std::move(name), "CONV_2D", {x, w},
               {{"padding", std::string("VALID")}});
}

const Case kCases[] = {
    {"Residual",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId y = b.Conv("y", state, 8, 8);
       update();
       b.Output(b.Add("z", "ADD", {y, b.Input("other", {1, 4, 4, 8})}));
     }},
    {"Gate",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId y = Pointwise(b, "y", state, 8, 8);
       update();
       b.Output(b.Add("z", "MUL", {y, b.Input("gate", {1, 1, 1, 8})}));
     }},
    {"Level",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId size = b.Ints("size", {2}, {8, 8});
       const ValueId up = b.Add("up", "RESIZE_NEAREST_NEIGHBOR", {state, size});
       update();
       const ValueId x = b.Input("x", {1, 8, 8, 4});
       b.Output(b.Add("z", "ADD", {Pointwise(b, "y", x, 4, 8), up}));
     }},
    {"Transposes",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId t =
           b.Add("t", "TRANSPOSE", {state, b.Ints("p", {4}, {0, 3, 1, 2})});
       update();
       const ValueId u =
           b.Add("u", "TRANSPOSE", {t, b.Ints("q", {4}, {0, 2, 3, 1})});
       b.Output(b.Add("z", "NEG", {u}));
     }},
    {"Reshapes",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId r =
           b.Add("r", "RESHAPE", {state, b.Ints("s", {1}, {128})});
       update();
       b.Output(b.Add("z", "RESHAPE", {r, b.Ints("t", {2}, {2, 64})}));
     }},
    {"Padding",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId pads = b.Ints("pads", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0});
       const ValueId p = b.Add("p", "PAD", {state, pads});
       update();
       b.Output(b.Conv("z", p, 8, 8, {{"padding", std::string("VALID")}}));
     }},
    {"InputScale",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId s =
           b.Add("s", "MUL", {state, b.Floats("two", {1}, {2.0f})});
       update();
       b.Output(b.Conv("z", s, 8, 8));
     }},
    {"GatePlusOne",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId p =
           b.Add("p", "MUL", {state, b.Input("gate", {1, 1, 1, 8})});
       update();
       b.Output(b.Add("z", "ADD", {p, state}));
     }},
    {"HardSigmoid",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId s =
           b.Add("s", "ADD", {state, b.Floats("three", {1}, {3.0f})});
       update();
       const ValueId c = b.Add("c", "RELU6", {s});
       b.Output(b.Add("z", "MUL", {c, b.Floats("sixth", {1}, {1.0f / 6})}));
     }},
    {"Mean",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId y = Pointwise(b, "y", state, 8, 8);
       update();
       b.Output(b.Add("z", "MEAN", {y, b.Ints("axes", {2}, {1, 2})},
                      {{"keep_dims", true}}));
     }},
    {"Concatenation",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId other = b.Input("other", {1, 4, 4, 8});
       const ValueId c =
           b.Add("c", "CONCATENATION", {state, other}, {{"axis", int64_t{3}}});
       update();
       b.Output(b.Conv("z", c, 16, 16));
     }},
    {"EnlargedMap",
     [](GraphBuilder& b, ValueId state, const auto& update) {
       const ValueId size = b.Ints("size", {2}, {8, 8});
       const ValueId up = b.Add("up", "RESIZE_NEAREST_NEIGHBOR", {state, size});
       update();
       const ValueId other = b.Input("other", {1, 8, 8, 8});
       const ValueId c =
           b.Add("c", "CONCATENATION", {up, other}, {{"axis", int64_t{3}}});
       b.Output(b.Conv("z", c, 16, 16));
     }},
};

void BuildCase(const Case& given, bool is_variable, GraphBuilder* b) {
  const ValueId state = b->Input("state", {1, 4, 4, 8});
  if (is_variable) {
    b->sub().inputs.clear();
    b->value(state).is_variable = true;
  }
  given.build(*b, state, [b, state] {
    const ValueId x = b->Input("new", {1, 4, 4, 8});
    const ValueId out = b->Add("updated", "SVDF", {x, state});
    b->Output(out);
  });
}

class VariablesTest : public ::testing::TestWithParam<Case> {};

TEST_P(VariablesTest, Variables_AreReadWhereTheModelReadsThem) {
  GraphBuilder b;
  BuildCase(GetParam(), true, &b);
  const auto state = static_cast<ValueId>(
      std::find_if(b.sub().values.begin(), b.sub().values.end(),
                   [](const Value& v) { return v.name == "state"; }) -
      b.sub().values.begin());
  // How often it is read before the update and after.
  const auto readers = [&] {
    std::pair<int, int> count;
    bool is_updated = false;
    for (const Node& node : b.sub().nodes) {
      const auto times = static_cast<int>(
          std::count(node.inputs.begin(), node.inputs.end(), state));
      (is_updated ? count.second : count.first) += times;
      is_updated |= node.op == "SVDF";
    }
    return count;
  };
  ASSERT_TRUE(Verify(b.graph()).ok());
  const auto before = readers();
  // Pass by pass: CompactValues would give values other numbers.
  for (int round = 0; round < 3; ++round) {
    for (const Pass& pass : AllPasses()) {
      ASSERT_TRUE(pass.run(b.sub(), PassOptions()).ok()) << pass.name;
      ASSERT_EQ(readers(), before) << pass.name << "\n" << Listing(b.sub());
    }
  }
}

// The same graphs are rewritten where nothing changes between: the test above
// is about something.
TEST_P(VariablesTest, VariableInputs_AreFused) {
  GraphBuilder b;
  BuildCase(GetParam(), false, &b);
  ASSERT_TRUE(Verify(b.graph()).ok());
  const std::string before = Listing(b.sub());
  ASSERT_TRUE(RunPasses(b.graph(), PassOptions()).ok());
  EXPECT_NE(Listing(b.sub()), before);
}

INSTANTIATE_TEST_SUITE_P(All, VariablesTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& of) {
                           return of.param.name;
                         });

}  // namespace
}  // namespace munja::graph
