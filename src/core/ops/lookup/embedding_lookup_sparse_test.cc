#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

// Entry 0 takes rows 1 and 3, entry 2 takes row 0; entry 1 nothing.
TestNode MakeNode(std::string combiner) {
  TestNode node;
  node.op = "EMBEDDING_LOOKUP_SPARSE";
  node.attributes = Options({{"combiner", std::move(combiner)}});
  node.inputs = {Ints(Shape{3}, {1, 3, 0}),
                 Ints(Shape{3, 2}, {0, 0, 0, 2, 2, 1}),
                 Ints(Shape{2}, {3, 4}).Constant(), Floats(Shape{3}, {1, 2, 4}),
                 Floats(Shape{4, 2}, {1, 2, 10, 20, 0, 0, 100, 300})};
  return node;
}

TEST(EmbeddingLookupSparse, EachCombiner_IsApplied) {
  ExpectOutput<float>(MakeNode("SUM"), Shape{3, 2}, {210, 620, 0, 0, 4, 8});
  ExpectOutput<float>(MakeNode("MEAN"), Shape{3, 2},
                      {70, 620.0f / 3, 0, 0, 1, 2}, 1e-6);
  const float root = std::sqrt(5.0f);
  ExpectOutput<float>(MakeNode("SQRTN"), Shape{3, 2},
                      {210 / root, 620 / root, 0, 0, 1, 2}, 1e-6);
}

TEST(EmbeddingLookupSparse, InvalidNodes_AreRefused) {
  TestNode bad = MakeNode("SUM");
  bad.inputs[0] = Ints(Shape{3}, {1, 4, 0});
  ExpectRefused(bad, Code::kInvalidArgument, "index 4");
  bad = MakeNode("SUM");
  bad.inputs[1] = Ints(Shape{3, 2}, {0, 0, 3, 2, 2, 1});
  ExpectRefused(bad, Code::kInvalidArgument, "index 3");
  bad = MakeNode("SUM");
  bad.inputs[2].is_constant = false;
  ExpectRefused(bad, Code::kNeedsValues, "not known");
  bad = MakeNode("SUM");
  bad.inputs[2] = Ints(Shape{2}, {-3, 4}).Constant();
  ExpectRefused(bad, Code::kMalformed, "");
  bad = MakeNode("SUM");
  bad.inputs[3] = Floats(Shape{2}, {1, 2});
  ExpectRefused(bad, Code::kMalformed, "do not go together");
  bad = MakeNode("SUM");
  bad.inputs[4].type = ElementType::kInt32;
  ExpectRefused(bad, Code::kUnsupported, "int32");
  ExpectRefused(MakeNode("MAX"), Code::kUnsupported, "combiner MAX");
}

}  // namespace
}  // namespace munja::ops
