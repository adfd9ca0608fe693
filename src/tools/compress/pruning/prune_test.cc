#include "compress/pruning/prune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compress/pruning/channels.h"
#include "compress/testing.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

using graph::Graph;
using graph::ValueId;
using testing::NetworkBuilder;
using testing::Outputs;
using testing::Pictures;
using testing::RelativeError;
using testing::SmallNetwork;

ValueId Find(const graph::Subgraph& g, const std::string& name) {
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].name == name) return static_cast<ValueId>(v);
  ADD_FAILURE() << "no value " << name;
  return 0;
}

int ChannelsOf(const Graph& graph, const std::string& name) {
  const graph::Subgraph& g = graph.main();
  return g.values[static_cast<size_t>(Find(g, name))].shape.back();
}

// Every other channel of each group is zero: weights and biases of all its
// filters and of the depthwise layers behind them.
Graph WithZeros(Graph graph) {
  graph::Subgraph& g = graph.main();
  const Channels channels = Channels::Find(g);
  std::vector<bool> is_zero(static_cast<size_t>(channels.count()), false);
  for (const ChannelGroup& group : channels.groups())
    for (size_t i = 1; i < group.channels.size(); i += 2)
      is_zero[static_cast<size_t>(group.channels[i])] = true;
  for (graph::Node& node : g.nodes) {
    const graph::LinearOp* linear = graph::FindFloatLinearOp(g, node);
    if (linear == nullptr) continue;
    const std::vector<int>& out = channels.Of(node.outputs[0]);
    for (const int operand : {linear->weights, linear->bias}) {
      ValueId& v = node.inputs[static_cast<size_t>(operand)];
      const Shape shape = g.values[static_cast<size_t>(v)].shape;
      std::vector<float> data = *graph::ReadFloats(g, v);
      const bool is_last =
          shape[shape.rank() - 1] == static_cast<int>(out.size()) &&
          (operand == linear->bias || linear->channel_axis == shape.rank() - 1);
      const size_t row = data.size() / out.size();
      for (size_t i = 0; i < data.size(); ++i)
        if (is_zero[static_cast<size_t>(
                out[is_last ? i % out.size() : i / row])])
          data[i] = 0;
      v = graph::AddFloats(g, g.values[static_cast<size_t>(v)].name, shape,
                           data);
    }
  }
  return graph;
}

// Pruning at half keeps what is not zero, so nothing changes.
void ExpectZerosGoUnseen(const Graph& plain, int side = 12) {
  const Graph graph = WithZeros(plain);
  PruneOptions options;
  options.level = 0.5;
  for (const Criterion criterion : {Criterion::kL1, Criterion::kL2}) {
    options.criterion = criterion;
    const auto pruned = Prune(graph, {}, options);
    ASSERT_TRUE(pruned.ok()) << pruned.status().message();
    EXPECT_LT(pruned->report.parameters, pruned->report.parameters_before);
    const auto samples = Pictures(2, side, 3);
    const auto before = Outputs(graph, samples);
    const auto after = Outputs(pruned->graph, samples);
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(before[i].size(), after[i].size());
    EXPECT_LT(RelativeError(before, after), 1e-9) << NameOf(criterion);
  }
}

// Convolution, depthwise, gate, residual, concatenation, head.
TEST(Prune, ZeroedFilters_AreRemovedWithoutEffect) {
  ExpectZerosGoUnseen(SmallNetwork(/*classes=*/0, 1));
  ExpectZerosGoUnseen(SmallNetwork(/*classes=*/5, 2));
}

TEST(Prune, AddedOrGatedChannels_GoTogether) {
  const Graph graph = SmallNetwork(0, 1);
  PruneOptions options;
  options.level = 0.7;
  const auto pruned = Prune(graph, {}, options);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  // stem (behind it the depthwise layer), gate and project: one group of 16.
  for (const char* name : {"stem", "depthwise", "gate", "project", "sum"})
    EXPECT_EQ(ChannelsOf(pruned->graph, name), 4) << name;
  EXPECT_EQ(ChannelsOf(pruned->graph, "squeeze"), 2);
  EXPECT_EQ(ChannelsOf(pruned->graph, "expand"), 9);
  EXPECT_EQ(ChannelsOf(pruned->graph, "both"), 8);
  EXPECT_EQ(pruned->report.groups, 3);
  std::vector<std::vector<int>> kept;
  for (const PrunedLayer& layer : pruned->report.layers)
    if (layer.name == "stem" || layer.name == "gate" || layer.name == "project")
      kept.push_back(layer.kept);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0], kept[1]);
  EXPECT_EQ(kept[0], kept[2]);
}

