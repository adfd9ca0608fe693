#include "compress/pruning/global_levels.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compress/testing.h"

namespace munja::compress {
namespace {

using graph::Graph;
using graph::ValueId;
using testing::NetworkBuilder;
using testing::Outputs;
using testing::Pictures;
using testing::RelativeError;
using testing::SmallNetwork;

std::vector<BoxedSample> Boxed(const std::vector<Sample>& samples) {
  std::vector<BoxedSample> boxed;
  for (const Sample& sample : samples) boxed.push_back({sample, {}});
  return boxed;
}

// Two layers side by side with the same weights; what comes of the second is
// multiplied by next to nothing.
Graph Uneven() {
  NetworkBuilder b(1);
  const ValueId x = b.Tensor("pictures", {1, 8, 8, 3});
  b.main().inputs = {x};
  const ValueId loud = b.Conv(x, 3, 16, 3, "loud");
  const ValueId y = b.Conv(x, 3, 16, 3, "quiet");
  b.Add("MUL", {y, b.Constant<float>({1}, ElementType::kFloat32, {0.001f})},
        "hushed", {1, 8, 8, 16})
      .attributes.Set("fused_activation_function", std::string("NONE"));
  graph::Node& both =
      b.Add("CONCATENATION", {loud, b.Last()}, "both", {1, 8, 8, 32});
  both.attributes.Set("axis", int64_t{3});
  both.attributes.Set("fused_activation_function", std::string("NONE"));
  b.main().outputs = {b.Conv(b.Last(), 32, 4, 1, "out")};
  return b.Take();
}

TEST(GlobalLevels, LeastSensitive_GoesFirst) {
  const Graph graph = Uneven();
  const auto samples = Boxed(Pictures(2, 8, 1));
  const auto sensitivities = MeasureSensitivity(graph, samples, {});
  ASSERT_TRUE(sensitivities.ok()) << sensitivities.status().message();
  ASSERT_EQ(sensitivities->size(), 2u);
  EXPECT_EQ((*sensitivities)[0].layers, (std::vector<std::string>{"loud"}));
  EXPECT_GT((*sensitivities)[0].errors[3], 100 * (*sensitivities)[1].errors[3]);
  const auto costs = WeightCounts(graph);
  ASSERT_TRUE(costs.ok());
  EXPECT_EQ(costs->at("loud"), 3 * 3 * 3 * 16);
  EXPECT_EQ(costs->at("out"), 32 * 4);
  double whole = 0;
  for (const auto& [name, cost] : *costs) whole += cost;
  const auto levels =
      FindGlobalLevels(graph, *sensitivities, *costs, 0.6 * whole);
  ASSERT_TRUE(levels.ok()) << levels.status().message();
  EXPECT_LE(levels->cost, 0.6 * whole);
  EXPECT_TRUE(levels->levels.contains("quiet"));
  EXPECT_FALSE(levels->levels.contains("loud"));
}

// At the same number of weights less is lost than with one level for all.
TEST(GlobalLevels, SameCost_BeatsOneLevel) {
  const Graph graph = Uneven();
  const auto pictures = Pictures(2, 8, 1);
  const auto samples = Boxed(pictures);
  const auto sensitivities = MeasureSensitivity(graph, samples, {});
  ASSERT_TRUE(sensitivities.ok());
  PruneOptions one;
  one.level = 0.375;
  const auto even = Prune(graph, {}, one);
  ASSERT_TRUE(even.ok());
  const auto left = WeightCounts(even->graph);
  ASSERT_TRUE(left.ok());
  double budget = 0;
  for (const auto& [name, cost] : *left) budget += cost;
  const auto levels =
      FindGlobalLevels(graph, *sensitivities, *WeightCounts(graph), budget);
  ASSERT_TRUE(levels.ok()) << levels.status().message();
  PruneOptions own;
  own.levels = levels->levels;
  const auto uneven = Prune(graph, {}, own);
  ASSERT_TRUE(uneven.ok());
  EXPECT_LE(uneven->report.parameters, even->report.parameters + 16);
  const auto whole = Outputs(graph, pictures);
  EXPECT_LT(RelativeError(whole, Outputs(uneven->graph, pictures)),
            RelativeError(whole, Outputs(even->graph, pictures)));
}

// The estimate is exact for weights.
TEST(GlobalLevels, Estimate_CountsWeights) {
  const Graph graph = SmallNetwork(0, 1);
  const auto samples = Boxed(Pictures(1, 12, 1));
  const auto sensitivities = MeasureSensitivity(graph, samples, {});
  ASSERT_TRUE(sensitivities.ok()) << sensitivities.status().message();
  const auto costs = WeightCounts(graph);
  ASSERT_TRUE(costs.ok());
  double whole = 0;
  for (const auto& [name, cost] : *costs) whole += cost;
  const auto levels =
      FindGlobalLevels(graph, *sensitivities, *costs, whole / 2);
  ASSERT_TRUE(levels.ok()) << levels.status().message();
  PruneOptions options;
  options.levels = levels->levels;
  const auto pruned = Prune(graph, {}, options);
  ASSERT_TRUE(pruned.ok());
  const auto left = WeightCounts(pruned->graph);
  ASSERT_TRUE(left.ok());
  double counted = 0;
  for (const auto& [name, cost] : *left) counted += cost;
  EXPECT_NEAR(counted, levels->cost, 1e-6 * whole);
}

TEST(GlobalLevels, UnreachableBudget_NamesALayer) {
  const Graph graph = Uneven();
  const auto sensitivities =
      MeasureSensitivity(graph, Boxed(Pictures(1, 8, 1)), {});
  ASSERT_TRUE(sensitivities.ok());
  const auto levels =
      FindGlobalLevels(graph, *sensitivities, {{"loud", 5.0}}, 0.01);
  ASSERT_EQ(levels.status().code(), Code::kInvalidArgument);
  EXPECT_NE(levels.status().message().find("'loud'"), std::string_view::npos);
  EXPECT_EQ(MeasureSensitivity(graph, {}, {}).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::compress
