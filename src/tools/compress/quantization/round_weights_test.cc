#include "compress/quantization/round_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "compress/quantization/equalize.h"
#include "compress/testing.h"
#include "graph/rewrite/constants.h"

namespace munja::compress {
namespace {

using testing::Outputs;
using testing::Pictures;
using testing::RelativeError;
using testing::SmallNetwork;

const graph::Node& NodeNamed(const graph::Graph& g, const char* name) {
  for (const graph::Node& node : g.main().nodes)
    if (g.main().values[static_cast<size_t>(node.outputs[0])].name == name)
      return node;
  ADD_FAILURE() << name;
  return g.main().nodes[0];
}

TEST(RoundWeights, Nearest_OneScalePerOutput) {
  const graph::Graph g = SmallNetwork(0, 1);
  for (const char* name : {"stem", "depthwise"}) {
    SCOPED_TRACE(name);
    const graph::Node& node = NodeNamed(g, name);
    const auto layer = RoundWeights(g.main(), node, nullptr, {});
    ASSERT_TRUE(layer.ok());
    const auto weights = *graph::ReadFloats(g.main(), node.inputs[1]);
    ASSERT_EQ(layer->weights.size(), weights.size());
    ASSERT_EQ(layer->scales.size(), 16u);
    const bool is_last = layer->axis == 3;
    const size_t inner = weights.size() / 16;
    std::vector<int> peak(16);
    for (size_t i = 0; i < weights.size(); ++i) {
      const size_t c = is_last ? i % 16 : i / inner;
      EXPECT_NEAR(layer->weights[i] * layer->scales[c], weights[i],
                  0.501 * layer->scales[c]);
      peak[c] = std::max(peak[c], std::abs(layer->weights[i]));
    }
    for (const int p : peak) EXPECT_EQ(p, 127);
  }
}

// Inputs that go together: what one weight loses the other can make good.
TEST(RoundWeights, ErrorFeedback_LowersOutputError) {
  const graph::Graph g = SmallNetwork(0, 1);
  const auto samples = Pictures(8, 24, 1);
  const auto moments =
      CollectSecondMoments(g, samples, nullptr, 200, 1000, true);
  ASSERT_TRUE(moments.ok()) << moments.status().message();
  for (size_t n = 0; n < g.main().nodes.size(); ++n) {
    const graph::Node& node = g.main().nodes[n];
    if (node.op != "CONV_2D" || !(*moments)[n]) continue;
    const SecondMoments& m = *(*moments)[n];
    const auto weights = *graph::ReadFloats(g.main(), node.inputs[1]);
    // The expected square of the outputs' error, from the moments.
    const auto error = [&](const RoundedLayer& layer) {
      double sum = 0;
      for (size_t c = 0; c < layer.scales.size(); ++c) {
        std::vector<double> d(m.size);
        for (size_t i = 0; i < m.size; ++i)
          d[i] = weights[c * m.size + i] -
                 layer.weights[c * m.size + i] * double{layer.scales[c]};
        for (size_t i = 0; i < m.size; ++i)
          for (size_t k = 0; k < m.size; ++k)
            sum += d[i] * d[k] *
                   m.products[std::min(i, k) * m.size + std::max(i, k)];
      }
      return sum;
    };
    const auto nearest = RoundWeights(g.main(), node, &m, {false, false});
    const auto feedback = RoundWeights(g.main(), node, &m, {true, false});
    ASSERT_TRUE(nearest.ok() && feedback.ok());
    EXPECT_LE(error(*feedback), error(*nearest) * 1.001)
        << graph::Describe(g.main(), n);
  }
}

TEST(Equalize, Equalized_ComputesTheSame) {
  const graph::Graph g = SmallNetwork(0, 1);
  const auto samples = Pictures(4, 24, 1);
  const auto statistics = Collect(g, samples, nullptr, false);
  ASSERT_TRUE(statistics.ok()) << statistics.status().message();
  graph::Graph equalized = g;
  const auto report = Equalize(*statistics, &equalized);
  ASSERT_TRUE(report.ok());
  EXPECT_GE(report->groups, 1);
  EXPECT_GT(report->widest, 1.0);
  EXPECT_LE(RelativeError(Outputs(g, samples), Outputs(equalized, samples)),
            1e-9);
}

}  // namespace
}  // namespace munja::compress