TEST(Prune, LevelZero_IsIdentity) {
  const Graph graph = SmallNetwork(0, 1);
  for (const char* name : {"l1", "random", "clusters"}) {
    PruneOptions options;
    options.criterion = *CriterionOf(name);
    const auto pruned = Prune(graph, {}, options);
    ASSERT_TRUE(pruned.ok());
    EXPECT_EQ(ToText(pruned->graph), ToText(graph));
    const auto samples = Pictures(1, 12, 3);
    EXPECT_EQ(Outputs(pruned->graph, samples), Outputs(graph, samples));
    EXPECT_EQ(pruned->report.parameters, pruned->report.parameters_before);
  }
}

TEST(Prune, LevelLeavingNothing_NamesTheLayer) {
  PruneOptions options;
  options.level = 1;
  const auto pruned = Prune(SmallNetwork(0, 1), {}, options);
  ASSERT_EQ(pruned.status().code(), Code::kInvalidArgument);
  EXPECT_NE(pruned.status().message().find("'stem'"), std::string_view::npos);
  options.level = 0;
  options.levels["expand"] = 1;
  EXPECT_NE(Prune(SmallNetwork(0, 1), {}, options)
                .status()
                .message()
                .find("'expand'"),
            std::string_view::npos);
  options.levels = {{"no_layer", 0.5}};
  EXPECT_NE(Prune(SmallNetwork(0, 1), {}, options)
                .status()
                .message()
                .find("'no_layer'"),
            std::string_view::npos);
}

// 16 channels: 11 and then 4 are what is left at 0.3 and 0.7 of the whole.
TEST(Prune, LaterRounds_CountFromTheWhole) {
  const Graph whole = SmallNetwork(0, 1);
  PruneOptions options;
  options.level = 0.3;
  const auto first = Prune(whole, {}, options);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(ChannelsOf(first->graph, "stem"), 11);
  const auto levels = LevelsCountedFrom(whole, first->graph, 0.7);
  ASSERT_TRUE(levels.ok()) << levels.status().message();
  options.level = 0;
  options.levels = *levels;
  const auto second = Prune(first->graph, {}, options);
  ASSERT_TRUE(second.ok()) << second.status().message();
  options.levels.clear();
  options.level = 0.7;
  const auto at_once = Prune(whole, {}, options);
  ASSERT_TRUE(at_once.ok());
  for (const char* name : {"stem", "squeeze", "expand", "both", "sum"})
    EXPECT_EQ(ChannelsOf(second->graph, name), ChannelsOf(at_once->graph, name))
        << name;
  EXPECT_EQ(second->report.parameters, at_once->report.parameters);
  // More than is there cannot be left.
  const auto too_many = LevelsCountedFrom(whole, second->graph, 0.3);
  EXPECT_EQ(too_many.status().code(), Code::kInvalidArgument);
  EXPECT_NE(too_many.status().message().find("'stem'"), std::string_view::npos);
  EXPECT_NE(LevelsCountedFrom(whole, first->graph, 1)
                .status()
                .message()
                .find("'stem'"),
            std::string_view::npos);
}

TEST(Prune, EveryLevel_Runs) {
  const Graph graph = SmallNetwork(3, 4);
  const auto samples = Pictures(1, 12, 3);
  for (const double level : {0.1, 0.5, 0.9, 0.99}) {
    PruneOptions options;
    options.level = level;
    options.criterion = Criterion::kGeometricMedian;
    const auto pruned = Prune(graph, {}, options);
    ASSERT_TRUE(pruned.ok()) << pruned.status().message();
    EXPECT_EQ(Outputs(pruned->graph, samples).size(), 1u);
  }
}

TEST(Prune, SingleLayerLevels_AreApplied) {
  PruneOptions options;
  options.levels = {{"expand", 0.75}};
  const auto pruned = Prune(SmallNetwork(0, 1), {}, options);
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(ChannelsOf(pruned->graph, "expand"), 8);
  EXPECT_EQ(ChannelsOf(pruned->graph, "stem"), 16);
}

