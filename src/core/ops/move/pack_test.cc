#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Pack(int64_t axis, std::vector<TestTensor> inputs) {
  const ElementType type = inputs[0].type;
  return {.op = "PACK",
          .attributes = Options({{"axis", axis}}),
          .inputs = std::move(inputs),
          .outputs = {{type}}};
}

TestNode Unpack(int64_t axis, TestTensor x, size_t parts) {
  const ElementType type = x.type;
  return {.op = "UNPACK",
          .attributes = Options({{"axis", axis}}),
          .inputs = {std::move(x)},
          .outputs = std::vector<TestOutput>(parts, {type})};
}

TEST(PackTest, EachAxis_IsPacked) {
  const TestTensor a = Ints({2}, {1, 2}), b = Ints({2}, {3, 4});
  ExpectOutput<int32_t>(Pack(0, {a, b}), {2, 2}, {1, 2, 3, 4});
  ExpectOutput<int32_t>(Pack(-1, {a, b}), {2, 2}, {1, 3, 2, 4});
  // How converters put a shape together.
  ExpectOutput<int32_t>(Pack(0, {Ints({}, {7}), Ints({}, {8}), Ints({}, {9})}),
                        {3}, {7, 8, 9});
}

TEST(PackTest, Unpack_TakesTensorsApart) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectOutputs<float>(Unpack(0, x, 2), {{3}, {3}}, {{0, 1, 2}, {3, 4, 5}});
  ExpectOutputs<float>(Unpack(1, x, 3), {{2}, {2}, {2}},
                       {{0, 3}, {1, 4}, {2, 5}});
  ExpectOutputs<float>(Unpack(0, Floats({2}, {5, 6}), 2), {{}, {}}, {{5}, {6}});
}

TEST(PackTest, InvalidNodes_AreRefused) {
  ExpectRefused(Pack(0, {Ints({2}, {1, 2}), Ints({1}, {1})}), Code::kMalformed,
                "packs 2 and 1");
  ExpectRefused(Pack(2, {Ints({2}, {1, 2})}), Code::kMalformed, "axis 2");
  ExpectRefused(Unpack(0, Floats({2, 3}, Count(6)), 3), Code::kMalformed,
                "3 outputs");
}

}  // namespace
}  // namespace munja::ops
