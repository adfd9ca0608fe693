#include "pruning_study/yolo_net.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <utility>

#include "runtime/session.h"
#include "train/nets/testing.h"

namespace munja::train {
namespace {

using testing::LargestDifference;
using testing::RandomizeNormalization;
using testing::RandomPictures;

YoloNet SmallNet() {
  torch::manual_seed(3);
  YoloNet net(YoloTiny(1, 0.1));
  RandomizeNormalization(*net);
  net->eval();
  return net;
}

torch::Tensor RunMap(graph::Graph graph, int output,
                     const torch::Tensor& picture) {
  graph.signatures.clear();
  graph.main().outputs = {graph.main().outputs[static_cast<size_t>(output)]};
  auto session = testing::MakeSession(std::move(graph));
  EXPECT_TRUE(session.ok());
  auto map = testing::RunPicture(**session, picture);
  EXPECT_TRUE(map.ok());
  return *map;
}

TEST(YoloNet, Parameters_AreThoseCounted) {
  torch::NoGradGuard no_gradients;
  const YoloLayers layers = YoloTiny(1, 0.25);
  const YoloNet net(layers);
  int64_t count = 0, norms = 0;
  for (const auto& item : net->named_parameters()) {
    count += item.value().numel();
    if (item.key().find("norm.weight") != std::string::npos)
      norms += item.value().numel();
  }
  // Scale and shift become one bias.
  EXPECT_EQ(count - norms, CountParameters(layers));
}

TEST(YoloNet, Export_GivesTheSameValues) {
  torch::NoGradGuard no_gradients;
  YoloNet net = SmallNet();
  const torch::Tensor picture = RandomPictures(1, 64, 64);
  const auto graph = ExportYolo(net, 64);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto logits = net->forward(picture);
  for (int l = 0; l < kYoloLevels; ++l) {
    const torch::Tensor expected =
        torch::sigmoid(logits[static_cast<size_t>(l)]).permute({0, 2, 3, 1});
    EXPECT_EQ(expected.size(1), 64 >> (3 + l));
    EXPECT_LT(LargestDifference(RunMap(*graph, l, picture).reshape({-1}),
                                expected.reshape({-1})),
              1e-4);
  }
}

// The smaller network gives the same as the graph without these channels.
TEST(YoloNet, Cut_IsWhatThePrunedGraphComputes) {
  torch::NoGradGuard no_gradients;
  YoloNet net = SmallNet();
  const auto graph = ExportYolo(net, 64);
  ASSERT_TRUE(graph.ok());
  compress::PruneOptions options;
  options.level = 0.5;
  const auto pruned = compress::Prune(*graph, {}, options);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  const auto layers = PrunedByLevel(net->layers(), 0.5);
  ASSERT_TRUE(layers.ok());
  YoloNet small(*layers);
  const Status status = CutYolo(net, pruned->report.layers, small);
  ASSERT_TRUE(status.ok()) << status.message();
  small->eval();
  const torch::Tensor picture = RandomPictures(1, 64, 64);
  const auto logits = small->forward(picture);
  for (int l = 0; l < kYoloLevels; ++l)
    EXPECT_LT(LargestDifference(RunMap(pruned->graph, l, picture).reshape({-1}),
                                torch::sigmoid(logits[static_cast<size_t>(l)])
                                    .permute({0, 2, 3, 1})
                                    .reshape({-1})),
              1e-4);
  YoloNet wrong(YoloTiny(1, 0.1));
  EXPECT_EQ(CutYolo(net, pruned->report.layers, wrong).code(), Code::kInternal);
}

}  // namespace
}  // namespace munja::train
