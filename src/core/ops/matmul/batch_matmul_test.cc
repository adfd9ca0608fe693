#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/support/quantized/quantized_testing.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// [1 2; 3 4] [5 6; 7 8]
TestNode SmallProduct() {
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.inputs = {Floats({2, 2}, {1, 2, 3, 4}), Floats({2, 2}, {5, 6, 7, 8})};
  return node;
}

TEST(BatchMatMulOpTest, EveryTranspose_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    for (const bool constant : {false, true}) {
      TestNode node = SmallProduct();
      node.inputs[1].is_constant = constant;
      const auto run = [&](bool adj_x, bool adj_y) {
        node.attributes.Set("adj_x", adj_x);
        node.attributes.Set("adj_y", adj_y);
        const auto out =
            RunNode(node, {.reference_kernels = reference_kernels});
        EXPECT_TRUE(out.ok());
        return (*out)[0].values<float>();
      };
      EXPECT_EQ(run(false, false), (std::vector<float>{19, 22, 43, 50}));
      EXPECT_EQ(run(true, false), (std::vector<float>{26, 30, 38, 44}));
      EXPECT_EQ(run(false, true), (std::vector<float>{17, 23, 39, 53}));
      EXPECT_EQ(run(true, true), (std::vector<float>{23, 31, 34, 46}));
    }
  }
}

// x has batches [2, 1], y has [3]: all pairs, 1x1 matrices.
TEST(BatchMatMulOpTest, Batches_AreBroadcast) {
  TestNode node = SmallProduct();
  node.inputs = {Floats({2, 1, 1, 1}, {2, 3}), Floats({3, 1, 1}, {5, 7, 11})};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ((*out)[0].values<float>(),
            (std::vector<float>{10, 14, 22, 15, 21, 33}));
}

TEST(BatchMatMulOpTest, EmptyBatch_GivesNothing) {
  TestNode node = SmallProduct();
  node.inputs = {Floats({0, 2, 3}, {}), Floats({3, 4}, RandomFloats(12, 1))};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{0, 2, 4}));
}

TEST(BatchMatMulOpTest, InvalidNodes_AreRefused) {
  ExpectAllRefused(
      SmallProduct(),
      {{"int8 without a scale", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = MakeTensor<int8_t>(ElementType::kInt8, {2, 2},
                                           std::vector<int8_t>(4));
        }},
       {"inner sizes that differ", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = Floats({3, 1}, {1, 2, 3});
        }},
       {"a vector", Code::kMalformed,
        [](TestNode& n) {
          n.inputs[1] = Floats({2}, {1, 2});
        }},
       {"batches that cannot be broadcast", Code::kMalformed,
        [](TestNode& n) {
          n.inputs = {Floats({2, 1, 1}, {1, 2}), Floats({3, 1, 1}, {1, 2, 3})};
        }},
       {"one input", Code::kMalformed,
        [](TestNode& n) { n.inputs.pop_back(); }}});
}

TestNode IntProduct(ElementType x, ElementType y, const Shape& x_shape,
                    const Shape& y_shape, bool adj_x, bool adj_y) {
  const bool is_wide = x == kInt16;
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.attributes = Options({{"adj_x", adj_x}, {"adj_y", adj_y}});
  node.inputs = {
      RandomStored(x, x_shape, is_wide ? -32768 : -128, is_wide ? 32767 : 127,
                   1)
          .With(is_wide ? Scale(1.0f / 32768) : Scale(1.0f / 128, 5)),
      RandomStored(y, y_shape, y == kInt16 ? -32768 : -128,
                   y == kInt16 ? 32767 : 127, 2)
          .With(y == kInt16 ? Scale(1.0f / 32768)
                            : Scale(1.0f / 128, is_wide ? 0 : -3))};
  node.outputs = {{x, is_wide ? Scale(8.0f / 32768) : Scale(8.0f / 128, -11)}};
  return node;
}

TEST(BatchMatMulOpTest, QuantizedValues_MatchFloat) {
  struct Types {
    ElementType x, y;
  };
  for (const Types& t :
       {Types{kInt8, kInt8}, {kInt16, kInt16}, {kInt16, kInt8}}) {
    for (const bool adj_x : {false, true}) {
      for (const bool adj_y : {false, true}) {
        // Three pairs of a 5 x 17 and a 17 x 35 matrix; one y for all, too.
        const Shape x = adj_x ? Shape{3, 17, 5} : Shape{3, 5, 17};
        const Shape y = adj_y ? Shape{3, 35, 17} : Shape{3, 17, 35};
        ExpectLikeFloat(IntProduct(t.x, t.y, x, y, adj_x, adj_y));
        const Shape one = adj_y ? Shape{1, 35, 17} : Shape{1, 17, 35};
        ExpectLikeFloat(IntProduct(t.x, t.y, x, one, adj_x, adj_y));
      }
    }
  }
}

TEST(BatchMatMulOpTest, IntegersWithoutScale_MakeInt32) {
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.inputs = {StoreValues(kInt8, {1, 2}, {127, -128}).With(Scale(1.0f, 9)),
                 StoreValues(kInt8, {2, 2}, {100, 1, -100, 2})};
  node.outputs = {{kInt32, {}}};
  ExpectOutput<int32_t>(node, {1, 2}, {25500, -129});
}

// Rows in steps of 2 / 127 and 8 / 127: 64 -127 and 127 32.
TEST(BatchMatMulOpTest, HybridRows_AreQuantized) {
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.inputs = {Floats({2, 2}, {1, -2, 8, 2}),
                 StoreValues(kInt8, {2, 1}, {10, 1}).With(Scale(0.5f))};
  ExpectOutput<float>(node, {2, 1},
                      {static_cast<float>((640 - 127) * 2.0 / 127 * 0.5),
                       static_cast<float>((1270 + 32) * 8.0 / 127 * 0.5)},
                      1e-6);
  node.attributes = Options({{"adj_x", true}});
  node.inputs[0] = Floats({2, 2}, {1, 8, -2, 2});
  ExpectOutput<float>(node, {2, 1},
                      {static_cast<float>((640 - 127) * 2.0 / 127 * 0.5),
                       static_cast<float>((1270 + 32) * 8.0 / 127 * 0.5)},
                      1e-6);
}

TEST(BatchMatMulOpTest, InvalidIntNodes_AreRefused) {
  TestNode node = IntProduct(kInt8, kInt8, {2, 3}, {4, 2}, false, false);
  ExpectRefused(node, Code::kMalformed, "cannot be multiplied");
  node = IntProduct(kInt8, kInt8, {2, 3}, {3, 2}, false, false);
  node.outputs[0].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the output has no scale");
  node = IntProduct(kInt8, kInt8, {2, 3}, {3, 2}, false, false);
  node.outputs[0].type = kInt16;
  ExpectRefused(node, Code::kUnsupported, "the output is int16");
  node = IntProduct(kInt8, kInt16, {2, 3}, {3, 2}, false, false);
  ExpectRefused(node, Code::kUnsupported, "the right operand is int16");
}

}  // namespace
}  // namespace munja::ops
