// Each operator of the neutral model: lowered, run by the runtime, and compared
// with the importer's reference executor, at two input sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "converted.h"
#include "import/ir/builder.h"

namespace munja::conversion {
namespace {

using graph::Attributes;
using importer::Dims;
using importer::kNoValue;
using importer::ModelBuilder;
using importer::Tensor;
using importer::ValueId;
using Ints = std::vector<int64_t>;

// A chain of nodes over one input [1, 6, ?, ?] (NCHW).
class Chain {
 public:
  explicit Chain(Dims input = {1, 6, -1, -1}) : builder_("test") {
    at_ = builder_.AddInput("x", std::move(input), false);
  }
  ModelBuilder& builder() { return builder_; }
  ValueId at() const { return at_; }
  ValueId Constant(Dims shape, double phase = 0.3) {
    return builder_.AddConstant("c", Wave(std::move(shape), phase));
  }
  ValueId Number(float v) {
    return builder_.AddConstant("n", Tensor::Floats({}, {v}));
  }
  ValueId Add(const std::string& op, std::vector<ValueId> inputs,
              Attributes a = {}) {
    Result<ValueId> id = builder_.Add(op, std::move(inputs), std::move(a),
                                      "v" + std::to_string(++count_));
    EXPECT_TRUE(id.ok()) << id.status().message();
    at_ = id.ok() ? *id : at_;
    return at_;
  }
  // On the last value, with constants behind it.
  Chain& Then(const std::string& op, std::vector<ValueId> more = {},
              Attributes a = {}) {
    more.insert(more.begin(), at_);
    Add(op, std::move(more), std::move(a));
    return *this;
  }
  Result<importer::ImportedModel> Finish() {
    return Convert(builder_.Finish({at_}));
  }

