#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/support/quantized/quantized_testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

TestNode Product(ElementType x, ElementType y, const Shape& x_shape,
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

TEST(QuantizedBatchMatMulTest, QuantizedValues_MatchFloat) {
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
        ExpectLikeFloat(Product(t.x, t.y, x, y, adj_x, adj_y));
        const Shape one = adj_y ? Shape{1, 35, 17} : Shape{1, 17, 35};
        ExpectLikeFloat(Product(t.x, t.y, x, one, adj_x, adj_y));
      }
    }
  }
}

TEST(QuantizedBatchMatMulTest, IntegersWithoutScale_MakeInt32) {
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.inputs = {StoreValues(kInt8, {1, 2}, {127, -128}).With(Scale(1.0f, 9)),
                 StoreValues(kInt8, {2, 2}, {100, 1, -100, 2})};
  node.outputs = {{kInt32, {}}};
  ExpectOutput<int32_t>(node, {1, 2}, {25500, -129});
}

// Rows in steps of 2 / 127 and 8 / 127: 64 -127 and 127 32.
TEST(QuantizedBatchMatMulTest, HybridRows_AreQuantized) {
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

TEST(QuantizedBatchMatMulTest, InvalidNodes_AreRefused) {
  TestNode node = Product(kInt8, kInt8, {2, 3}, {4, 2}, false, false);
  ExpectRefused(node, Code::kMalformed, "cannot be multiplied");
  node = Product(kInt8, kInt8, {2, 3}, {3, 2}, false, false);
  node.outputs[0].quantization = {};
  ExpectRefused(node, Code::kMalformed, "the output has no scale");
  node = Product(kInt8, kInt8, {2, 3}, {3, 2}, false, false);
  node.outputs[0].type = kInt16;
  ExpectRefused(node, Code::kUnsupported, "the output is int16");
  node = Product(kInt8, kInt16, {2, 3}, {3, 2}, false, false);
  ExpectRefused(node, Code::kUnsupported, "the right operand is int16");
}

}  // namespace
}  // namespace munja::ops
