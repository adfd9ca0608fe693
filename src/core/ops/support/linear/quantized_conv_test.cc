#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/support/quantized/quantized_testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// The combinations of types that go together.
struct Types {
  const char* name;
  ElementType input, weights, bias;
  int64_t input_zero, weight_zero;
  bool is_per_axis;
};
constexpr Types kAllTypes[] = {
    {"int8", kInt8, kInt8, kInt32, -7, 0, true},
    {"int8, one scale", kInt8, kInt8, kInt32, 11, 0, false},
    {"int8 x int4", kInt8, kInt4, kInt32, 3, 0, true},
    {"uint8", kUInt8, kUInt8, kInt32, 120, 131, false},
    {"int16, 64 bits", kInt16, kInt8, kInt64, 0, 0, true},
    {"int16, 32 bits", kInt16, kInt8, kInt32, 0, 0, true},
    {"int16 x int4", kInt16, kInt4, kInt64, 0, 0, false},
};

// A node with weights of `weights` shape, whose channels are dimension `axis`,
// and an output of scales that keep most values inside the type.
TestNode MakeNode(const char* op, const Types& t, const Shape& input,
                  const Shape& weights, int axis, bool is_constant) {
  const bool is_wide = t.input == kInt16;
  const float input_scale = is_wide ? 1.0f / 32768 : 1.0f / 64;
  TestTensor in = t.input == kUInt8 ? RandomStored(t.input, input, 0, 255, 1)
                  : is_wide ? RandomStored(t.input, input, -20000, 20000, 1)
                            : RandomStored(t.input, input, -128, 127, 1);
  in.quantization = Scale(input_scale, t.input_zero);
  TestTensor w = t.weights == kUInt8 ? RandomStored(kUInt8, weights, 0, 255, 2)
                 : t.weights == kInt4
                     ? RandomStored(kInt4, weights, -8, 7, 2)
                     : RandomStored(kInt8, weights, -127, 127, 2);
  const float weight_scale = t.weights == kInt4 ? 1.0f / 16 : 1.0f / 256;
  const int32_t channels = weights[axis];
  const int32_t scales = t.is_per_axis ? channels : 1;
  Quantization bias_scale{{}, {}, 0};
  for (int32_t c = 0; c < scales; ++c) {
    const float scale =
        weight_scale * (1.0f + 0.25f * static_cast<float>(c % 3));
    w.quantization.scales.push_back(scale);
    w.quantization.zero_points.push_back(t.weight_zero);
    bias_scale.scales.push_back(scale * input_scale);
    bias_scale.zero_points.push_back(0);
  }
  w.quantization.axis = axis;
  w.is_constant = is_constant;
  const double unit = input_scale * weight_scale;
  TestTensor bias = RandomStored(t.bias, {channels}, std::llround(-1.0 / unit),
                                 std::llround(1.0 / unit), 3);
  bias.quantization = bias_scale;
  bias.is_constant = is_constant;
  TestNode node;
  node.op = op;
  node.inputs = {in, w, bias};
  // Sums of products of numbers in [-2, 2] and [-0.5, 0.5].
  const auto terms = static_cast<double>(weights.elements() / channels);
  const double range = 2.0 + 1.2 * std::sqrt(terms);
  node.outputs = {
      TestOutput{t.input, is_wide ? Scale(static_cast<float>(range / 32768))
                                  : Scale(static_cast<float>(range / 128),
                                          t.input == kUInt8 ? 128 : -5)}};
  return node;
}

TEST(QuantizedConvTest, Conv2d_MatchesFloat) {
  for (const Types& types : kAllTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      TestNode node = MakeNode("CONV_2D", types, {2, 9, 10, 5}, {19, 3, 3, 5},
                               0, is_constant);
      node.attributes = Options({{"padding", std::string("SAME")},
                                 {"stride_h", int64_t{2}},
                                 {"dilation_w_factor", int64_t{2}}});
      ExpectLikeFloat(node);
      node.inputs.pop_back();  // No bias.
      node.attributes = Options({{"padding", std::string("VALID")}});
      ExpectLikeFloat(node);
      // 1x1, a matrix product.
      ExpectLikeFloat(MakeNode("CONV_2D", types, {1, 5, 13, 24}, {35, 1, 1, 24},
                               0, is_constant));
    }
    // Three groups.
    ExpectLikeFloat(
        MakeNode("CONV_2D", types, {1, 6, 5, 6}, {9, 2, 2, 2}, 0, true));
  }
}