 private:
  ModelBuilder builder_;
  ValueId at_;
  int count_ = 0;
};

Attributes Set(
    std::vector<std::pair<std::string, graph::AttributeValue>> list) {
  Attributes a;
  for (auto& [name, value] : list) a.Set(name, std::move(value));
  return a;
}

// float32 sums in another order: a few hundred products of size one.
constexpr double kTolerance = 2e-5;

void Check(Chain& chain,
           std::vector<Dims> inputs_nhwc = {{1, 8, 11, 6}, {1, 13, 6, 6}}) {
  const Result<importer::ImportedModel> model = chain.Finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  for (const Dims& shape : inputs_nhwc) {
    const std::vector<Tensor> inputs = {Wave(shape)};
    const auto expected = importer::RunReference(*model, inputs);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    const auto got = RunGraph(model->graph, inputs);
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_LE(LargestDifference(*got, *expected), kTolerance)
        << importer::ToString(shape) << " -> "
        << importer::ToString((*got)[0].shape) << ", expected "
        << importer::ToString((*expected)[0].shape);
  }
}

struct WindowCase {
  const char* name;
  Ints kernel, strides, pads;
  std::string auto_pad;
};

class WindowTest : public testing::TestWithParam<WindowCase> {};

TEST_P(WindowTest, Convolution_EveryWindow) {
  const WindowCase& w = GetParam();
  const Attributes base = Set({{"strides", w.strides}, {"pads", w.pads}});
  for (const int64_t group : {1, 2, 3, 6}) {
    Chain chain;
    Attributes a = base;
    a.Set("group", group);
    if (!w.auto_pad.empty()) a.Set("auto_pad", w.auto_pad);
    chain.Then("Conv",
               {chain.Constant({12, 6 / group, w.kernel[0], w.kernel[1]}),
                chain.Constant({12})},
               a);
    SCOPED_TRACE(group);
    Check(chain);
  }
}

TEST_P(WindowTest, MaxPool_OfNegativeValues) {
  const WindowCase& w = GetParam();
  Chain chain;
  Attributes a = Set(
      {{"kernel_shape", w.kernel}, {"strides", w.strides}, {"pads", w.pads}});
  if (!w.auto_pad.empty()) a.Set("auto_pad", w.auto_pad);
  // All numbers below zero: padding with zero would show.
  chain.Then("Sub", {chain.Number(5)}).Then("MaxPool", {}, a);
  Check(chain);
}

INSTANTIATE_TEST_SUITE_P(
    Windows, WindowTest,
    testing::Values(WindowCase{"one", {1, 1}, {1, 1}, {0, 0, 0, 0}, ""},
                    WindowCase{"three", {3, 3}, {1, 1}, {1, 1, 1, 1}, ""},
                    WindowCase{"stride", {3, 3}, {2, 2}, {1, 1, 1, 1}, ""},
                    WindowCase{"uneven", {3, 3}, {2, 1}, {1, 1, 1, 1}, ""},
                    WindowCase{"valid", {3, 2}, {3, 2}, {0, 0, 0, 0}, ""},
                    WindowCase{"row", {1, 5}, {1, 1}, {0, 2, 0, 2}, ""},
                    WindowCase{"after", {2, 2}, {1, 1}, {0, 0, 1, 1}, ""},
                    WindowCase{"before", {2, 2}, {1, 1}, {1, 1, 0, 0}, ""},
                    WindowCase{"lopsided", {3, 3}, {2, 2}, {0, 1, 2, 0}, ""},
                    WindowCase{"upper", {2, 2}, {1, 1}, {}, "SAME_UPPER"},
                    WindowCase{"upper2", {3, 3}, {2, 2}, {}, "SAME_UPPER"},
                    WindowCase{"lower", {2, 2}, {1, 1}, {}, "SAME_LOWER"}),
    [](const auto& w) { return std::string(w.param.name); });

TEST(Lowering, Same_OnlyWhereExact) {
  Chain three;
  three.Then("Conv", {three.Constant({4, 6, 3, 3})},
             Set({{"pads", Ints{1, 1, 1, 1}}}));
  EXPECT_EQ(CountNodes(three.Finish()->graph, "PAD"), 0);
  // With stride 2 SAME pads an even size after, not before.
  Chain stride;
  stride.Then("Conv", {stride.Constant({4, 6, 3, 3})},
              Set({{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}));
  EXPECT_EQ(CountNodes(stride.Finish()->graph, "PAD"), 1);
  // A fixed odd size makes it exact again.
  Chain odd({1, 6, 7, 9});
  odd.Then("Conv", {odd.Constant({4, 6, 3, 3})},
           Set({{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}));
  EXPECT_EQ(CountNodes(odd.Finish()->graph, "PAD"), 0);
}

TEST(Lowering, Convolution_Dilated) {
  Chain chain;
  chain.Then("Conv", {chain.Constant({4, 6, 3, 3})},
             Set({{"pads", Ints{2, 2, 2, 2}}, {"dilations", Ints{2, 2}}}));
  Check(chain);
}

TEST(Lowering, TransposedConvolution_EveryForm) {
  struct Case {
    Ints kernel, strides, pads, extra;
  };
  for (const Case& c : {Case{{2, 2}, {2, 2}, {0, 0, 0, 0}, {}},
                        Case{{3, 3}, {2, 2}, {0, 0, 0, 0}, {}},
                        Case{{4, 4}, {2, 2}, {1, 1, 1, 1}, {}},
                        Case{{3, 3}, {2, 2}, {0, 0, 1, 1}, {}}}) {
    Chain chain;
    chain.Then(
        "ConvTranspose",
        {chain.Constant({6, 5, c.kernel[0], c.kernel[1]}), chain.Constant({5})},
        Set({{"strides", c.strides}, {"pads", c.pads}}));
    Check(chain);
  }
}

TEST(Lowering, TransposedConvolution_OtherPadding_IsRefused) {
  Chain chain;
  chain.Then("ConvTranspose", {chain.Constant({6, 5, 3, 3})},
             Set({{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}));
  const auto model = chain.Finish();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
}

TEST(Lowering, AveragePool_CountsPadding) {
  for (const int64_t include : {0, 1}) {
    Chain same;
    same.Then("AveragePool", {},
              Set({{"kernel_shape", Ints{3, 3}},
                   {"pads", Ints{1, 1, 1, 1}},
                   {"count_include_pad", include}}));
    Check(same);
  }
  Chain chain;
  chain.Then("AveragePool", {},
             Set({{"kernel_shape", Ints{3, 2}}, {"strides", Ints{3, 2}}}));
  Check(chain);
}

TEST(Lowering, Unary_EveryOperator) {
  for (const char* op : {"Relu", "Sigmoid", "Tanh", "Exp", "Square", "Abs",
                         "Neg", "Floor", "Ceil", "Sin", "Cos"}) {
    SCOPED_TRACE(op);
    Chain chain;
    chain.Then(op);
    Check(chain);
  }
  for (const char* op : {"Log", "Sqrt", "Rsqrt", "Reciprocal"}) {
    SCOPED_TRACE(op);
    Chain chain;
    chain.Then("Add", {chain.Number(3)}).Then(op);
    Check(chain);
  }
}

TEST(Lowering, Activations_EveryOne) {
  const double sixth = 1.0 / 6;
  const std::vector<std::pair<std::string, Attributes>> cases = {
      {"Gelu", Set({{"approximate", int64_t{0}}})},
      {"Gelu", Set({{"approximate", int64_t{1}}})},
      {"HardSigmoid", Set({{"alpha", 0.2}, {"beta", 0.4}})},
      {"HardSwish", Set({{"alpha", sixth}, {"beta", 0.5}})},
      {"HardSwish", Set({{"alpha", 0.3}, {"beta", 0.4}})},
      {"LeakyRelu", Set({{"alpha", 0.1}})},
      {"Elu", Set({{"alpha", 1.0}})},
      {"Clip", Set({{"min", 0.0}, {"max", 6.0}})},
      {"Clip", Set({{"min", -0.25}, {"max", 0.75}})},
  };
  for (const auto& [op, a] : cases) {
    SCOPED_TRACE(op);
    Chain chain;
    chain.Then(op, {}, a);
    Check(chain);
  }
  Chain prelu;
  prelu.Then("PRelu", {prelu.Constant({1, 6, 1, 1})});
  Check(prelu);
}

TEST(Lowering, Broadcast_ConstantsOfEveryShape) {
  for (const char* op : {"Add", "Sub", "Mul", "Max", "Min"}) {
    for (const Dims& shape :
         {Dims{}, Dims{1}, Dims{6, 1, 1}, Dims{1, 6, 1, 1}}) {
      SCOPED_TRACE(op + importer::ToString(shape));
      Chain chain;
      chain.Then(op, {chain.Constant(shape)});
      Check(chain);
    }
  }
  // A row along the width, and a whole plane.
  Chain row({1, 6, 4, 5});
  row.Then("Add", {row.Constant({5})}).Then("Mul", {row.Constant({4, 5})});
  Check(row, {{1, 4, 5, 6}});
}

TEST(Lowering, SqueezeAndExcite_IsLowered) {
  Chain chain;
  const ValueId x = chain.at();
  chain.Then("ReduceMean", {}, Set({{"axes", Ints{2, 3}}}))
      .Then("Conv", {chain.Constant({6, 6, 1, 1}), chain.Constant({6})})
      .Then("HardSigmoid", {}, Set({{"alpha", 0.2}, {"beta", 0.5}}));
  chain.Add("Mul", {x, chain.at()});
  const auto model = chain.Finish();
  ASSERT_TRUE(model.ok());
  // The slope and offset of the hard sigmoid are in the convolution.
  EXPECT_EQ(CountNodes(model->graph, "MUL"), 1);
  EXPECT_EQ(CountNodes(model->graph, "ADD"), 0);
  EXPECT_EQ(CountNodes(model->graph, "TRANSPOSE"), 0);
}

TEST(Lowering, BatchNorm_FoldsIntoConvolution) {
  Chain chain;
  chain.Then("Conv", {chain.Constant({4, 6, 3, 3})},
             Set({{"pads", Ints{1, 1, 1, 1}}}));
  const ValueId variance = chain.builder().AddConstant(
      "variance", Tensor::Floats({4}, {0.5f, 1, 2, 3}));
  chain
      .Then("BatchNormalization",
            {chain.Constant({4}, 1), chain.Constant({4}, 2),
             chain.Constant({4}, 3), variance},
            Set({{"epsilon", 1e-5}}))
      .Then("Relu");
  Chain again = chain;
  const auto model = again.Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->graph.main().nodes.size(), 1u);
  Check(chain);
}

TEST(Lowering, ComposedGelu_IsRecognized) {
  Chain chain;
  const ValueId x = chain.at();
  chain.Then("Div", {chain.Number(1.41421354f)})
      .Then("Erf")
      .Then("Add", {chain.Number(1)});
  chain.Add("Mul", {x, chain.at()});
  chain.Then("Mul", {chain.Number(0.5f)});
  Chain again = chain;
  EXPECT_EQ(CountNodes(again.Finish()->graph, "GELU"), 1);
  Check(chain);
}

TEST(Lowering, Erf_IsComposed) {
  Chain chain;
  chain.Then("Erf").Then("Relu").Then("Erf");
  Check(chain);
}

TEST(Lowering, ComposedHardSwish_IsRecognized) {
  Chain chain;
  const ValueId x = chain.at();
  chain.Then("Add", {chain.Number(3)})
      .Then("Clip", {}, Set({{"min", 0.0}, {"max", 6.0}}));
  chain.Add("Mul", {x, chain.at()});
  chain.Then("Div", {chain.Number(6)});
  Chain again = chain;
  EXPECT_EQ(CountNodes(again.Finish()->graph, "HARD_SWISH"), 1);
  Check(chain);
}

TEST(Lowering, Resize_EveryMode) {
  for (const char* mode : {"nearest", "linear"}) {
    for (const char* coordinates : {"asymmetric", "half_pixel"}) {
      SCOPED_TRACE(std::string(mode) + coordinates);
      const bool rounds = std::string(coordinates) == "half_pixel";
      Chain chain;
      chain.Then("Resize", {},
                 Set({{"mode", std::string(mode)},
                      {"coordinates", std::string(coordinates)},
                      {"rounding",
                       std::string(rounds ? "round_prefer_floor" : "floor")},
                      {"scale_h", 2.0},
                      {"scale_w", 3.0}}));
      Check(chain);
    }
  }
  Chain fixed;
  fixed.Then("Resize", {},
             Set({{"mode", std::string("linear")},
                  {"coordinates", std::string("align_corners")},
                  {"sizes", Ints{7, 17}}}));
  Check(fixed);
}

TEST(Lowering, Resize_OtherSamples_IsRefused) {
  Chain chain;
  chain.Then("Resize", {},
             Set({{"mode", std::string("nearest")},
                  {"coordinates", std::string("asymmetric")},
                  {"rounding", std::string("round_prefer_ceil")},
                  {"scale_h", 2.0},
                  {"scale_w", 2.0}}));
  ASSERT_FALSE(chain.Finish().ok());
}

TEST(Lowering, RecognizerHead_IsLowered) {
  // Rows of a text line: squeeze, transpose, product, softmax: no data moves.
  Chain chain({1, 6, 1, -1});
  chain.Then("Squeeze", {}, Set({{"axes", Ints{2}}}))
      .Then("Transpose", {}, Set({{"perm", Ints{0, 2, 1}}}))
      .Then("MatMul", {chain.Constant({6, 9})})
      .Then("Add", {chain.Constant({9})})
      .Then("Softmax", {}, Set({{"axis", int64_t{2}}}));
  Chain again = chain;
  const auto model = again.Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(CountNodes(model->graph, "TRANSPOSE"), 0);
  EXPECT_EQ(CountNodes(model->graph, "FULLY_CONNECTED"), 1);
  EXPECT_EQ(CountNodes(model->graph, "ADD"), 0);
  Check(chain, {{1, 1, 7, 6}, {1, 1, 20, 6}});
}

TEST(Lowering, Movement_EveryKind) {
  const std::vector<std::pair<std::string, Attributes>> cases = {
      {"Transpose", Set({{"perm", Ints{0, 3, 2, 1}}})},
      {"Transpose", Set({{"perm", Ints{0, 2, 3, 1}}})},
      {"Reshape", Set({{"shape", Ints{0, -1}}})},
      {"Reshape", Set({{"shape", Ints{1, 3, 2, -1}}})},
      {"Slice", Set({{"axes", Ints{1, 3}},
                     {"starts", Ints{1, -3}},
                     {"ends", Ints{5, 1 << 30}},
                     {"steps", Ints{2, 1}}})},
      {"Pad", Set({{"pads", Ints{0, 1, 2, 0, 0, 0, 1, 3}}, {"value", 0.5}})},
      {"Pad", Set({{"pads", Ints{0, 0, 2, 1, 0, 0, 1, 3}},
                   {"mode", std::string("reflect")}})},
      {"ReduceMax", Set({{"axes", Ints{1}}, {"keepdims", int64_t{0}}})},
      {"ReduceSum", Set({{"axes", Ints{3}}, {"keepdims", int64_t{0}}})},
      {"ReduceMean", Set({{"axes", Ints{1, 2}}, {"keepdims", int64_t{1}}})},
      {"Softmax", Set({{"axis", int64_t{1}}})},
      {"Softmax", Set({{"axis", int64_t{2}}})},
  };
  for (const auto& [op, a] : cases) {
    SCOPED_TRACE(op);
    Chain chain;
    chain.Then(op, {}, a);
    Check(chain);
  }
}

TEST(Lowering, ConcatOfSplit_IsLowered) {
  Chain chain;
  importer::Node split;
  split.op = "Split";
  split.name = "split";
  split.inputs = {chain.at()};
  split.attributes = Set({{"axis", int64_t{1}}, {"sizes", Ints{1, 3, 2}}});
  const auto parts = chain.builder().AddNode(split, {"a", "b", "c"});
  ASSERT_TRUE(parts.ok());
  chain.Add("Concat", {(*parts)[2], (*parts)[0], (*parts)[1]},
            Set({{"axis", int64_t{1}}}));
  Check(chain);
}

TEST(Lowering, MatMul_TwoComputedOperands) {
  Chain chain({1, 6, 4, 5});
  const ValueId x = chain.at();
  chain.Then("Transpose", {}, Set({{"perm", Ints{0, 1, 3, 2}}}));
  chain.Add("MatMul", {x, chain.at()});
  Check(chain, {{1, 4, 5, 6}});
}

TEST(Lowering, LayerNorm_IsLowered) {
  Chain chain({1, 6, 1, -1});
  chain.Then("Squeeze", {}, Set({{"axes", Ints{2}}}))
      .Then("Transpose", {}, Set({{"perm", Ints{0, 2, 1}}}))
      .Then("LayerNormalization",
            {chain.Constant({6}, 1), chain.Constant({6}, 2)},
            Set({{"epsilon", 1e-5}}));
  Check(chain, {{1, 1, 7, 6}, {1, 1, 20, 6}});
}

TEST(Lowering, Lstm_IsLowered) {
  struct Case {
    const char* name;
    int64_t directions, reverse;
    Ints perm;  // [1, channels, steps] to steps, batch, channels.
    const char* op;
  };
  for (const Case& c :
       {Case{"forward", 1, 0, {2, 0, 1}, "UNIDIRECTIONAL_SEQUENCE_LSTM"},
        Case{"backward", 1, 1, {2, 0, 1}, "UNIDIRECTIONAL_SEQUENCE_LSTM"},
        Case{"both", 2, 0, {2, 0, 1}, "BIDIRECTIONAL_SEQUENCE_LSTM"}}) {
    SCOPED_TRACE(c.name);
    Chain chain({1, 6, 1, -1});
    chain.Then("Squeeze", {}, Set({{"axes", Ints{2}}}))
        .Then("Transpose", {}, Set({{"perm", c.perm}}))
        .Then("LSTM",
              {chain.Constant({c.directions, 16, 6}, 1),
               chain.Constant({c.directions, 16, 4}, 2),
               chain.Constant({c.directions, 32}, 3)},
              Set({{"reverse", c.reverse}}))
        .Then("Transpose", {}, Set({{"perm", Ints{1, 0, 2}}}));
    const auto model = chain.Finish();
    ASSERT_TRUE(model.ok()) << model.status().message();
    EXPECT_EQ(CountNodes(model->graph, c.op), 1);
    for (const int64_t width : {1, 9}) {
      const std::vector<Tensor> inputs = {Wave({1, 1, width, 6})};
      const auto expected = importer::RunReference(*model, inputs);
      const auto got = RunGraph(model->graph, inputs);
      ASSERT_TRUE(expected.ok() && got.ok());
      EXPECT_EQ((*got)[0].shape, (Dims{1, width, 4 * c.directions}));
      EXPECT_LE(LargestDifference(*got, *expected), kTolerance);
    }
  }
}

TEST(Lowering, ArgMax_IsLowered) {
  for (const int64_t keep : {0, 1}) {
    Chain chain;
    chain.Then("ArgMax", {}, Set({{"axis", int64_t{1}}, {"keepdims", keep}}))
        .Then("Cast", {}, Set({{"to_integer", int64_t{0}}}));
    Check(chain);
  }
}

TEST(Lowering, DepthToSpace_IsLowered) {
  Chain chain({1, 12, -1, -1});
  chain.Then("DepthToSpace", {}, Set({{"blocksize", int64_t{2}}}));
  Check(chain, {{1, 3, 4, 12}, {1, 5, 2, 12}});
}

TEST(Lowering, BatchFromShape_NeedsNoArithmetic) {
  // Shape -> Slice -> Concat -> Reshape, as exporters write "flatten".
  Chain chain({-1, 6, -1, -1});
  chain.Then("ReduceMean", {}, Set({{"axes", Ints{2, 3}}}));
  const ValueId x = chain.at();
  chain.Then("Shape").Then("Slice", {},
                           Set({{"axes", Ints{0}},
                                {"starts", Ints{0}},
                                {"ends", Ints{1}},
                                {"steps", Ints{1}}}));
  const ValueId rest =
      chain.builder().AddConstant("rest", Tensor::Integers({1}, {-1}));
  chain.Add("Concat", {chain.at(), rest}, Set({{"axis", int64_t{0}}}));
  const auto entries = chain.builder().Entries(chain.at());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].tensor, x);
  EXPECT_EQ(entries[1].number, -1);
  chain.Add("Reshape", {x}, Set({{"shape", Ints{0, -1}}}));
  Check(chain, {{1, 8, 11, 6}, {3, 4, 5, 6}});
}

}  // namespace
}  // namespace munja::conversion
