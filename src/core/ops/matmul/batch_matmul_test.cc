#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/testing.h"

namespace munja::ops {
namespace {

// [1 2; 3 4] [5 6; 7 8]
TestNode SmallProduct() {
  TestNode node;
  node.op = "BATCH_MATMUL";
  node.inputs = {Floats({2, 2}, {1, 2, 3, 4}), Floats({2, 2}, {5, 6, 7, 8})};
  return node;
}

TEST(BatchMatMulOpTest, EveryTranspose_MatchesHandComputation) {
  for (const bool reference_kernels : {false, true}) {
    for (const bool constant : {false, true}) {
      TestNode node = SmallProduct();
      node.inputs[1].is_constant = constant;
      const auto run = [&](bool adj_x, bool adj_y) {
        node.attributes.Set("adj_x", adj_x);
        node.attributes.Set("adj_y", adj_y);
        const auto out =
            RunNode(node, {.reference_kernels = reference_kernels});
        EXPECT_TRUE(out.ok());
        return (*out)[0].values<float>();
      };
      EXPECT_EQ(run(false, false), (std::vector<float>{19, 22, 43, 50}));
      EXPECT_EQ(run(true, false), (std::vector<float>{26, 30, 38, 44}));
      EXPECT_EQ(run(false, true), (std::vector<float>{17, 23, 39, 53}));
      EXPECT_EQ(run(true, true), (std::vector<float>{23, 31, 34, 46}));
    }
  }
}

// x has batches [2, 1], y has [3]: all pairs, 1x1 matrices.
TEST(BatchMatMulOpTest, Batches_AreBroadcast) {
  TestNode node = SmallProduct();
  node.inputs = {Floats({2, 1, 1, 1}, {2, 3}), Floats({3, 1, 1}, {5, 7, 11})};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ((*out)[0].values<float>(),
            (std::vector<float>{10, 14, 22, 15, 21, 33}));
}

TEST(BatchMatMulOpTest, EmptyBatch_GivesNothing) {
  TestNode node = SmallProduct();
  node.inputs = {Floats({0, 2, 3}, {}), Floats({3, 4}, RandomFloats(12, 1))};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{0, 2, 4}));
}

TEST(BatchMatMulOpTest, AnyNumberOfThreads_MatchesReference) {
  for (const int32_t batches : {1, 5}) {
    TestNode node = SmallProduct();
    node.attributes.Set("adj_y", true);
    const size_t b = static_cast<size_t>(batches);
    node.inputs = {Floats({batches, 70, 33}, RandomFloats(b * 70 * 33, 1)),
                   Floats({batches, 90, 33}, RandomFloats(b * 90 * 33, 2))};
    const auto want = RunNode(node, {.reference_kernels = true});
    const auto one = RunNode(node), three = RunNode(node, {.threads = 3});
    ASSERT_TRUE(want.ok() && one.ok() && three.ok());
    EXPECT_EQ((*one)[0].bytes, (*three)[0].bytes);
    const auto a = (*one)[0].values<float>(), w = (*want)[0].values<float>();
    ASSERT_EQ(a.size(), w.size());
    // 33 terms of size at most 1: half an ulp of a partial sum each.
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], w[i], 33 * 33 * 1.2e-7) << i;
  }
}

TEST(BatchMatMulOpTest, InvalidNodes_AreRefused) {
  struct Row {
    const char* what;
    Code code;
    std::function<void(TestNode&)> change;
  };
  const Row rows[] = {
      {"int8 without a scale", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[1] = MakeTensor<int8_t>(ElementType::kInt8, {2, 2},
                                          std::vector<int8_t>(4));
       }},
      {"inner sizes that differ", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[1] = Floats({3, 1}, {1, 2, 3});
       }},
      {"a vector", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[1] = Floats({2}, {1, 2});
       }},
      {"batches that cannot be broadcast", Code::kMalformed,
       [](TestNode& n) {
         n.inputs = {Floats({2, 1, 1}, {1, 2}), Floats({3, 1, 1}, {1, 2, 3})};
       }},
      {"one input", Code::kMalformed, [](TestNode& n) { n.inputs.pop_back(); }},
  };
  for (const Row& row : rows) {
    TestNode node = SmallProduct();
    row.change(node);
    const auto out = RunNode(node);
    ASSERT_FALSE(out.ok()) << row.what;
    EXPECT_EQ(out.status().code(), row.code)
        << row.what << ": " << out.status().message();
  }
}

}  // namespace
}  // namespace munja::ops