// Both ends of the range of an activation, where results are stored out of the
// registers of a product (whole vectors of columns) and where they are not.
TEST(QuantizedConvTest, ClampsOfAllTypes_AreApplied) {
  for (const Types& types : kAllTypes) {
    SCOPED_TRACE(types.name);
    for (const int32_t channels : {32, 48, 35}) {
      for (const char* clamp : {"RELU", "RELU_N1_TO_1"}) {
        TestNode node = MakeNode("CONV_2D", types, {1, 5, 13, 24},
                                 {channels, 1, 1, 24}, 0, true);
        node.attributes =
            Options({{"fused_activation_function", std::string(clamp)}});
        ExpectLikeFloat(node);
        node = MakeNode("DEPTHWISE_CONV_2D", types, {1, 9, 13, channels},
                        {1, 3, 3, channels}, 3, true);
        node.attributes =
            Options({{"fused_activation_function", std::string(clamp)}});
        ExpectLikeFloat(node);
      }
    }
  }
}

// CONCAT_CONV_2D of maps, of which the first is resized to `size`, and the
// CONV_2D of what RESIZE_NEAREST_NEIGHBOR and CONCATENATION make of them.
struct MapsAndJoined {
  MapsAndJoined(const Types& types, int32_t stride, bool is_constant) {
    constexpr int32_t kChannels[] = {16, 3, 32};
    const Shape shapes[] = {{2, 3, 13, 16}, {2, 6, 26, 3}, {2, 6, 26, 32}};
    joined = MakeNode("CONV_2D", types, {2, 6, 26, 51}, {19, 3, 3, 51}, 0,
                      is_constant);
    joined.attributes = Options({{"padding", std::string("SAME")},
                                 {"stride_h", int64_t{stride}},
                                 {"stride_w", int64_t{stride}}});
    maps = joined;
    maps.op = "CONCAT_CONV_2D";
    maps.attributes.Set("channels", std::vector<int64_t>{16, 3, 32});
    maps.inputs = {joined.inputs[1], joined.inputs[2]};
    std::vector<int64_t> all(2 * 6 * 26 * 51);
    for (size_t m = 0, before = 0; m < 3; before += kChannels[m++]) {
      TestTensor map = RandomStored(
          types.input, shapes[m], types.input == kUInt8 ? 0 : -128,
          types.input == kUInt8 ? 255 : 127, static_cast<uint32_t>(m + 7));
      for (size_t i = 0; i < size_t{2 * 6 * 26}; ++i) {
        const size_t y = i / 26, x = i % 26;
        const size_t from = m == 0 ? y / 2 * 13 + x / 2 : i;
        for (int32_t c = 0; c < kChannels[m]; ++c)
          all[i * 51 + before + c] = StoredValue(map, from * kChannels[m] + c);
      }
      map.quantization = joined.inputs[0].quantization;
      maps.inputs.push_back(map);
      maps.inputs.push_back(m == 0 ? Ints({2}, {6, 26}).Constant() : Absent());
    }
    joined.inputs[0] = StoreValues(types.input, {2, 6, 26, 51}, all)
                           .With(joined.inputs[0].quantization);
  }
  TestNode maps, joined;
};

TEST(QuantizedConvTest, Maps_MatchTheirConcatenation) {
  for (const size_t types : {0, 3}) {
    for (const int32_t stride : {1, 2}) {
      for (const bool is_constant : {true, false}) {
        const MapsAndJoined nodes(kAllTypes[types], stride, is_constant);
        const auto want = RunNode(nodes.joined);
        ASSERT_TRUE(want.ok()) << want.status().message();
        for (const TestOptions& way : AllWaysToRun()) {
          SCOPED_TRACE(Describe(nodes.maps, way));
          const auto got = RunNode(nodes.maps, way);
          ASSERT_TRUE(got.ok()) << got.status().message();
          EXPECT_EQ(got->front().shape.ToString(),
                    want->front().shape.ToString());
          EXPECT_EQ(got->front().bytes, want->front().bytes);
        }
      }
    }
  }
}

