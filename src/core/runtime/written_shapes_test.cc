// Files say which shapes tensors between nodes have. They may be wrong, or of
// another input size: no pass may rely on them.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "ops/op.h"
#include "runtime/session.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using graph::ValueId;
using testing::Floats;
using testing::GraphBuilder;
using testing::View;

std::vector<float> Ramp(int64_t n) {
  std::vector<float> data(static_cast<size_t>(n));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>(i * 7 % 11) / 8 - 0.5f;
  return data;
}

ValueId Weights(GraphBuilder& b, Shape shape) {
  return b.Constant(shape, Ramp(shape.elements()));
}

ValueId Written(GraphBuilder& b, ValueId v, Shape shape) {
  b.sub().values[v].has_shape = true;
  b.sub().values[v].shape = shape;
  return v;
}

ValueId Conv(GraphBuilder& b, ValueId x, Shape weights, Shape written) {
  const ValueId y = b.Add("CONV_2D", {x, Weights(b, weights)});
  auto& attributes = b.sub().nodes.back().attributes;
  attributes.Set("padding", std::string("SAME"));
  for (const char* name :
       {"stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor"})
    attributes.Set(name, int64_t{1});
  return Written(b, y, written);
}

struct Case {
  const char* name;
  Shape input;
  std::function<ValueId(GraphBuilder&, ValueId)> build;
};

void PrintTo(const Case& given, std::ostream* out) { *out << given.name; }

const Case kCases[] = {
    // A convolution in two groups looks like one of all channels.
    {"PairOfConvolutions",
     {1, 4, 4, 8},
     [](GraphBuilder& b, ValueId x) {
       const ValueId t = Written(b, b.Add("NEG", {x}), {1, 4, 4, 4});
       const ValueId y = Conv(b, t, {8, 1, 1, 4}, {1, 4, 4, 8});
       return Conv(b, y, {8, 1, 1, 8}, {1, 4, 4, 8});
     }},
    // Weights would be cut in the wrong place.
    {"Concatenation",
     {1, 4, 4, 8},
     [](GraphBuilder& b, ValueId x) {
       const ValueId p = Written(b, b.Add("NEG", {x}), {1, 4, 4, 16});
       const ValueId twice = b.Add("CONCATENATION", {x, x});
       b.sub().nodes.back().attributes.Set("axis", int64_t{3});
       Written(b, twice, {1, 4, 4, 16});
       const ValueId q = Written(b, b.Add("NEG", {twice}), {1, 4, 4, 8});
       const ValueId joined = b.Add("CONCATENATION", {p, q});
       b.sub().nodes.back().attributes.Set("axis", int64_t{3});
       Written(b, joined, {1, 4, 4, 24});
       return Conv(b, joined, {8, 3, 3, 24}, {1, 4, 4, 8});
     }},
    {"Classes",
     {1, 1, 6, 8},
     [](GraphBuilder& b, ValueId x) {
       const ValueId y = b.Add("SOFTMAX", {x});
       b.sub().nodes.back().attributes.Set("beta", 1.0);
       return Written(b, y, {1, 1, 6, 4});
     }},
    {"ArgMaxScore",
     {1, 1, 6, 8},
     [](GraphBuilder& b, ValueId x) {
       const ValueId t = Written(b, b.Add("NEG", {x}), {1, 1, 6, 4});
       const ValueId y = Conv(b, t, {8, 1, 1, 4}, {1, 1, 6, 8});
       const ValueId z = b.Add("SOFTMAX", {y});
       b.sub().nodes.back().attributes.Set("beta", 1.0);
       return Written(b, z, {1, 1, 6, 8});
     }},
};

class WrittenShapesTest : public ::testing::TestWithParam<Case> {};

TEST_P(WrittenShapesTest, WrongStoredShapes_AreIgnored) {
  for (const char* op : {"CONV_2D", "NEG", "CONCATENATION", "SOFTMAX"})
    if (ops::FindOp(op) == nullptr) GTEST_SKIP() << "there is no " << op;
  GraphBuilder b;
  b.Output(GetParam().build(b, b.Input(GetParam().input)));
  const auto graph = b.Take();
  ASSERT_TRUE(graph::Verify(*graph).ok());
  const std::vector<float> data = Ramp(GetParam().input.elements());
  const TensorView view = View(data, GetParam().input);
  for (const bool reference_kernels : {false, true}) {
    SessionOptions on;
    on.top_k = 1;
    on.reference_kernels = reference_kernels;
    SessionOptions off = on;
    off.run_passes = false;
    auto without = CreateSession(graph, off);
    ASSERT_TRUE(without.ok()) << without.status().message();
    auto want = (*without)->Run({&view, 1});
    ASSERT_TRUE(want.ok()) << want.status().message();
    auto with = CreateSession(graph, on);
    ASSERT_TRUE(with.ok()) << with.status().message();
    auto got = (*with)->Run({&view, 1});
    ASSERT_TRUE(got.ok()) << got.status().message();
    ASSERT_EQ((*got)[0].shape, (*want)[0].shape);
    const auto g = Floats((*got)[0]), w = Floats((*want)[0]);
    // Sums of at most 216 products below 1, in any order.
    for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(g[i], w[i], 1e-4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, WrittenShapesTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& of) {
                           return of.param.name;
                         });

}  // namespace
}  // namespace munja::runtime