TEST(Prune, TransposedConvolutionAndDepthToSpace_ArePruned) {
  NetworkBuilder b(5);
  const ValueId x = b.Tensor("pictures", {1, 12, 12, 3});
  b.main().inputs = {x};
  const ValueId fine = b.Conv(x, 3, 8, 3, "fine", "RELU");
  const auto pooled = [&](ValueId from) {
    graph::Node& pool = b.Add("MAX_POOL_2D", {from}, "pooled", {1, 6, 6, 8});
    NetworkBuilder::Window(&pool, "NONE");
    pool.attributes.Set("filter_height", int64_t{2});
    pool.attributes.Set("filter_width", int64_t{2});
    pool.attributes.Set("stride_h", int64_t{2});
    pool.attributes.Set("stride_w", int64_t{2});
    return b.Last();
  };
  const ValueId coarse = b.Conv(pooled(fine), 8, 10, 3, "coarse", "RELU");
  const ValueId size = b.Constant<int32_t>({2}, ElementType::kInt32, {12, 12});
  b.Add("RESIZE_NEAREST_NEIGHBOR", {coarse, size}, "up", {1, 12, 12, 10});
  const ValueId up = b.Last();
  // Weights out, height, width, in.
  graph::Node& transposed =
      b.Add("TRANSPOSE_CONV",
            {b.Constant<int32_t>({4}, ElementType::kInt32, {1, 12, 12, 6}),
             b.Random({6, 2, 2, 10}, 0.3f), coarse, b.Random({6}, 0.3f)},
            "wide", {1, 12, 12, 6});
  NetworkBuilder::Window(&transposed, "NONE");
  transposed.attributes.Set("stride_h", int64_t{2});
  transposed.attributes.Set("stride_w", int64_t{2});
  transposed.version = 3;
  const ValueId wide = b.Last();
  graph::Node& both =
      b.Add("CONCATENATION", {fine, up, wide}, "all", {1, 12, 12, 24});
  both.attributes.Set("axis", int64_t{-1});
  both.attributes.Set("fused_activation_function", std::string("NONE"));
  ValueId y = b.Conv(b.Last(), 24, 8, 1, "pixels", "RELU");
  b.Add("DEPTH_TO_SPACE", {y}, "map", {1, 24, 24, 2})
      .attributes.Set("block_size", int64_t{2});
  y = b.Conv(b.Last(), 2, 4, 1, "head");
  b.main().outputs = {y};
  const Graph graph = b.Take();
  ExpectZerosGoUnseen(graph);

  PruneOptions options;
  options.level = 0.5;
  const auto pruned = Prune(graph, {}, options);
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(ChannelsOf(pruned->graph, "all"), 4 + 5 + 3);
  EXPECT_EQ(ChannelsOf(pruned->graph, "wide"), 3);
  // The four pixels of a channel of the map are one.
  EXPECT_EQ(ChannelsOf(pruned->graph, "pixels"), 4);
  EXPECT_EQ(ChannelsOf(pruned->graph, "map"), 1);
  EXPECT_EQ(ChannelsOf(pruned->graph, "head"), 4);
}

TEST(Prune, FullyConnectedOverMaps_IsPruned) {
  NetworkBuilder b(6);
  const ValueId x = b.Tensor("pictures", {1, 4, 4, 3});
  b.main().inputs = {x};
  const ValueId maps = b.Conv(x, 3, 6, 3, "maps", "RELU");
  b.Add("RESHAPE",
        {maps, b.Constant<int32_t>({2}, ElementType::kInt32, {1, 96})}, "flat",
        {1, 96});
  const ValueId flat = b.Last();
  b.Add("FULLY_CONNECTED", {flat, b.Random({8, 96}, 0.2f), b.Random({8}, 0.2f)},
        "hidden", {1, 8})
      .attributes.Set("fused_activation_function", std::string("RELU"));
  const ValueId hidden = b.Last();
  b.Add("FULLY_CONNECTED",
        {hidden, b.Random({3, 8}, 0.2f), b.Random({3}, 0.2f)}, "scores", {1, 3})
      .attributes.Set("fused_activation_function", std::string("NONE"));
  b.main().outputs = {b.Last()};
  const Graph graph = b.Take();
  ExpectZerosGoUnseen(graph, /*side=*/4);
  PruneOptions options;
  options.level = 0.5;
  const auto pruned = Prune(graph, {}, options);
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(ChannelsOf(pruned->graph, "flat"), 48);
  EXPECT_EQ(ChannelsOf(pruned->graph, "hidden"), 4);
  EXPECT_EQ(ChannelsOf(pruned->graph, "scores"), 3);
}

