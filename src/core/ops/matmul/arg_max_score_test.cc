#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Best(std::vector<TestTensor> inputs, int64_t classes, bool softmax) {
  return {.op = "ARG_MAX_WITH_SCORE",
          .attributes = Options({{"classes", classes}, {"softmax", softmax}}),
          .inputs = std::move(inputs),
          .outputs = {{ElementType::kFloat32}}};
}

TEST(ArgMaxScoreOpTest, EqualScores_FirstWins) {
  const TestTensor x = Floats({2, 1, 3}, {0.25f, 0.5f, 0.5f, -1, -2, -3});
  ExpectOutput<float>(Best({x}, 3, false), {2, 1, 2}, {1, 0.5f, 0, -1});
  ExpectOutput<float>(Best({Floats({0, 3}, {})}, 3, false), {0, 2}, {});
}

TEST(ArgMaxScoreOpTest, Softmax_GivesTheShare) {
  // exp(ln 6) of 6 + 1 + 1 is three quarters.
  const float ln6 = std::log(6.0f);
  ExpectOutput<float>(Best({Floats({1, 3}, {0, ln6, 0})}, 3, true), {1, 2},
                      {1, 0.75f}, 1e-6);
  ExpectOutput<float>(Best({Floats({1, 2}, {NAN, 1})}, 2, true), {1, 2},
                      {0, NAN});
}

TestNode Several(TestNode node, int64_t count) {
  node.attributes.Set("count", count);
  return node;
}

TEST(ArgMaxScoreOpTest, RunnersUp_ComeByFallingScore) {
  const float ln6 = std::log(6.0f);
  ExpectOutput<float>(
      Several(Best({Floats({1, 4}, {0, ln6, 0, -20})}, 4, true), 4), {1, 8},
      {1, 0.75f, 0, 0.125f, 2, 0.125f, 0, 0}, 1e-6);
  ExpectOutput<float>(
      Several(Best({Floats({2, 2}, {-1, -2, 3, 4})}, 2, false), 3), {2, 6},
      {0, -1, 1, -2, 0, 0, 1, 4, 0, 3, 0, 0});
  ExpectTwinsAgree(
      Several(Best({Floats({1, 40, 80}, RandomFloats(40 * 80, 1)),
                    Floats({6906, 80}, RandomFloats(6906 * 80, 2)).Constant(),
                    Floats({6906}, RandomFloats(6906, 3)).Constant()},
                   6906, true),
              5),
      3e-6);
}

TEST(ArgMaxScoreOpTest, Product_IsFused) {
  // Scores 1*1 + 2*1 = 3 and 1*2 + 2*0 + ln 3 - 2 + 3.
  const float bias = 1.0f + std::log(3.0f);
  const std::vector<float> w = {1, 1, 2, 0};
  for (const Shape& shape : {Shape{2, 2}, Shape{2, 1, 1, 2}}) {
    ExpectOutput<float>(
        Best({Floats({1, 1, 2}, {1, 2}), Floats(shape, w).Constant(),
              Floats({2}, {0, bias}).Constant()},
             2, true),
        {1, 1, 2}, {1, 0.75f}, 1e-6);
  }
  ExpectOutput<float>(
      Best({Floats({1, 2}, {1, 2}), Floats({2, 2}, w).Constant()}, 2, true),
      {1, 2}, {0, 1 / (1 + std::exp(-1.0f))}, 1e-6);
}

TEST(ArgMaxScoreOpTest, RecognizerHead_MatchesReference) {
  ExpectTwinsAgree(
      Best({Floats({1, 40, 80}, RandomFloats(40 * 80, 1)),
            Floats({6906, 80}, RandomFloats(6906 * 80, 2)).Constant(),
            Floats({6906}, RandomFloats(6906, 3)).Constant()},
           6906, true),
      3e-6);
}

TEST(ArgMaxScoreOpTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 2}, {1, 2, 3, 4});
  ExpectRefused(Best({x}, 3, true), Code::kMalformed, "no rows of 3");
  ExpectRefused(Best({Floats({}, {1})}, 1, true), Code::kMalformed, "no rows");
  ExpectRefused(Several(Best({x}, 2, true), 6), Code::kMalformed, "6 classes");
  ExpectRefused(Several(Best({x}, 2, true), 0), Code::kMalformed, "0 classes");
  ExpectRefused(Best({x}, 0, true), Code::kMalformed, "0 classes");
  ExpectRefused(Best({x}, int64_t{1} << 25, true), Code::kMalformed, "classes");
  const TestTensor w = Floats({3, 2}, std::vector<float>(6)).Constant();
  ExpectRefused(Best({x, w}, 3, false), Code::kUnsupported, "softmax");
  ExpectRefused(Best({x, w}, 2, true), Code::kMalformed, "weights have shape");
  ExpectRefused(Best({x, Floats({3, 2}, std::vector<float>(6))}, 3, true),
                Code::kUnsupported, "weights");
  ExpectRefused(Best({x, w, Floats({2}, {1, 2}).Constant()}, 3, true),
                Code::kMalformed, "");
  ExpectRefused(Best({Floats({1, 3}, {1, 2, 3}), w}, 3, true), Code::kMalformed,
                "no rows of 2");
}

}  // namespace
}  // namespace munja::ops
