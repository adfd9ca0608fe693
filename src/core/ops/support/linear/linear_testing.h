// For tests of linear operators with integer weights: nodes of all types. Not
// part of the library.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_LINEAR_TESTING_H_
#define MUNJA_OPS_SUPPORT_LINEAR_LINEAR_TESTING_H_

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ops/support/quantized/quantized_testing.h"

namespace munja::ops {

// The combinations of types that go together.
struct IntTypes {
  const char* name;
  ElementType input, weights, bias;
  int64_t input_zero, weight_zero;
  bool is_per_axis;
};
inline constexpr IntTypes kIntTypes[] = {
    {"int8", ElementType::kInt8, ElementType::kInt8, ElementType::kInt32, -7, 0,
     true},
    {"int8, one scale", ElementType::kInt8, ElementType::kInt8,
     ElementType::kInt32, 11, 0, false},
    {"int8 x int4", ElementType::kInt8, ElementType::kInt4, ElementType::kInt32,
     3, 0, true},
    {"uint8", ElementType::kUInt8, ElementType::kUInt8, ElementType::kInt32,
     120, 131, false},
    {"int16, 64 bits", ElementType::kInt16, ElementType::kInt8,
     ElementType::kInt64, 0, 0, true},
    {"int16, 32 bits", ElementType::kInt16, ElementType::kInt8,
     ElementType::kInt32, 0, 0, true},
    {"int16 x int4", ElementType::kInt16, ElementType::kInt4,
     ElementType::kInt64, 0, 0, false},
};

// A node with weights of `weights` shape, whose channels are dimension `axis`,
// and an output of scales that keep most values inside the type.
inline TestNode MakeIntNode(const char* op, const IntTypes& t,
                            const Shape& input, const Shape& weights, int axis,
                            bool is_constant) {
  const bool is_wide = t.input == ElementType::kInt16;
  const float input_scale = is_wide ? 1.0f / 32768 : 1.0f / 64;
  TestTensor in = t.input == ElementType::kUInt8
                      ? RandomStored(t.input, input, 0, 255, 1)
                  : is_wide ? RandomStored(t.input, input, -20000, 20000, 1)
                            : RandomStored(t.input, input, -128, 127, 1);
  in.quantization = Scale(input_scale, t.input_zero);
  TestTensor w = t.weights == ElementType::kUInt8
                     ? RandomStored(ElementType::kUInt8, weights, 0, 255, 2)
                 : t.weights == ElementType::kInt4
                     ? RandomStored(ElementType::kInt4, weights, -8, 7, 2)
                     : RandomStored(ElementType::kInt8, weights, -127, 127, 2);
  const float weight_scale =
      t.weights == ElementType::kInt4 ? 1.0f / 16 : 1.0f / 256;
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
  node.outputs = {TestOutput{
      t.input, is_wide ? Scale(static_cast<float>(range / 32768))
                       : Scale(static_cast<float>(range / 128),
                               t.input == ElementType::kUInt8 ? 128 : -5)}};
  return node;
}

// A node of float activations is as near to the float operator as steps of the
// input allow.
inline void ExpectHybridNearFloat(const char* op, const Shape& input,
                                  const Shape& weights, int axis) {
  for (const size_t types : {0, 1, 2}) {
    SCOPED_TRACE(kIntTypes[types].name);
    TestNode node =
        MakeIntNode(op, kIntTypes[types], input, weights, axis, true);
    node.inputs[0] =
        Floats(input, RandomFloats(static_cast<size_t>(input.elements()), 5));
    node.inputs[2] = Floats({weights[axis]},
                            RandomFloats(static_cast<size_t>(weights[axis]), 6))
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

// Both ends of the range of an activation.
inline void ExpectClampsLikeFloat(TestNode node) {
  for (const char* clamp : {"RELU", "RELU_N1_TO_1"}) {
    node.attributes =
        Options({{"fused_activation_function", std::string(clamp)}});
    ExpectLikeFloat(node);
  }
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_LINEAR_TESTING_H_
