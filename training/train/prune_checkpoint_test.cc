#include "train/prune_checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/export_checkpoint.h"
#include "train/nets/detector_net.h"
#include "train/pruning_testing.h"
#include "train/trained_module.h"

namespace munja::train {
namespace {

constexpr char kDetector[] = R"({"detector": {"network": {
  "channels": [4, 8, 8, 10, 12], "blocks": [1, 1, 0, 0],
  "pyramid_channels": 8, "head_channels": 8},
  "training": {"steps": 2, "learning_rate": 0.002}}})";

using PruneCheckpointTest = testing::PruningTest;

// Level 0 changes no weights, so that both give the same map.
TEST_F(PruneCheckpointTest, LevelZero_IsIdentity) {
  torch::manual_seed(2);
  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok()) << recipe.status().message();
  DetectorNet net(recipe->network);
  Write("detector", kDetector, *net);
  ASSERT_TRUE(PruneCheckpoint(Job(0)).ok());
  const auto checkpoint = ReadCheckpoint(Path("small"));
  ASSERT_TRUE(checkpoint.ok());
  DetectorNet same(recipe->network);
  ASSERT_TRUE(LoadWeights(*same, *checkpoint, "weights/").ok());
  torch::NoGradGuard no_gradients;
  const torch::Tensor picture = torch::rand({1, 3, 64, 64}) * 2 - 1;
  const DetectorMaps a = net->forward(picture), b = same->forward(picture);
  EXPECT_LT((a.probability - b.probability).abs().max().item<double>(), 1e-5);
  EXPECT_LT((a.threshold - b.threshold).abs().max().item<double>(), 1e-5);
}

// Two rounds leave as many filters as one, and the recipe says whom the smaller
// network learns from.
TEST_F(PruneCheckpointTest, Rounds_EndWherePruningAtOnceDoes) {
  torch::manual_seed(4);
  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok());
  DetectorNet detector(recipe->network);
  Write("detector", kDetector, *detector);
  std::string json;
  PruneInTwoRounds({}, &json);
  const auto small = ParseDetectorRecipe(json, "");
  ASSERT_TRUE(small.ok()) << small.status().message();
  EXPECT_EQ(small->network.channels, (std::vector<int>{2, 4, 4, 5, 6}));
  EXPECT_EQ(small->distillation.teacher, "../whole");
  EXPECT_EQ(small->distillation.weight, 2);
}

// Levels of the layers' own by a profile in which one layer takes all the time:
// then no other is worth pruning.
TEST_F(PruneCheckpointTest, Budget_IsMetByLevelsOfTheLayersOwn) {
  torch::manual_seed(5);
  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok());
  DetectorNet detector(recipe->network);
  Write("detector", kDetector, *detector);
  PruneJob job = Job(0);
  job.budget.share = 0.7;
  EXPECT_EQ(PruneCheckpoint(job).status().code(), Code::kInvalidArgument)
      << "no pictures";
  job.calibrate = MUNJA_SOURCE_DIR "/testdata/labels/pictures.jsonl";
  const std::string profile =
      R"({"nodes": [{"name": "smooth", "ms": 8}, {"name": "stem", "ms": 0}]})";
  ASSERT_TRUE(WriteFile(Path("profile"), profile).ok());
  job.budget.profile = Path("profile");
  const auto report = PruneCheckpoint(job);
  ASSERT_TRUE(report.ok()) << report.status().message();
  int cut = 0;
  for (const compress::PrunedLayer& layer : report->layers) {
    if (static_cast<int>(layer.kept.size()) == layer.filters) continue;
    ++cut;
    EXPECT_TRUE(layer.name == "smooth" || layer.name.starts_with("lateral"))
        << layer.name;
  }
  EXPECT_GT(cut, 0);
}

// The exported smaller network is the pruned exported network: ExportCheckpoint
// compares itself with libtorch, so here both are compared.
TEST_F(PruneCheckpointTest, Detector_LosesChannelsEverywhere) {
  torch::manual_seed(3);
  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok());
  DetectorNet net(recipe->network);
  Write("detector", kDetector, *net);
  const auto report = PruneCheckpoint(Job(0.5));
  ASSERT_TRUE(report.ok()) << report.status().message();
  const auto checkpoint = ReadCheckpoint(Path("small"));
  ASSERT_TRUE(checkpoint.ok());
  const auto small = ParseDetectorRecipe(checkpoint->recipe, "");
  ASSERT_TRUE(small.ok()) << small.status().message();
  EXPECT_EQ(small->network.channels, (std::vector<int>{2, 4, 4, 5, 6}));
  EXPECT_EQ(small->network.pyramid_channels, 4);
  EXPECT_EQ(small->network.head_channels, 4);
  EXPECT_FLOAT_EQ(small->schedule.learning_rate, 2e-4f);
  const Status exported = ExportCheckpoint(Path("small"), Path("small.tflite"),
                                           ExportOptions{.half = false});
  EXPECT_TRUE(exported.ok()) << exported.message();
  PruneJob job = Job(1);
  job.out = Path("none");
  EXPECT_NE(PruneCheckpoint(job).status().message().find("layer 'stem'"),
            std::string_view::npos);
}

}  // namespace
}  // namespace munja::train
