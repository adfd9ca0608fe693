#include "ops/support/quantized/quantized_activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ops/expect.h"

namespace munja::ops {
namespace {

constexpr double kBytes = 1.0 / 256;

TestNode On8(const std::string& op, const std::vector<int8_t>& values,
             float scale, int64_t zero, float out_scale, int64_t out_zero) {
  return {.op = op,
          .inputs = {Int8s({static_cast<int32_t>(values.size())}, values, scale,
                           zero)},
          .outputs = {{ElementType::kInt8, {{out_scale}, {out_zero}}}}};
}

std::vector<int8_t> AllBytes() {
  std::vector<int8_t> all;
  for (int i = -128; i < 128; ++i) all.push_back(static_cast<int8_t>(i));
  return all;
}

// Every quantized value against the real function.
void ExpectNear(const TestNode& node, double steps,
                const std::function<double(double)>& f) {
  const TestTensor& x = node.inputs[0];
  const auto result = RunNode(node, {});
  const auto slow = RunNode(node, {.reference_kernels = true});
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(slow.ok());
  EXPECT_EQ((*result)[0].bytes, (*slow)[0].bytes);
  const auto in = x.values<int8_t>(), out = (*result)[0].values<int8_t>();
  const Quantization& q = node.outputs[0].quantization;
  for (size_t i = 0; i < in.size(); ++i) {
    const double real =
        x.quantization.scales[0] *
        static_cast<double>(in[i] - x.quantization.zero_points[0]);
    const double want = std::clamp(
        f(real) / q.scales[0] + static_cast<double>(q.zero_points[0]), -128.0,
        127.0);
    EXPECT_NEAR(out[i], want, steps) << static_cast<int>(in[i]);
  }
}

TEST(QuantizedActivationTest, Relus_ClampAndRescale) {
  const std::vector<int8_t> x = {-128, -2, 0, 4, 26, 127};
  // Halves around -2 to quarters around -10.
  ExpectOutput<int8_t>(On8("RELU", x, 0.5f, -2, 0.25f, -10), {6},
                       {-10, -10, -6, 2, 46, 127});
  ExpectOutput<int8_t>(On8("RELU6", x, 0.5f, -2, 0.25f, -10), {6},
                       {-10, -10, -6, 2, 14, 14});
  ExpectOutput<int8_t>(On8("RELU_N1_TO_1", x, 0.5f, -2, 0.25f, -10), {6},
                       {-14, -10, -6, -6, -6, -6});
  ExpectOutput<int8_t>(On8("RELU_0_TO_1", x, 0.5f, -2, 0.25f, -10), {6},
                       {-10, -10, -6, -6, -6, -6});
  TestNode wide{.op = "RELU6",
                .inputs = {Int16s({4}, {-9, 3, 100, 32767}, 0.125f)},
                .outputs = {{ElementType::kInt16, {{0.0625f}, {0}}}}};
  ExpectOutput<int16_t>(wide, {4}, {0, 6, 96, 96});
}

TEST(QuantizedActivationTest, LeakyRelu_MatchesHandComputation) {
  TestNode node = On8("LEAKY_RELU", {-128, -8, 0, 9, 127}, 0.5f, 0, 0.25f, 1);
  node.attributes = Options({{"alpha", 0.25}});
  // -16, -1, 0, 4.5, 63.5 in quarters, plus 1.
  ExpectOutput<int8_t>(node, {5}, {-63, -3, 1, 19, 127});
  TestNode wide{.op = "LEAKY_RELU",
                .attributes = Options({{"alpha", 0.5}}),
                .inputs = {Int16s({3}, {-30000, -3, 30000}, 0.25f)},
                .outputs = {{ElementType::kInt16, {{0.25f}, {0}}}}};
  ExpectOutput<int16_t>(wide, {3}, {-15000, -1, 30000});
}

TEST(QuantizedActivationTest, Functions_UseATable) {
  const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  ExpectNear(On8("LOGISTIC", AllBytes(), 0.05f, 10, kBytes, -128), 0.5001,
             logistic);
  ExpectNear(On8("TANH", AllBytes(), 0.03f, -5, 1.0f / 128, 0), 0.5001,
             [](double x) { return std::tanh(x); });
  ExpectNear(On8("ELU", AllBytes(), 0.04f, 3, 0.03f, -80), 0.5001,
             [](double x) { return x < 0 ? std::expm1(x) : x; });
  ExpectNear(On8("GELU", AllBytes(), 0.04f, 3, 0.03f, -100), 0.5001,
             [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); });
  ExpectNear(On8("HARD_SWISH", AllBytes(), 0.06f, 3, 0.04f, -100), 1.5,
             [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
  // Scales so far apart that the input saturates on its way.
  ExpectNear(On8("HARD_SWISH", AllBytes(), 1.5f, -20, 1.2f, -120), 1.5,
             [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
}

TEST(QuantizedActivationTest, SigmoidsOfInt16_AreClose) {
  std::vector<int16_t> x;
  for (int i = -32768; i < 32768; i += 37) x.push_back(static_cast<int16_t>(i));
  const Shape shape{static_cast<int32_t>(x.size())};
  for (const bool is_tanh : {false, true}) {
    for (const float scale : {1.0f / 4096, 1.0f / 2048, 0.00031f, 0.002f}) {
      const TestNode node{
          .op = is_tanh ? "TANH" : "LOGISTIC",
          .inputs = {Int16s(shape, x, scale)},
          .outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}}};
      const auto result = RunNode(node, {.threads = 2});
      ASSERT_TRUE(result.ok()) << result.status().message();
      const auto out = (*result)[0].values<int16_t>();
      for (size_t i = 0; i < x.size(); ++i) {
        const double real = static_cast<double>(scale) * x[i];
        const double f =
            is_tanh ? std::tanh(real) : 1.0 / (1.0 + std::exp(-real));
        ASSERT_NEAR(out[i] / 32768.0, f, 4.0 / 32768) << x[i];
      }
    }
  }
}

// By way of float: 2 steps of 1/4 are 0.5, and so on.
TEST(QuantizedActivationTest, Int16_IsComputedInFloat) {
  const auto node = [](const char* op) {
    return TestNode{.op = op,
                    .inputs = {Int16s({5}, {-32768, -4, 0, 2, 400}, 0.25f)},
                    .outputs = {{ElementType::kInt16, {{0.001f}, {0}}}}};
  };
  // gelu(-1) = -0.158655, gelu(0.5) = 0.345731; hard_swish(-1) = -1/3,
  // hard_swish(0.5) = 0.291667; expm1(-1) = -0.632121.
  ExpectOutput<int16_t>(node("GELU"), {5}, {0, -159, 0, 346, 32767});
  ExpectOutput<int16_t>(node("HARD_SWISH"), {5}, {0, -333, 0, 292, 32767});
  ExpectOutput<int16_t>(node("ELU"), {5}, {-1000, -632, 0, 500, 32767});
  TestNode mixed = node("GELU");
  mixed.outputs[0].type = ElementType::kInt8;
  ExpectRefused(mixed, Code::kMalformed, "mixes");
  mixed = node("GELU");
  mixed.outputs[0].quantization = {};
  ExpectRefused(mixed, Code::kMalformed, "the output");
}

// So many that a table is made of the function.
TEST(QuantizedActivationTest, ManyInt16Values_MatchReference) {
  std::vector<int16_t> x;
  for (int i = 0; i < 70000; ++i)
    x.push_back(static_cast<int16_t>(static_cast<uint16_t>(i)));
  // A RELU between equal scales clamps, no more.
  for (const auto& [op, scale] : {std::pair{"RELU", 0.00031f},
                                  {"RELU", 1.0f / 32768},
                                  {"LOGISTIC", 0.00031f}}) {
    const TestNode node{
        .op = op,
        .inputs = {Int16s({70000}, x, scale)},
        .outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}}};
    const auto got = RunNode(node, {.threads = 2});
    const auto want = RunNode(node, {.reference_kernels = true});
    ASSERT_TRUE(got.ok() && want.ok());
    EXPECT_EQ((*got)[0].bytes, (*want)[0].bytes) << op;
  }
}

TEST(QuantizedActivationTest, InvalidNodes_AreRefused) {
  ExpectRefused(On8("LOGISTIC", {0}, 1, 0, 0.5f, 0), Code::kUnsupported,
                "1/256");
  ExpectRefused(On8("HARD_SWISH", {0}, 1, 0, 0.001f, 0), Code::kUnsupported,
                "1/128");
  const TestNode wide{.op = "HARD_SIGMOID",
                      .inputs = {Int16s({1}, {0}, 1)},
                      .outputs = {{ElementType::kInt16, {{1}, {0}}}}};
  ExpectRefused(wide, Code::kUnsupported, "int16");
  TestNode mixed = On8("RELU", {0}, 1, 0, 1, 0);
  mixed.outputs[0].type = ElementType::kUInt8;
  ExpectRefused(mixed, Code::kMalformed, "mixes");
}

}  // namespace
}  // namespace munja::ops
