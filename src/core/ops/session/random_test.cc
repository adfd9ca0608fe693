#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/philox.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// The known answers that come with the paper's code.
TEST(PhiloxTest, KnownKeys_GiveKnownAnswers) {
  Philox zero(0, 0);
  EXPECT_THAT(zero.Next(),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  // The counter goes on.
  EXPECT_NE(zero.Next()[0], 0x6627e8d5u);
}

TestNode Random(const char* op, int32_t count, int64_t seed) {
  return {.op = op,
          .attributes = Options({{"seed", seed}, {"seed2", int64_t{7}}}),
          .inputs = {Ints({1}, {count}).Constant()}};
}

std::vector<float> Draw(const TestNode& node, TestHost& host) {
  TestOptions options;
  options.host = &host;
  const auto out = RunNode(node, options);
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out.ok() ? (*out)[0].values<float>() : std::vector<float>();
}

struct Moments {
  double mean = 0, variance = 0;
};
Moments MomentsOf(const std::vector<float>& values) {
  Moments m;
  for (const float f : values) m.mean += f;
  m.mean /= static_cast<double>(values.size());
  for (const float f : values) m.variance += (f - m.mean) * (f - m.mean);
  m.variance /= static_cast<double>(values.size());
  return m;
}

TEST(RandomTest, Uniform_FillsTheUnitInterval) {
  TestHost host;
  const std::vector<float> values =
      Draw(Random("RANDOM_UNIFORM", 10001, 1), host);
  ASSERT_EQ(values.size(), 10001u);
  EXPECT_THAT(values,
              Each(::testing::AllOf(::testing::Ge(0.0f), ::testing::Lt(1.0f))));
  EXPECT_NEAR(MomentsOf(values).mean, 0.5, 0.01);
  EXPECT_NEAR(MomentsOf(values).variance, 1.0 / 12, 0.005);
}

TEST(RandomTest, Normal_HasMeanAndDeviation) {
  TestHost host;
  const std::vector<float> values =
      Draw(Random("RANDOM_STANDARD_NORMAL", 10001, 1), host);
  EXPECT_NEAR(MomentsOf(values).mean, 0.0, 0.05);
  EXPECT_NEAR(MomentsOf(values).variance, 1.0, 0.05);
  double fourth = 0;
  for (const float f : values) fourth += std::pow(double{f}, 4);
  EXPECT_NEAR(fourth / 10001, 3.0, 0.3);
}

TEST(RandomTest, Seeds_DecideTheValues) {
  TestHost a, b, c;
  const auto once = Draw(Random("RANDOM_UNIFORM", 9, 1), a);
  EXPECT_EQ(once, Draw(Random("RANDOM_UNIFORM", 9, 1), b));
  EXPECT_NE(once, Draw(Random("RANDOM_UNIFORM", 9, 2), c));
  // No seeds: other numbers each time.
  TestNode free = Random("RANDOM_UNIFORM", 9, 0);
  free.attributes = {};
  TestHost d, e;
  EXPECT_NE(Draw(free, d), Draw(free, e));
}

TEST(RandomTest, Multinomial_FollowsTheProbabilities) {
  // Weights 1 : 3 : 0, and a row where one class is certain.
  const float none = -std::numeric_limits<float>::infinity();
  TestNode node{
      .op = "MULTINOMIAL",
      .attributes = Options({{"seed", int64_t{3}}}),
      .inputs = {Floats({2, 3}, {0, std::log(3.0f), none, -1e30f, 1e30f, 0}),
                 Ints({}, {8000}).Constant()},
      .outputs = {{ElementType::kInt32}}};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2, 8000}));
  const auto values = (*out)[0].values<int32_t>();
  const auto count = [&](int begin, int32_t value) {
    return std::count(values.begin() + begin, values.begin() + begin + 8000,
                      value);
  };
  EXPECT_NEAR(static_cast<double>(count(0, 0)), 2000, 150);
  EXPECT_EQ(count(0, 2), 0);
  EXPECT_EQ(count(8000, 1), 8000);

  node.inputs[0] = Floats({1, 2}, {none, none});
  ExpectRefused(node, Code::kInvalidArgument, "no class of row 0");
  node.inputs[0] = Floats({2, 0}, {});
  ExpectRefused(node, Code::kMalformed, "the input has shape 2x0");
  node.inputs[0] = Floats({1, 2}, {1, 2});
  node.inputs[1] = Ints({}, {-1}).Constant();
  ExpectRefused(node, Code::kMalformed, "would be -1");
}

TEST(RandomTest, InvalidNodes_AreRefused) {
  TestNode node = Random("RANDOM_UNIFORM", -1, 0);
  ExpectRefused(node, Code::kMalformed, "would be -1");
  node.inputs[0] = Ints({1}, {4});
  ExpectRefused(node, Code::kNeedsValues, "not known before the run");
  node.inputs[0] = Ints({}, {4}).Constant();
  ExpectRefused(node, Code::kMalformed, "no vector");
}

}  // namespace
}  // namespace munja::ops