TEST(QuantizedConvTest, MismatchedMaps_AreRefused) {
  const auto make = [] { return MapsAndJoined(kAllTypes[0], 1, true).maps; };
  TestNode node = make();
  node.inputs[4].quantization = Scale(0.5f);
  ExpectRefused(node, Code::kUnsupported, "quantized differently");
  node = make();
  node.inputs[3] = Absent();
  ExpectRefused(node, Code::kMalformed, "does not continue");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 4, 32});
  ExpectRefused(node, Code::kMalformed, "map 1 has 3 channels");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 3});
  ExpectRefused(node, Code::kMalformed, "inputs for 2 maps");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 3, 32, 1});
  ExpectRefused(node, Code::kMalformed, "no map 3");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{});
  ExpectRefused(node, Code::kUnsupported, "0 maps");
  node = make();
  node.inputs[4] = RandomStored(kInt16, {2, 6, 26, 3}, -9, 9, 1);
  ExpectRefused(node, Code::kUnsupported, "not of 8 bits");
  node = make();
  node.inputs.resize(4);
  node.attributes.Set("channels", std::vector<int64_t>{16});
  ExpectRefused(node, Code::kMalformed, "the weights' 51 channels");
  node = MakeNode("CONV_2D", kAllTypes[0], {1, 2, 2, 4}, {3, 1, 1, 4}, 0, true);
  node.op = "CONCAT_CONV_2D";
  node.inputs = {node.inputs[1], node.inputs[2], node.inputs[0]};
  node.attributes.Set("channels", std::vector<int64_t>{4});
  ExpectRefused(node, Code::kUnsupported, "one pixel");
}

TEST(QuantizedConvTest, Depthwise_MatchesFloat) {
  for (const Types& types : kAllTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int32_t channels : {1, 3, 9}) {
        TestNode node =
            MakeNode("DEPTHWISE_CONV_2D", types, {2, 7, 8, channels},
                     {1, 3, 3, 9}, 3, is_constant);
        node.attributes = Options({{"padding", std::string("SAME")},
                                   {"stride_w", int64_t{2}},
                                   {"dilation_h_factor", int64_t{2}}});
        ExpectLikeFloat(node);
      }
    }
  }
}

TEST(QuantizedConvTest, FullyConnected_MatchesFloat) {
  for (const Types& types : kAllTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int32_t rows : {1, 60}) {
        ExpectLikeFloat(MakeNode("FULLY_CONNECTED", types, {rows, 37}, {41, 37},
                                 0, is_constant));
      }
      TestNode node = MakeNode("FULLY_CONNECTED", types, {2, 3, 12}, {7, 12}, 0,
                               is_constant);
      node.attributes =
          Options({{"keep_num_dims", true},
                   {"fused_activation_function", std::string("RELU")}});
      ExpectLikeFloat(node);
    }
  }
}

TEST(QuantizedConvTest, TransposeConv_MatchesFloat) {
  for (const Types& types : kAllTypes) {
    SCOPED_TRACE(types.name);
    for (const bool is_constant : {true, false}) {
      for (const int64_t stride : {1, 2, 3, 5}) {
        for (const char* padding : {"SAME", "VALID"}) {
          SCOPED_TRACE(std::to_string(stride) + padding);
          TestNode node = MakeNode("TRANSPOSE_CONV", types, {2, 4, 3, 6},
                                   {7, 3, 4, 6}, 0, is_constant);
          const bool is_same = std::string(padding) == "SAME";
          const auto side = [&](int32_t in, int32_t kernel) {
            const auto s = static_cast<int32_t>(stride);
            return is_same ? in * s : (in - 1) * s + kernel;
          };
          const TestTensor shape =
              Ints({4}, {2, side(4, 3), side(3, 4), 7}).Constant();
          node.inputs = {shape, node.inputs[1], node.inputs[0], node.inputs[2]};
          node.attributes = Options({{"padding", std::string(padding)},
                                     {"stride_h", stride},
                                     {"stride_w", stride}});
          ExpectLikeFloat(node);
        }
      }
    }
  }
}

// In steps of 1/2: inputs 1, -1.5, weights 2, -4 and bias 1/4 make 8.25, of
// RELU6 6, and 33 / 4 steps of 1/2 with zero point 3.
TEST(QuantizedConvTest, SmallCase_MatchesHandComputation) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {
      StoreValues(kInt8, {1, 2}, {2 + 1, -3 + 1}).With(Scale(0.5f, 1)),
      StoreValues(kInt8, {1, 2}, {4, -8}).Constant().With(Scale(0.5f)),
      StoreValues(kInt32, {1}, {1}).Constant().With(Scale(0.25f))};
  node.outputs = {{kInt8, Scale(0.5f, 3)}};
  ExpectOutput<int8_t>(node, {1, 1}, {20});  // 16.5 rounds away from 0.
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  ExpectOutput<int8_t>(node, {1, 1}, {15});
}