TEST(Prune, UnknownOperatorInput_IsKept) {
  NetworkBuilder b(7);
  const ValueId x = b.Tensor("pictures", {1, 8, 8, 3});
  b.main().inputs = {x};
  const ValueId a = b.Conv(x, 3, 8, 1, "free", "RELU");
  const ValueId c = b.Conv(a, 8, 8, 1, "normalized");
  b.Add("L2_NORMALIZATION", {c}, "normal", {1, 8, 8, 8})
      .attributes.Set("fused_activation_function", std::string("NONE"));
  b.main().outputs = {b.Conv(b.Last(), 8, 4, 1, "out")};
  PruneOptions options;
  options.level = 0.5;
  const auto pruned = Prune(b.Take(), {}, options);
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(ChannelsOf(pruned->graph, "free"), 4);
  EXPECT_EQ(ChannelsOf(pruned->graph, "normalized"), 8);
}

// "maps", with N filters, and "out", which reads them.
Graph TwoConvolutions(int filters) {
  NetworkBuilder b(8);
  const ValueId x = b.Tensor("pictures", {1, 8, 8, 3});
  b.main().inputs = {x};
  const ValueId maps = b.Conv(x, 3, filters, 3, "maps");
  b.main().outputs = {b.Conv(maps, filters, 2, 1, "out")};
  return b.Take();
}

TEST(Prune, KeptFilters_AreAMultiple) {
  const auto channels = [](int multiple, double level) {
    PruneOptions options;
    options.level = level;
    options.multiple = multiple;
    const auto pruned = Prune(TwoConvolutions(22), {}, options);
    EXPECT_TRUE(pruned.ok());
    return ChannelsOf(pruned->graph, "maps");
  };
  EXPECT_EQ(channels(1, 0.4), 13);
  EXPECT_EQ(channels(8, 0.4), 8);
  EXPECT_EQ(channels(8, 0.9), 8);
  EXPECT_EQ(channels(8, 0), 22);
}

TEST(Prune, BatchNorm_ScoresItsConvolution) {
  NetworkBuilder b(8);
  const ValueId x = b.Tensor("pictures", {1, 8, 8, 3});
  b.main().inputs = {x};
  const ValueId y = b.Conv(x, 3, 4, 3, "maps");
  b.Add("MUL",
        {y, b.Constant<float>({4}, ElementType::kFloat32,
                              {0.5f, -3.0f, 0.1f, 1.0f})},
        "scaled", {1, 8, 8, 4})
      .attributes.Set("fused_activation_function", std::string("NONE"));
  const ValueId scaled = b.Last();
  b.Add("ADD", {scaled, b.Random({4}, 0.2f)}, "shifted", {1, 8, 8, 4})
      .attributes.Set("fused_activation_function", std::string("RELU"));
  b.main().outputs = {b.Conv(b.Last(), 4, 2, 1, "out")};
  PruneOptions options;
  options.level = 0.5;
  options.criterion = Criterion::kBatchNorm;
  const auto pruned = Prune(b.Take(), {}, options);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  EXPECT_EQ(pruned->report.layers[0].kept, (std::vector<int>{1, 3}));
  EXPECT_EQ(Outputs(pruned->graph, Pictures(1, 8, 1)).size(), 1u);
  EXPECT_EQ(Prune(SmallNetwork(0, 1), {}, options).status().code(),
            Code::kUnsupported);
}

