#include "import/ncnn/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"
#include "import/ncnn/testing.h"

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

TEST(Ncnn, Lstm_Bidirectional) {
  // Rows of one number; gates lie as input, forget, output, content. With all
  // recurrent weights 0 each step is a closed formula.
  Bin bin;
  bin.Tag().Floats({1, 2, 3, 4, -1, -2, -3, -4});
  bin.Tag().Floats({0.1f, 0.2f, 0.3f, 0.4f, 0, 0, 0, 0});
  bin.Tag().Floats(std::vector<float>(8, 0.0f));
  const std::vector<float> y =
      Evaluate({"Input in 0 1 x 0=1 1=2 2=1", "Reshape r 1 1 x a 0=1 1=2",
                "LSTM l 1 1 a y 0=1 1=8 2=2"},
               bin, {1, 2, 1, 1}, {0.5f, -0.5f});
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  double expected[2][2];
  const double x[2] = {0.5, -0.5};
  for (int d = 0; d < 2; ++d) {
    double c = 0;
    for (int step = 0; step < 2; ++step) {
      const int t = d == 0 ? step : 1 - step;
      const auto gate = [&](int g) {
        return d == 0 ? (g + 1) * x[t] + 0.1 * (g + 1) : -(g + 1) * x[t];
      };
      c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
      expected[t][d] = sigmoid(gate(2)) * std::tanh(c);
    }
  }
  ASSERT_EQ(y.size(), 4u);
  for (int t = 0; t < 2; ++t)
    for (int d = 0; d < 2; ++d)
      EXPECT_NEAR(y[t * 2 + d], expected[t][d], 1e-6) << t << " " << d;
}