// Accumulators of 48 bits: 600 products of 32767 and 127 pass 2^31.
TEST(QuantizedConvTest, WideSums_DoNotWrap) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  const std::vector<int64_t> ones(600, 32767), weights(600, 127);
  node.inputs = {
      StoreValues(kInt16, {1, 600}, ones).With(Scale(1.0f / 32768)),
      StoreValues(kInt8, {1, 600}, weights).Constant().With(Scale(1.0f)),
      StoreValues(kInt64, {1}, {-(int64_t{1} << 30)}).Constant()};
  node.outputs = {{kInt16, Scale(4.0f)}};
  // (600 * 32767 * 127 - 2^30) / 32768 / 4 = 10856.9
  ExpectOutput<int16_t>(node, {1, 1}, {10857});
}

// Rows quantized apart. Row one: steps of 2 / 127 make 64 -127; row two: steps
// of 8 / 127 make 127 32, TensorFlow Lite's rounding of 63.5 and 31.75.
TEST(QuantizedConvTest, HybridRows_AreQuantized) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {Floats({2, 2}, {1, -2, 8, 2}),
                 StoreValues(kInt8, {2, 2}, {10, 1, -3, 100})
                     .Constant()
                     .With({{0.5f, 0.25f}, {0, 0}, 0}),
                 Floats({2}, {1, -1}).Constant()};
  const double a = 2.0 / 127, b = 8.0 / 127;
  ExpectOutput<float>(node, {2, 2},
                      {static_cast<float>((64 * 10 - 127) * a * 0.5 + 1),
                       static_cast<float>((64 * -3 - 12700) * a * 0.25 - 1),
                       static_cast<float>((1270 + 32) * b * 0.5 + 1),
                       static_cast<float>((-381 + 3200) * b * 0.25 - 1)},
                      1e-6);
}

// The same, then something is added and the rest of a fusion done.
TEST(QuantizedConvTest, Hybrid_AddsAResidual) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.attributes.Set("has_residual", true);
  node.attributes.Set("fused_activation_function", std::string("RELU"));
  node.inputs = {Floats({1, 2}, {1, -2}),
                 StoreValues(kInt8, {2, 2}, {10, 1, -3, 100})
                     .Constant()
                     .With({{0.5f, 0.25f}, {0, 0}, 0}),
                 Absent(), Floats({1, 2}, {3, 100})};
  const double a = 2.0 / 127;
  ExpectOutput<float>(node, {1, 2},
                      {static_cast<float>((64 * 10 - 127) * a * 0.5 + 3),
                       static_cast<float>((64 * -3 - 12700) * a * 0.25 + 100)},
                      1e-5);
  node.inputs[3] = Floats({2}, {1, 1});
  ExpectRefused(node, Code::kMalformed, "the residual has shape");
  node.inputs[3] = Floats({1, 2}, {1, 1});
  node.inputs[0] = StoreValues(kInt8, {1, 2}, {1, 2}).With(Scale(0.5f));
  node.outputs = {{kInt8, Scale(0.5f)}};
  ExpectRefused(node, Code::kUnsupported, "a residual of quantized values");
}

// Asymmetric: [-1, 4] in 255 steps of 1 / 51 has zero point -77.
TEST(QuantizedConvTest, HybridAsymmetric_SubtractsTheZeroPoint) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.attributes.Set("asymmetric_quantize_inputs", true);
  node.inputs = {
      Floats({1, 3}, {-1, 4, 0.501f}),
      StoreValues(kInt8, {1, 3}, {10, 1, 100}).Constant().With(Scale(0.5f))};
  // Stored -128, 127, round(-77 + 25.55) = -51: 26 steps.
  ExpectOutput<float>(node, {1, 1},
                      {static_cast<float>((-510 + 204 + 2600) / 51.0 * 0.5)},
                      1e-6);
}

