#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Bitcast(TestTensor x, ElementType to) {
  return {.op = "BITCAST", .inputs = {std::move(x)}, .outputs = {{to}}};
}

TEST(BitcastTest, Bits_AreKeptFoldedAndUnfolded) {
  ExpectOutput<int32_t>(Bitcast(Floats({2}, {1, -2}), ElementType::kInt32), {2},
                        {0x3f800000, static_cast<int32_t>(0xc0000000)});
  ExpectOutput<uint16_t>(Bitcast(Floats({1}, {1}), ElementType::kUInt16),
                         {1, 2}, {0x0000, 0x3f80});
  ExpectOutput<int32_t>(Bitcast(MakeTensor<uint8_t>(ElementType::kUInt8, {2, 4},
                                                    {1, 0, 0, 0, 0, 1, 0, 0}),
                                ElementType::kInt32),
                        {2}, {1, 256});
}

TEST(BitcastTest, InvalidNodes_AreRefused) {
  ExpectRefused(
      Bitcast(MakeTensor<uint8_t>(ElementType::kUInt8, {3}, {1, 2, 3}),
              ElementType::kInt32),
      Code::kMalformed, "4 parts");
  ExpectRefused(Bitcast(MakeTensor<uint8_t>(ElementType::kUInt8, {}, {1}),
                        ElementType::kInt16),
                Code::kMalformed, "2 parts");
  ExpectRefused(Bitcast(Floats({1}, {1}), ElementType::kString),
                Code::kUnsupported, "string");
}

}  // namespace
}  // namespace munja::ops
