#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(ActivationOpTest, KnownInputs_GiveKnownValues) {
  const std::vector<float> x{-4, -1, -0.5f, 0, 0.5f, 1, 4, 7};
  const struct {
    const char* op;
    graph::Attributes attributes;
    std::vector<float> want;
  } cases[] = {
      {"RELU", {}, {0, 0, 0, 0, 0.5f, 1, 4, 7}},
      {"RELU6", {}, {0, 0, 0, 0, 0.5f, 1, 4, 6}},
      {"RELU_N1_TO_1", {}, {-1, -1, -0.5f, 0, 0.5f, 1, 1, 1}},
      {"RELU_0_TO_1", {}, {0, 0, 0, 0, 0.5f, 1, 1, 1}},
      {"LEAKY_RELU",
       Options({{"alpha", 0.25}}),
       {-1, -0.25f, -0.125f, 0, 0.5f, 1, 4, 7}},
      {"HARD_SIGMOID",
       Options({{"activation_alpha", 0.25}, {"activation_beta", 0.5}}),
       {0, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 1, 1}},
      {"HARD_SWISH",
       {},
       {0, -1.0f / 3, -0.5f * 2.5f / 6, 0, 0.5f * 3.5f / 6, 2.0f / 3, 4, 7}},
      {"LOGISTIC",
       {},
       {0.01798621f, 0.26894142f, 0.37754067f, 0.5f, 0.62245933f, 0.73105858f,
        0.98201379f, 0.99908895f}},
      {"TANH",
       {},
       {-0.99932930f, -0.76159416f, -0.46211716f, 0, 0.46211716f, 0.76159416f,
        0.99932930f, 0.99999834f}},
      {"ELU", {}, {-0.98168436f, -0.63212056f, -0.39346934f, 0, 0.5f, 1, 4, 7}},
      {"GELU",
       {},
       {-0.00012669f, -0.15865525f, -0.15426877f, 0, 0.34573123f, 0.84134475f,
        3.99987331f, 7}},
      {"GELU",
       Options({{"approximate", true}}),
       {-0.00007021f, -0.15880801f, -0.15428599f, 0, 0.34571401f, 0.84119199f,
        3.99992979f, 7}},
  };
  // 1e-7: the expected values are written with eight decimals.
  for (const auto& c : cases) {
    ExpectOutput<float>(
        {.op = c.op, .attributes = c.attributes, .inputs = {Floats({2, 4}, x)}},
        {2, 4}, c.want, 1e-7);
  }
}

TEST(ActivationOpTest, AnyNumberOfThreads_GivesTheSameBits) {
  const Shape map{1, 57, 61, 7};
  auto x = RandomFloats(static_cast<size_t>(map.elements()), 3);
  for (float& v : x) v *= 8.0f;
  // 2e-7: a few units in the last place of numbers up to 8.
  for (const char* op : {"HARD_SWISH", "LOGISTIC", "GELU", "TANH"})
    ExpectTwinsAgree({.op = op, .inputs = {Floats(map, x)}}, 2e-7);
}

TEST(ActivationOpTest, IntegersWithoutAScale_AreRefused) {
  ExpectRefused({.op = "RELU",
                 .inputs = {MakeTensor<uint8_t>(ElementType::kUInt8, {1}, {1})},
                 .outputs = {{ElementType::kUInt8}}},
                Code::kMalformed, "no scale");
}

}  // namespace
}  // namespace munja::ops