// As near to the float operator as steps of the input allow.
TEST(QuantizedConvTest, Hybrid_IsNearFloat) {
  struct Row {
    const char* op;
    Shape input, weights;
    int axis;
  };
  for (const Row& row :
       {Row{"CONV_2D", {2, 6, 7, 4}, {9, 3, 3, 4}, 0},
        Row{"CONV_2D", {2, 6, 7, 4}, {8, 3, 3, 2}, 0},
        Row{"DEPTHWISE_CONV_2D", {2, 6, 7, 5}, {1, 3, 3, 5}, 3},
        Row{"FULLY_CONNECTED", {9, 30}, {17, 30}, 0}}) {
    for (const Types& types : {kAllTypes[0], kAllTypes[1], kAllTypes[2]}) {
      SCOPED_TRACE(std::string(row.op) + " " + types.name);
      TestNode node =
          MakeNode(row.op, types, row.input, row.weights, row.axis, true);
      node.inputs[0] =
          Floats(row.input,
                 RandomFloats(static_cast<size_t>(row.input.elements()), 5));
      node.inputs[2] =
          Floats({row.weights[row.axis]},
                 RandomFloats(static_cast<size_t>(row.weights[row.axis]), 6))
              .Constant();
      node.outputs = {TestOutput{}};
      ExpectTwinsAgree(node, 1e-6);
      const auto got = RunNode(node);
      const auto want = RunNode(InFloat(node), {.reference_kernels = true});
      ASSERT_TRUE(got.ok() && want.ok());
      const auto a = (*got)[0].values<float>(), b = (*want)[0].values<float>();
      double squares = 0.0;
      for (size_t i = 0; i < a.size(); ++i)
        squares += double{a[i] - b[i]} * (a[i] - b[i]);
      const double rms = std::sqrt(squares / static_cast<double>(a.size()));
      // Steps of 1 / 127 err by 0.0023 on average, weights are about 0.3.
      EXPECT_LT(rms, 0.002 * std::sqrt(36.0));
      EXPECT_GT(rms, 0.0);
    }
  }
}

TEST(QuantizedConvTest, EmptySums_GiveTheBias) {
  TestNode node;
  node.op = "FULLY_CONNECTED";
  node.inputs = {StoreValues(kInt8, {2, 0}, {}).With(Scale(1.0f)),
                 StoreValues(kInt8, {1, 0}, {}).Constant().With(Scale(1.0f)),
                 StoreValues(kInt32, {1}, {7}).Constant()};
  node.outputs = {{kInt8, Scale(1.0f, 1)}};
  ExpectOutput<int8_t>(node, {2, 1}, {8, 8});
}

TEST(QuantizedConvTest, InvalidNodes_AreRefused) {
  const auto make = [](int types) {
    return MakeNode("CONV_2D", kAllTypes[types], {1, 4, 4, 2}, {3, 2, 2, 2}, 0,
                    true);
  };
  TestNode node = make(0);
  node.inputs[1].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the weights have no scale");
  node = make(0);
  node.inputs[1].quantization.axis = 3;
  ExpectRefused(node, Code::kMalformed, "along dimension");
  node = make(0);
  node.inputs[1].quantization.zero_points[1] = 4;
  ExpectRefused(node, Code::kUnsupported, "zero point for each channel");
  node = make(0);
  node.inputs[0].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the input has no scale");
  node = make(0);
  node.outputs[0].quantization.scales[0] = 0.0f;
  ExpectRefused(node, Code::kMalformed, "the output has scale");
  node = make(0);
  node.outputs[0].type = kFloat32;
  ExpectRefused(node, Code::kUnsupported, "the output is float32");
  node = make(0);
  node.inputs[2] = Floats({3}, {1, 2, 3}).Constant();
  ExpectRefused(node, Code::kUnsupported, "the bias is float32");
  node = make(0);
  node.inputs[2] = StoreValues(kInt32, {2}, {1, 2}).Constant();
  ExpectRefused(node, Code::kMalformed, "the bias has shape 2");
  node = make(0);
  node.attributes.Set("fused_activation_function", std::string("TANH"));
  ExpectRefused(node, Code::kUnsupported, "");
  node = make(0);
  node.attributes.Set("has_residual", true);
  ExpectRefused(node, Code::kUnsupported, "residual");
  node = make(3);
  node.inputs[2].quantization = Scale(1.0f);
  ExpectRefused(node, Code::kMalformed, "the bias has scale");
  node = make(4);
  node.inputs[0].quantization = Scale(1.0f, 3);
  ExpectRefused(node, Code::kMalformed, "the input has zero point 3");
  node = make(4);
  node.attributes.Set("quantized_bias_type", std::string("INT32"));
  ExpectRefused(node, Code::kMalformed, "the bias is int64");
  node = make(1);
  node.inputs[0].shape = {1, 4, 2, 4};
  node.inputs[1].shape = {3, 2, 4, 1};
  ExpectRefused(node, Code::kMalformed, "into groups");
}

}  // namespace
}  // namespace munja::ops