// Channels 0 to 5 in two groups are dealt like cards: 0 3 1 4 2 5.
TEST(Ncnn, ShuffledChannels_ByHand) {
  const std::vector<float> six = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(
      Evaluate({"Input in 0 1 x 0=1 1=1 2=6", "ShuffleChannel s 1 1 x y 0=2"},
               {}, {1, 1, 1, 6}, six),
      ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Evaluate({"Input in 0 1 x 0=1 1=1 2=6",
                        "ShuffleChannel s 1 1 x y 0=2 1=1"},
                       {}, {1, 1, 1, 6}, six),
              ElementsAre(0, 2, 4, 1, 3, 5));
  // Two channels of two by two, grouped by block or by position.
  const std::vector<float> eight = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(
      Evaluate({"Input in 0 1 x 0=1 1=1 2=8", "PixelShuffle s 1 1 x y 0=2"}, {},
               {1, 1, 1, 8}, eight),
      ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(
      Evaluate({"Input in 0 1 x 0=1 1=1 2=8", "PixelShuffle s 1 1 x y 0=2 1=1"},
               {}, {1, 1, 1, 8}, eight),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Ncnn, ComposedFunctions_ByHand) {
  const auto of = [](const std::string& layer, std::vector<float> x,
                     const Bin& bin = {}) {
    const auto n = static_cast<int64_t>(x.size());
    return Evaluate(
        {"Input in 0 1 x 0=1 1=1 2=" + std::to_string(n),
         layer.substr(0, layer.find(' ')) + " f 1 1 x y" +
             (layer.find(' ') == layer.npos ? ""
                                            : layer.substr(layer.find(' ')))},
        bin, {1, 1, 1, n}, std::move(x));
  };
  const auto near = [](std::vector<double> v) {
    return ::testing::Pointwise(FloatNear(1e-5f), v);
  };
  const double soft = std::log(1 + std::exp(-2.0));
  EXPECT_THAT(of("Softplus", {-2, 100}), near({soft, 100}));
  EXPECT_THAT(of("Mish", {-2, 100}), near({-2 * std::tanh(soft), 100}));
  EXPECT_THAT(of("Power 0=2 1=3 2=1", {-1, 2}), near({4, 49}));
  EXPECT_THAT(of("Bias 0=2", {1, 2}, Bin().Floats({10, 20})), near({11, 22}));
  EXPECT_THAT(of("Exp", {0, 1}), near({1, std::exp(1.0)}));
  EXPECT_THAT(of("Exp 0=2 1=3 2=1", {0, 1}), near({2, 16}));
  EXPECT_THAT(of("Log", {1, 2}), near({0, std::log(2.0)}));
  EXPECT_THAT(of("Log 0=2 1=3 2=1", {1, 5}), near({2, 4}));
  EXPECT_THAT(of("Erf", {0, 0.5f}), near({0, std::erf(0.5)}));
}

// Places 1 and 3 of one channel, 10 and 30 of the other: mean 2 and 20,
// variance 1 and 100; together mean 11, variance 131.5.
TEST(Ncnn, InstanceNorm_ByHand) {
  const auto of = [](const std::string& layer, const Bin& bin) {
    return Evaluate({"Input in 0 1 x 0=2 1=1 2=2", layer}, bin, {1, 1, 2, 2},
                    {1, 10, 3, 30});
  };
  const auto near = [](std::vector<double> v) {
    return ::testing::Pointwise(FloatNear(1e-4f), v);
  };
  EXPECT_THAT(
      of("InstanceNorm n 1 1 x y 0=2 1=0", Bin().Floats({1, 2}).Floats({0, 5})),
      near({-1, 3, 1, 7}));
  EXPECT_THAT(of("GroupNorm n 1 1 x y 0=2 1=2 2=0 3=0", {}),
              near({-1, -1, 1, 1}));
  const double deviation = std::sqrt(131.5);
  EXPECT_THAT(
      of("GroupNorm n 1 1 x y 0=1 1=2 2=0 3=0", {}),
      near({-10 / deviation, -1 / deviation, -8 / deviation, 19 / deviation}));
}

TEST(Ncnn, Convolution_BiasAndFusedRelu) {
  // One filter [[1, 2], [3, 4]], bias -20; image 1 2 3 / 4 5 6.
  const auto y =
      Evaluate({"Input in 0 1 x", "Convolution c 1 1 x y 0=1 1=2 5=1 6=4 9=1"},
               Bin().Tag().Floats({1, 2, 3, 4}).Floats({-40}), {1, 2, 3, 1},
               {1, 2, 3, 4, 5, 6});
  // 1 + 4 + 12 + 20 = 37; 2 + 6 + 15 + 24 = 47.
  EXPECT_THAT(y, ElementsAre(0, 7));
}

TEST(Ncnn, SamePadding_GoesAfter) {
  const auto y = Evaluate(
      {"Input in 0 1 x", "Convolution c 1 1 x y 0=1 1=2 4=-233 5=0 6=4"},
      Bin().Tag().Floats({1, 1, 1, 1}), {1, 2, 2, 1}, {1, 2, 4, 8});
  EXPECT_THAT(y, ElementsAre(15, 10, 12, 8));
}

TEST(Ncnn, Depthwise_KeepsChannelsApart) {
  const auto y = Evaluate(
      {"Input in 0 1 x", "ConvolutionDepthWise c 1 1 x y 0=2 1=1 6=2 7=2"},
      Bin().Tag().Floats({10, 100}), {1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(y, ElementsAre(10, 200, 30, 400));
}

TEST(Ncnn, Deconvolution_WeightsAreOutputFirst) {
  // Two inputs, one output, 1x2 kernels: [1, 2] for the first input, [3, 4]
  // for the second.
  const auto y =
      Evaluate({"Input in 0 1 x 0=1 1=1 2=2",
                "Deconvolution d 1 1 x y 0=1 1=2 11=1 3=2 13=1 5=0 6=4"},
               Bin().Tag().Floats({1, 2, 3, 4}), {1, 1, 1, 2}, {10, 1});
  EXPECT_THAT(y, ElementsAre(13, 24));
}

TEST(Ncnn, Deconvolution_Grouped) {
  // Two groups of one input and two outputs each, 1x2 kernels.
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto y =
      Evaluate({"Input in 0 1 x 0=1 1=1 2=2",
                "DeconvolutionDepthWise d 1 1 x y 0=4 1=2 11=1 3=2 13=1 5=1 "
                "6=8 7=2"},
               Bin().Tag().Floats(weights).Floats({0, 0, 0, 1000}),
               {1, 1, 1, 2}, {10, 100});
  EXPECT_THAT(y, ElementsAre(10, 30, 500, 1700, 20, 40, 600, 1800));
}

TEST(Ncnn, Elu_AnyAlpha) {
  const std::vector<float> x = {-3, -0.5f, 0, 2};
  struct Case {
    const char* layer;
    double alpha, lambda;
  };
  for (const Case& c :
       {Case{"ELU e 1 1 x y", 0.1, 1}, Case{"ELU e 1 1 x y 0=1.5", 1.5, 1},
        Case{"SELU e 1 1 x y", 1.67326324, 1.050700987},
        Case{"SELU e 1 1 x y 0=2.0 1=0.5", 2, 0.5}}) {
    SCOPED_TRACE(c.layer);
    std::vector<float> expected;
    for (const float v : x)
      expected.push_back(static_cast<float>(
          c.lambda * (v < 0 ? c.alpha * std::expm1(double{v}) : double{v})));
    const std::vector<std::string> layers = {"Input in 0 1 x 0=2 1=2 2=1",
                                             c.layer};
    EXPECT_THAT(Evaluate(layers, Bin(), {1, 2, 2, 1}, x),
                ::testing::Pointwise(FloatNear(1e-6f), expected));
    EXPECT_THAT(RunTflite(layers, Bin(), {1, 2, 2, 1}, x),
                ::testing::Pointwise(FloatNear(1e-6f), expected));
  }
}

TEST(Ncnn, GlobalPoolGate_Broadcasts) {
  Dims shape;
  const auto y = Evaluate(
      {"Input in 0 1 x 2=2", "Split s 1 2 x a b", "Pooling p 1 1 a g 0=1 4=1",
       "InnerProduct f 1 1 g h 0=2 1=1 2=4", "BinaryOp m 2 1 b h y 0=2"},
      Bin().Tag().Floats({1, 0, 0, 2}).Floats({1, 0}), {1, 1, 2, 2},
      {2, 10, 4, 30}, &shape);
  // Means 3 and 20; gates 1 * 3 + 1 = 4 and 2 * 20 = 40.
  EXPECT_THAT(y, ElementsAre(8, 400, 16, 1200));
  EXPECT_EQ(shape, (Dims{1, 1, 2, 2}));
}

TEST(Ncnn, RecognizerHead_ByHand) {
  Dims shape;
  const auto y = Evaluate(
      {"Input in 0 1 x 1=1 2=2", "Squeeze q 1 1 x a -23303=1,1",
       "Permute p 1 1 a b 0=1", "Gemm g 1 1 b c 10=4 3=1 5=1 6=1 7=0 8=3 9=2",
       "Softmax s 1 1 c y 0=1 1=1"},
      Bin().Tag().Floats({1, 0, 0, 1, 1, 1}).Tag().Floats({0, 0, -1}),
      {1, 1, 2, 2}, {1, 2, 0, 0}, &shape);
  EXPECT_EQ(shape, (Dims{1, 2, 3}));
  // Rows (1, 2, 2) and (0, 0, -1) before the softmax.
  const float e = std::exp(1.0f);
  EXPECT_THAT(y, ElementsAre(FloatNear(1 / (1 + 2 * e), 1e-6),
                             FloatNear(e / (1 + 2 * e), 1e-6),
                             FloatNear(e / (1 + 2 * e), 1e-6),
                             FloatNear(1 / (2 + 1 / e), 1e-6),
                             FloatNear(1 / (2 + 1 / e), 1e-6),
                             FloatNear(1 / e / (2 + 1 / e), 1e-6)));
}

// The orders of the layer's documentation, from the innermost axis outwards.
TEST(Ncnn, Permute_EveryOrder) {
  const char* const orders[] = {"whc", "hwc", "wch", "cwh", "hcw", "chw"};
  const std::map<char, int64_t> size = {{'w', 2}, {'h', 3}, {'c', 4}};
  std::vector<float> x;
  for (int i = 0; i < 24; ++i) x.push_back(static_cast<float>(i));
  for (int order = 0; order < 6; ++order) {
    SCOPED_TRACE(orders[order]);
    Dims shape;
    const auto y = Evaluate(
        {"Input in 0 1 x 0=2 1=3 2=4",
         "Permute p 1 1 x b 0=" + std::to_string(order), "AbsVal a 1 1 b y"},
        {}, {1, 3, 2, 4}, x, &shape);
    const char* axes = orders[order];
    const Dims want = {1, size.at(axes[1]), size.at(axes[0]), size.at(axes[2])};
    ASSERT_EQ(shape, want);
    std::map<char, int64_t> at;
    for (size_t i = 0; i < y.size(); ++i) {
      const auto n = static_cast<int64_t>(i);
      at[axes[2]] = n % want[3];
      at[axes[0]] = n / want[3] % want[2];
      at[axes[1]] = n / want[3] / want[2];
      EXPECT_EQ(y[i], static_cast<float>((at['h'] * 2 + at['w']) * 4 + at['c']))
          << i;
    }
  }
}

TEST(Ncnn, PoolingModeZero_CoversTheRest) {
  const auto y =
      Evaluate({"Input in 0 1 x 2=1", "Pooling p 1 1 x y 1=2 11=1 2=2 12=1"},
               {}, {1, 1, 3, 1}, {1, 5, 3});
  EXPECT_THAT(y, ElementsAre(5, 3));
}

TEST(Ncnn, BinaryOp_ReversedAndScalar) {
  const auto y =
      Evaluate({"Input in 0 1 x 2=1", "BinaryOp a 1 1 x b 0=7 1=1 2=10",
                "BinaryOp c 1 1 b y 0=8 1=1 2=12"},
               {}, {1, 1, 3, 1}, {4, 7, 8});
  EXPECT_THAT(y, ElementsAre(2, 4, 6));  // 12 / (10 - x)
}

TEST(Ncnn, InputAndOutputNames_AreKept) {
  const auto model = ImportNcnn(
      Param({"Input in 0 1 photo 2=3", "ReLU r 1 1 photo result"}), {}, {});
  ASSERT_TRUE(model.ok()) << model.status().message();
  const graph::Subgraph& g = model->graph.main();
  EXPECT_EQ(g.values[g.inputs[0]].name, "photo");
  EXPECT_EQ(g.values[g.inputs[0]].shape, Shape({1, -1, -1, 3}));
  EXPECT_EQ(g.values[g.outputs[0]].name, "result");
}

TEST(Ncnn, InputShape_InGraphOrder) {
  ImportOptions options;
  options.input_shapes["x"] = {1, 48, -1, 3};
  const auto model =
      ImportNcnn(Param({"Input in 0 1 x", "ReLU r 1 1 x y"}), {}, options);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const graph::Subgraph& g = model->graph.main();
  EXPECT_EQ(g.values[g.inputs[0]].shape, Shape({1, 48, -1, 3}));
  options.input_shapes["no_input"] = {1, 1, 1, 1};
  EXPECT_FALSE(
      ImportNcnn(Param({"Input in 0 1 x", "ReLU r 1 1 x y"}), {}, options)
          .ok());
}

TEST(Ncnn, MissingLayers_AreAllNamed) {
  const auto model =
      ImportNcnn(Param({"Input in 0 1 x", "RotaryEmbed a 1 1 x b",
                        "Spectrogram t 1 1 b c", "RotaryEmbed d 1 1 c y"}),
                 {}, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("RotaryEmbed (2) Spectrogram (1)"));
}

TEST(Ncnn, BrokenModels_AreRefused) {
  const auto code = [](std::vector<std::string> layers, const Bin& bin) {
    return ImportNcnn(Param(std::move(layers)), bin.bytes(), {})
        .status()
        .code();
  };
  // Reads a blob that no layer writes, or a cycle.
  EXPECT_EQ(code({"ReLU r 1 1 x y"}, {}), Code::kMalformed);
  EXPECT_EQ(
      code({"Input in 0 1 x 2=1", "ReLU a 1 1 c b", "ReLU d 1 1 b c"}, {}),
      Code::kMalformed);
  // The same blob is used twice.
  EXPECT_EQ(
      code({"Input in 0 1 x 2=1", "ReLU a 1 1 x y", "ReLU b 1 1 x y"}, {}),
      Code::kMalformed);
  // There are three operations.
  EXPECT_EQ(code({"Input a 0 1 a 2=1", "Input b 0 1 b 2=1",
                  "Eltwise e 2 1 a b y 0=3"},
                 {}),
            Code::kMalformed);
  // Weights short, and left over.
  EXPECT_EQ(code({"Input in 0 1 x", "Convolution c 1 1 x y 0=1 1=1 6=1"}, {}),
            Code::kMalformed);
  EXPECT_EQ(
      code({"Input in 0 1 x 2=1", "ReLU a 1 1 x y"}, Bin().Floats({1, 2})),
      Code::kMalformed);
  // More weights than any file holds.
  EXPECT_EQ(
      code({"Input in 0 1 x", "Convolution c 1 1 x y 0=1 1=1 6=2000000000"},
           {}),
      Code::kMalformed);
}

// Two channels of two elements, channels last.
const std::vector<float> kPlaces = {1, 10, 3, 14};

std::vector<float> OfPlaces(const std::string& layer, const Bin& bin = Bin()) {
  const std::vector<std::string> layers = {"Input in 0 1 x 0=2 1=1 2=2", layer};
  const std::vector<float> y = Evaluate(layers, bin, {1, 1, 2, 2}, kPlaces);
  EXPECT_THAT(RunTflite(layers, bin, {1, 1, 2, 2}, kPlaces),
              ::testing::Pointwise(FloatNear(1e-5f), y));
  return y;
}
void ExpectPlaces(const std::vector<float>& got,
                  const std::vector<float>& want) {
  EXPECT_THAT(got, ::testing::Pointwise(FloatNear(1e-4f), want));
}

TEST(Ncnn, InstanceAndGroupNorm_ByHand) {
  Bin two;
  two.Floats({1, 2}).Floats({0.5f, -1});
  // Means 2 and 12, variances 1 and 4: with 1 and 0 added, all is divided by
  // the root of 2 and of 5, or by 1 and 2.
  const float r2 = std::sqrt(2.0f), r5 = std::sqrt(5.0f);
  ExpectPlaces(
      OfPlaces("InstanceNorm n 1 1 x y 0=2 1=1.0", two),
      {-1 / r2 + 0.5f, -2 / r5 * 2 - 1, 1 / r2 + 0.5f, 2 / r5 * 2 - 1});
  ExpectPlaces(OfPlaces("InstanceNorm n 1 1 x y 0=2 1=0.0 2=0"),
               {-1, -1, 1, 1});
  ExpectPlaces(OfPlaces("GroupNorm n 1 1 x y 0=2 1=2 2=0.0 3=0"),
               {-1, -1, 1, 1});
  // One group: mean 7, mean square of what is left 27.5.
  const float r = std::sqrt(27.5f);
  ExpectPlaces(OfPlaces("GroupNorm n 1 1 x y 1=2 2=0.0 3=0"),
               {-6 / r, 3 / r, -4 / r, 7 / r});
}

TEST(Ncnn, Normalize_AcrossChannelsOrAll) {
  Bin two, one;
  two.Floats({1, 2});
  one.Floats({3});
  const float a = std::sqrt(101.0f), b = std::sqrt(205.0f),
              c = std::sqrt(10.0f), d = std::sqrt(296.0f),
              e = std::sqrt(306.0f);
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 3=2 2=0.0", two),
               {1 / a, 20 / a, 3 / b, 28 / b});
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 0=1 4=0 3=2 2=0.0", two),
               {1 / c, 20 / d, 3 / c, 28 / d});
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 0=1 1=1 3=1 2=0.0", one),
               {3 / e, 30 / e, 9 / e, 42 / e});
  // The least that it divides by: added under the root, or instead of the root,
  // or of the sum.
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 0=1 1=1 3=1 2=18.0", one),
               {3 / 18.0f, 30 / 18.0f, 9 / 18.0f, 42 / 18.0f});
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 0=1 1=1 3=1 2=30.0 9=1", one),
               {0.1f, 1, 0.3f, 1.4f});
  ExpectPlaces(OfPlaces("Normalize n 1 1 x y 0=1 1=1 3=1 2=900.0 9=2", one),
               {0.1f, 1, 0.3f, 1.4f});
}