TEST(Prune, FoldedNormFactors_AreGiven) {
  PruneOptions options;
  options.level = 0.5;
  options.criterion = Criterion::kBatchNorm;
  options.factors = {{"maps", {-4, 1, 2, -3}}};
  const Graph graph = TwoConvolutions(4);
  const auto pruned = Prune(graph, {}, options);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  ASSERT_EQ(pruned->report.layers.size(), 2u);
  EXPECT_EQ(pruned->report.layers[0].kept, (std::vector<int>{0, 3}));
  EXPECT_EQ(pruned->report.layers[0].kept_inputs, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(pruned->report.layers[1].kept, (std::vector<int>{0, 1}));
  EXPECT_EQ(pruned->report.layers[1].kept_inputs, (std::vector<int>{0, 3}));
  options.factors = {{"others", {1, 2, 3, 4}}};
  EXPECT_EQ(Prune(graph, {}, options).status().code(), Code::kInvalidArgument);
}

// Filters 0 and 1 answer to the first color, 2 and 3 to the second; of each
// pair the second answers more. Boxes hold stripes of both colors.
TEST(Prune, EachCluster_KeepsOne) {
  NetworkBuilder b(9);
  const ValueId x = b.Tensor("pictures", {1, 8, 8, 3});
  b.main().inputs = {x};
  graph::Node& node =
      b.Add("CONV_2D",
            {x,
             b.Constant<float>({4, 1, 1, 3}, ElementType::kFloat32,
                               {1, 0, 0, 1.1f, 0, 0, 0, 4, 0, 0, 4.2f, 0}),
             b.Constant<float>({4}, ElementType::kFloat32, {0, 0, 0, 0})},
            "maps", {1, 8, 8, 4});
  NetworkBuilder::Window(&node, "NONE");
  b.main().outputs = {b.Conv(b.Last(), 4, 2, 1, "out")};
  const Graph graph = b.Take();
  BoxedSample sample;
  sample.boxes = {{0.25, 0.25, 0.75, 0.75}};
  CalibrationTensor tensor;
  tensor.shape = {1, 8, 8, 3};
  for (int i = 0; i < 64; ++i)
    for (int c = 0; c < 3; ++c)
      tensor.values.push_back((i + c) % 2 == 0 ? 1.0f : 0.0f);
  sample.sample = {tensor};
  PruneOptions options;
  options.level = 0.5;
  options.criterion = Criterion::kClusters;
  const auto pruned = Prune(graph, std::span(&sample, 1), options);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  EXPECT_EQ(pruned->report.layers[0].kept, (std::vector<int>{1, 3}));
  EXPECT_EQ(Prune(graph, {}, options).status().code(), Code::kInvalidArgument);
}

TEST(BoxStatistics, InsideAndOutside_ByHand) {
  NetworkBuilder b(10);
  const ValueId x = b.Tensor("pictures", {1, 2, 4, 1});
  b.main().inputs = {x};
  b.Add("RELU", {x}, "out", {1, 2, 4, 1});
  b.main().outputs = {b.Last()};
  BoxedSample sample;
  // The left half.
  sample.boxes = {{0, 0, 0.5, 1}};
  sample.sample = {{{1, 2, 4, 1}, {1, 3, 10, 10, 5, 7, 10, 14}}};
  const ValueId map = b.Last();
  const auto points =
      MeasureBoxes(b.Take(), std::span(&map, 1), std::span(&sample, 1), {});
  ASSERT_TRUE(points.ok()) << points.status().message();
  const MapPoint& point = (*points)[0][0];
  EXPECT_DOUBLE_EQ(point[0], 4);  // 1 3 5 7
  EXPECT_DOUBLE_EQ(point[1], 5);
  EXPECT_DOUBLE_EQ(point[2], 11);  // 10 10 10 14
  EXPECT_DOUBLE_EQ(point[3], 3);
}

TEST(FilterChoice, Centers_AsPublishedOrKept) {
  EXPECT_EQ(CenterCount(Centers::kRatio, 32, 0.5), 2);
  EXPECT_EQ(CenterCount(Centers::kRatio, 32, 0.6), 3);
  EXPECT_EQ(CenterCount(Centers::kRatio, 32, 0.7), 4);
  EXPECT_EQ(CenterCount(Centers::kRatio, 32, 0.8), 5);
  EXPECT_EQ(CenterCount(Centers::kRatio, 32, 0.9), 10);
  EXPECT_EQ(CenterCount(Centers::kKept, 32, 0.7), 9);
}

TEST(FilterChoice, Order_BestOfEachClusterFirst) {
  // Two heaps by the mean; the variance inside is the second number.
  const std::vector<MapPoint> points = {{0, 1, 0, 0},  {0, 3, 0, 0},
                                        {90, 2, 0, 0}, {90, 9, 0, 0},
                                        {90, 8, 0, 0}, {0, 2, 0, 0}};
  EXPECT_EQ(ChooseByClusters(points, 2, 1, 1), (std::vector<int>{3}));
  EXPECT_EQ(ChooseByClusters(points, 2, 2, 1), (std::vector<int>{1, 3}));
  EXPECT_EQ(ChooseByClusters(points, 2, 4, 1), (std::vector<int>{1, 3, 4, 5}));
}

TEST(FilterChoice, CriterionNames_AreParsed) {
  for (const char* name :
       {"clusters", "l1", "l2", "geometric-median", "bn", "random"})
    EXPECT_STREQ(NameOf(*CriterionOf(name)), name);
  EXPECT_EQ(CriterionOf("best").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::compress
