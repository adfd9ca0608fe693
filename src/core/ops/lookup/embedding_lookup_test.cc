#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(const std::vector<int32_t>& ids, TestTensor table,
                  ElementType out = ElementType::kFloat32) {
  TestNode node;
  node.op = "EMBEDDING_LOOKUP";
  node.inputs = {Ints(Shape{static_cast<int32_t>(ids.size())}, ids),
                 std::move(table)};
  node.outputs = {{out}};
  return node;
}

TEST(EmbeddingLookup, Rows_AreFoundByNumber) {
  ExpectOutput<float>(MakeNode({2, 0, 2}, Floats(Shape{3, 2, 1}, Count(6))),
                      Shape{3, 2, 1}, {4, 5, 0, 1, 4, 5});
  ExpectOutput<float>(MakeNode({}, Floats(Shape{3, 2}, Count(6))), Shape{0, 2},
                      {});
  ExpectOutput<int32_t>(
      MakeNode({1}, Ints(Shape{2, 2}, {1, 2, 3, 4}), ElementType::kInt32),
      Shape{1, 2}, {3, 4});
  ExpectOutput<int8_t>(
      MakeNode({1},
               MakeTensor<int8_t>(ElementType::kInt8, Shape{2, 2}, {1, 2, 3, 4})
                   .With({{0.5f}, {1}, 0}),
               ElementType::kInt8),
      Shape{1, 2}, {3, 4});
}

TEST(EmbeddingLookup, QuantizedTables_GiveFloats) {
  ExpectOutput<float>(
      MakeNode({1, 0}, MakeTensor<int8_t>(ElementType::kInt8, Shape{2, 2},
                                          {1, -2, 3, 4})
                           .With({{0.5f}, {1}, 0})),
      Shape{2, 2}, {1, 1.5f, 0, -1.5f});
  ExpectOutput<float>(
      MakeNode({1, 0}, MakeTensor<int8_t>(ElementType::kInt8, Shape{2, 2},
                                          {1, -2, 3, 4})
                           .With({{0.5f, 2.0f}, {0, 0}, 0})),
      Shape{2, 2}, {6, 8, 0.5f, -1});
  ExpectOutput<float>(MakeNode({0}, MakeTensor<uint8_t>(ElementType::kUInt8,
                                                        Shape{1, 2}, {130, 127})
                                        .With({{0.5f}, {128}, 0})),
                      Shape{1, 2}, {1, -0.5f});
}

// Rows of three: the second one begins in the middle of a byte.
TEST(EmbeddingLookup, Int4Tables_AreSupported) {
  ExpectOutput<float>(
      MakeNode({1, 0}, MakeTensor<uint8_t>(ElementType::kInt4, Shape{2, 3},
                                           {0x21, 0xF3, 0x87})
                           .With({{1.0f, 2.0f}, {0, 0}, 0})),
      Shape{2, 3}, {-2, 14, -16, 1, 2, 3});
}

TEST(EmbeddingLookup, InvalidNodes_AreRefused) {
  const TestTensor table = Floats(Shape{3, 2}, Count(6));
  ExpectRefused(MakeNode({3}, table), Code::kInvalidArgument, "index 3");
  ExpectRefused(MakeNode({-1}, table), Code::kInvalidArgument, "index -1");
  ExpectRefused(MakeNode({0}, Floats(Shape{}, {1})), Code::kMalformed,
                "shape scalar");
  TestNode bad = MakeNode({0}, table);
  bad.inputs[0].type = ElementType::kInt64;
  ExpectRefused(bad, Code::kUnsupported, "int64");
  bad = MakeNode({0}, MakeTensor<int8_t>(ElementType::kInt8, Shape{1, 1}, {1}));
  ExpectRefused(bad, Code::kMalformed, "no scale");
  bad.inputs[1].quantization = {{1, 1}, {0, 0}, 1};
  bad.inputs[1].shape = Shape{1, 2};
  ExpectRefused(bad, Code::kUnsupported, "along another axis");
  ExpectRefused(MakeNode({0}, table, ElementType::kInt8), Code::kUnsupported,
                "the table is float32");
}

}  // namespace
}  // namespace munja::ops