TEST(Ncnn, Lrn_AcrossChannels) {
  // Each of three channels sees itself and its neighbors.
  const std::vector<std::string> layers = {
      "Input in 0 1 x 0=1 1=1 2=3", "LRN n 1 1 x y 1=3 2=6.0 3=0.5 4=2.0"};
  const std::vector<float> y = Evaluate(layers, Bin(), {1, 1, 1, 3}, {1, 2, 3});
  ExpectPlaces(
      y, {1 / std::sqrt(12.0f), 2 / std::sqrt(30.0f), 3 / std::sqrt(28.0f)});
  EXPECT_THAT(RunTflite(layers, Bin(), {1, 1, 1, 3}, {1, 2, 3}),
              ::testing::Pointwise(FloatNear(1e-6f), y));
}

TEST(Ncnn, UnaryFunctions_ByHand) {
  ExpectPlaces(
      OfPlaces("Exp n 1 1 x y 1=0.5 2=-1.0"),
      {std::exp(-0.5f), std::exp(4.0f), std::exp(0.5f), std::exp(6.0f)});
  ExpectPlaces(OfPlaces("Exp n 1 1 x y 0=2.0 1=0.5"),
               {std::sqrt(2.0f), 32, std::sqrt(8.0f), 128});
  ExpectPlaces(OfPlaces("Log n 1 1 x y 0=2.0 1=2.0 2=2.0"),
               {2, std::log2(22.0f), 3, std::log2(30.0f)});
  ExpectPlaces(OfPlaces("Log n 1 1 x y"),
               {0, std::log(10.0f), std::log(3.0f), std::log(14.0f)});
  ExpectPlaces(OfPlaces("Threshold n 1 1 x y 0=3.0"), {0, 1, 0, 1});
  ExpectPlaces(OfPlaces("BNLL n 1 1 x y"),
               {std::log1p(std::exp(1.0f)), 10.0000454f,
                std::log1p(std::exp(3.0f)), 14.0000008f});
  const std::vector<std::string> around = {"Input in 0 1 x 0=2 1=1 2=2",
                                           "BinaryOp m 1 1 x z 0=1 1=1 2=10.0",
                                           "CELU n 1 1 z y 0=2.0"};
  ExpectPlaces(Evaluate(around, Bin(), {1, 1, 2, 2}, kPlaces),
               {2 * std::expm1(-4.5f), 0, 2 * std::expm1(-3.5f), 4});
  const std::vector<std::string> error = {"Input in 0 1 x 0=2 1=1 2=2",
                                          "BinaryOp m 1 1 x z 0=3 1=1 2=10.0",
                                          "Erf n 1 1 z y"};
  ExpectPlaces(
      Evaluate(error, Bin(), {1, 1, 2, 2}, kPlaces),
      {std::erf(0.1f), std::erf(1.0f), std::erf(0.3f), std::erf(1.4f)});
}

TEST(Ncnn, ReorgAndTile_ByHand) {
  // One row of two elements: blocks of 1 x 1 change nothing; for 2 x 2, with
  // the map twice as high, the positions of a channel are adjacent.
  const std::vector<float> map = {1, 5, 2, 6, 3, 7, 4, 8};  // 2 x 2 x 2.
  const auto channels = [&](const char* mode) {
    return Evaluate({"Input in 0 1 x 0=2 1=2 2=2",
                     std::string("Reorg n 1 1 x y 0=2") + mode},
                    Bin(), {1, 2, 2, 2}, map);
  };
  EXPECT_THAT(channels(""), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(channels(" 1=1"), ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
  EXPECT_THAT(OfPlaces("Tile n 1 1 x y 0=2 1=2"),
              ElementsAre(1, 10, 3, 14, 1, 10, 3, 14));
  EXPECT_THAT(OfPlaces("Tile n 1 1 x y 0=0 1=2"),
              ElementsAre(1, 10, 1, 10, 3, 14, 3, 14));
}

}  // namespace
}  // namespace munja::importer::ncnn
