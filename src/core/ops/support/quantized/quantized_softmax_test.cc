#include "ops/support/quantized/quantized_softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

std::vector<double> Softmax(const std::vector<double>& x, bool is_log) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - top);
  std::vector<double> y;
  for (const double v : x) {
    y.push_back(is_log ? v - top - std::log(sum) : std::exp(v - top) / sum);
  }
  return y;
}

// `beta` is what the node says, or what it stands for when it says nothing.
template <class In, class Out>
void ExpectNear(const TestNode& node, double steps, bool is_log,
                double beta = 1.0) {
  for (const bool in_place : {false, true}) {
    const auto result = RunNode(node, {.threads = 2, .in_place = in_place});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const auto in = node.inputs[0].values<In>();
    const auto out = (*result)[0].template values<Out>();
    const auto cols = static_cast<size_t>(node.inputs[0].shape.back());
    const Quantization& q = node.outputs[0].quantization;
    for (size_t r = 0; r < in.size() / cols; ++r) {
      std::vector<double> x;
      for (size_t c = 0; c < cols; ++c)
        x.push_back(beta * node.inputs[0].quantization.scales[0] *
                    static_cast<double>(in[r * cols + c]));
      const std::vector<double> want = Softmax(x, is_log);
      for (size_t c = 0; c < cols; ++c) {
        const double stored = std::clamp<double>(
            want[c] / q.scales[0] + static_cast<double>(q.zero_points[0]),
            std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
        ASSERT_NEAR(out[r * cols + c], stored, steps) << r << ", " << c;
      }
    }
  }
}

const std::vector<int8_t> kRows = {-128, 0,  127, 126, -1, 5,
                                   7,    -9, 10,  10,  10, 10};

TEST(QuantizedSoftmaxTest, Int8_GivesProbabilities) {
  TestNode node{.op = "SOFTMAX",
                .inputs = {Int8s({2, 6}, kRows, 0.1f, 4)},
                .outputs = {{ElementType::kInt8, {{1.0f / 256}, {-128}}}}};
  ExpectNear<int8_t, int8_t>(node, 0.501, false);
  node.outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}};
  ExpectNear<int8_t, int16_t>(node, 0.51, false);
  node.outputs = {{ElementType::kInt16, {{1.0f / 65536}, {-32768}}}};
  ExpectNear<int8_t, int16_t>(node, 0.51, false);
  std::vector<uint8_t> unsigned_rows;
  for (const int8_t v : kRows)
    unsigned_rows.push_back(static_cast<uint8_t>(v + 128));
  node.inputs = {UInt8s({3, 4}, unsigned_rows, 0.05f, 0)};
  node.outputs = {{ElementType::kUInt8, {{1.0f / 256}, {0}}}};
  ExpectNear<uint8_t, uint8_t>(node, 0.501, false);
}

TEST(QuantizedSoftmaxTest, Int8_GivesLogarithms) {
  const TestNode node{
      .op = "LOG_SOFTMAX",
      .inputs = {Int8s({2, 6}, kRows, 0.07f, 0)},
      .outputs = {{ElementType::kInt8, {{16.0f / 256}, {127}}}}};
  ExpectNear<int8_t, int8_t>(node, 0.501, true);
}

TEST(QuantizedSoftmaxTest, Int16_GivesProbabilities) {
  const TestNode node{
      .op = "SOFTMAX",
      .inputs = {Int16s(
          {3, 4}, {0, 1000, -32768, 32767, 5, 5, 5, 5, -100, 700, 3000, 2900},
          0.001f)},
      .outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}}};
  ExpectNear<int16_t, int16_t>(node, 8, false);
}

TEST(QuantizedSoftmaxTest, BetaOfEveryType_IsApplied) {
  for (const double beta : {0.0, 0.25, 1.0, 3.0}) {
    TestNode node{.op = "SOFTMAX",
                  .attributes = Options({{"beta", beta}}),
                  .inputs = {Int8s({2, 6}, kRows, 0.02f, 4)},
                  .outputs = {{ElementType::kInt8, {{1.0f / 256}, {-128}}}}};
    ExpectNear<int8_t, int8_t>(node, 0.501, false, beta);
    node.inputs = {Int16s({2, 3}, {0, 1000, -2000, 900, 5, 800}, 0.001f)};
    node.outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}};
    ExpectNear<int16_t, int16_t>(node, 8, false, beta);
  }
}

TEST(QuantizedSoftmaxTest, InvalidNodes_AreRefused) {
  TestNode node{.op = "SOFTMAX",
                .inputs = {Int8s({2, 6}, kRows, 0.1f, 4)},
                .outputs = {{ElementType::kInt8, {{1.0f / 256}, {0}}}}};
  ExpectRefused(node, Code::kUnsupported, "zero point");
  node.outputs = {{ElementType::kUInt8, {{1.0f / 256}, {0}}}};
  ExpectRefused(node, Code::kUnsupported, "to uint8");
  node.op = "LOG_SOFTMAX";
  node.inputs = {Int16s({1, 2}, {1, 2}, 1)};
  node.outputs = {{ElementType::kInt16, {{1.0f / 32768}, {0}}}};
  ExpectRefused(node, Code::kUnsupported, "int16");
}

}  // namespace
}  // namespace munja::ops
