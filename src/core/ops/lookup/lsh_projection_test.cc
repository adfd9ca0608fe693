#include <gtest/gtest.h>

#include <cstring>

#include "kernels/lookup/farm_fingerprint.h"
#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(std::string type, bool has_weights) {
  TestNode node;
  node.op = "LSH_PROJECTION";
  node.attributes = Options({{"type", std::move(type)}});
  node.inputs = {Floats(Shape{2, 3}, {0.1f, 0.9f, -0.3f, 0.4f, 0.8f, 0.05f}),
                 Ints(Shape{3, 2}, {5, 6, 7, 8, 9, 10})};
  if (has_weights) node.inputs.push_back(Floats(Shape{3}, {0.3f, -1.0f, 2.0f}));
  node.outputs = {{ElementType::kInt32}};
  return node;
}

// Bits of the hash functions, one after the other.
std::vector<int32_t> Bits(const TestNode& node) {
  std::vector<int32_t> bits;
  const auto items = node.inputs[1].values<int32_t>();
  for (const float seed : node.inputs[0].values<float>()) {
    double sum = 0.0;
    for (size_t i = 0; i < 3; ++i) {
      uint8_t key[12];
      std::memcpy(key, &seed, 4);
      std::memcpy(key + 4, &items[2 * i], 8);
      const auto hash = static_cast<double>(
          static_cast<int64_t>(kernels::FarmFingerprint64(key, 12)));
      sum += node.inputs.size() > 2 ? node.inputs[2].values<float>()[i] * hash
                                    : hash;
    }
    bits.push_back(sum > 0.0);
  }
  return bits;
}

TEST(LshProjection, Dense_GivesBits) {
  for (const bool has_weights : {false, true}) {
    const TestNode node = MakeNode("DENSE", has_weights);
    ExpectOutput<int32_t>(node, Shape{6}, Bits(node));
  }
}

TEST(LshProjection, Sparse_GivesAValuePerHash) {
  const TestNode node = MakeNode("SPARSE", true);
  const std::vector<int32_t> b = Bits(node);
  ExpectOutput<int32_t>(
      node, Shape{2},
      {b[0] * 4 + b[1] * 2 + b[2], b[3] * 4 + b[4] * 2 + b[5] + 8});
}

TEST(LshProjection, InvalidNodes_AreRefused) {
  ExpectRefused(MakeNode("UNKNOWN", true), Code::kUnsupported, "UNKNOWN");
  TestNode bad = MakeNode("DENSE", true);
  bad.inputs[2] = Floats(Shape{2}, {1, 2});
  ExpectRefused(bad, Code::kMalformed, "the weights have shape 2");
  bad = MakeNode("SPARSE", false);
  bad.inputs[0] = Floats(Shape{1, 33}, Count(33));
  ExpectRefused(bad, Code::kMalformed, "hash functions of shape 1x33");
}

}  // namespace
}  // namespace munja::ops
