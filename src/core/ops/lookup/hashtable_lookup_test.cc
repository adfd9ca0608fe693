#include <gtest/gtest.h>

#include <string_view>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(TestTensor values, ElementType type) {
  TestNode node;
  node.op = "HASHTABLE_LOOKUP";
  node.inputs = {Ints(Shape{4}, {1234, -292, -11, 0}),
                 Ints(Shape{3}, {-11, 0, 1234}), std::move(values)};
  node.outputs = {{type}, {ElementType::kUInt8}};
  return node;
}

TEST(HashtableLookup, Rows_AreFoundByKey) {
  const TestNode node =
      MakeNode(Floats(Shape{3, 2}, Count(6)), ElementType::kFloat32);
  const auto result = RunNode(node);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ((*result)[0].shape, (Shape{4, 2}));
  EXPECT_EQ((*result)[0].values<float>(),
            (std::vector<float>{4, 5, 0, 0, 0, 1, 2, 3}));
  EXPECT_EQ((*result)[1].bytes, (std::vector<uint8_t>{1, 0, 1, 1}));
}

TEST(HashtableLookup, Strings_AreFoundByKey) {
  const auto result =
      RunNode(MakeNode(Strings({"a", "bc", "def"}), ElementType::kString));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ((*result)[0].bytes, Strings({"def", "", "a", "bc"}).bytes);
  EXPECT_EQ((*result)[1].bytes, (std::vector<uint8_t>{1, 0, 1, 1}));
}

TEST(HashtableLookup, InvalidNodes_AreRefused) {
  TestNode bad = MakeNode(Floats(Shape{2, 2}, Count(4)), ElementType::kFloat32);
  ExpectRefused(bad, Code::kMalformed, "do not go together");
  bad = MakeNode(Floats(Shape{3}, Count(3)), ElementType::kInt32);
  ExpectRefused(bad, Code::kMalformed, "mixes");
  bad = MakeNode(Floats(Shape{3}, Count(3)), ElementType::kFloat32);
  bad.inputs[1].type = ElementType::kFloat32;
  ExpectRefused(bad, Code::kUnsupported, "a key is float32");
  bad = MakeNode(Floats(Shape{3}, Count(3)), ElementType::kFloat32);
  bad.outputs[1].type = ElementType::kInt32;
  ExpectRefused(bad, Code::kUnsupported, "the hits");
}

}  // namespace
}  // namespace munja::ops
