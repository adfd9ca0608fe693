#include "train/prune_checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/export_checkpoint.h"
#include "train/nets/detector_net.h"
#include "train/nets/yolo_net.h"
#include "train/object_pictures.h"
#include "train/trained_module.h"
#include "train/training_loop.h"
#include "train/yolo_recipe.h"
#include "train/yolo_trainer.h"

namespace munja::train {
namespace {

namespace fs = std::filesystem;

constexpr char kObjects[] = R"({"objects": {"network": {"width": 0.1},
  "training": {"steps": 2, "pictures": 2, "side": 64, "held_out": 2,
               "learning_rate": 0.001, "warmup_steps": 1}}})";
constexpr char kDetector[] = R"({"detector": {"network": {
  "channels": [4, 8, 8, 10, 12], "blocks": [1, 1, 0, 0],
  "pyramid_channels": 8, "head_channels": 8},
  "training": {"steps": 2, "learning_rate": 0.002}}})";

class PruneCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  void Write(const char* kind, const char* recipe, torch::nn::Module& module) {
    Checkpoint checkpoint;
    checkpoint.kind = kind;
    checkpoint.recipe = recipe;
    checkpoint.recipe_path = "recipe.json";
    checkpoint.progress = {{"training", TrainingProgress().ToJson()}};
    TrainedModule trained(module, torch::kCPU);
    trained.Save(&checkpoint);
    ASSERT_TRUE(WriteCheckpoint(Path("whole"), checkpoint).ok());
  }
  PruneJob Job(double level) const {
    PruneJob job;
    job.checkpoint = Path("whole");
    job.out = Path("small");
    job.level = level;
    return job;
  }

  const std::string folder_ =
      ::testing::TempDir() + "/prune_checkpoint_" + std::to_string(getpid());
};

TEST_F(PruneCheckpointTest, ObjectsArePrunedRetrainedAndExported) {
  torch::manual_seed(1);
  YoloNet net(YoloTiny(1, 0.1));
  Write("objects", kObjects, *net);
  for (const char* criterion : {"l1", "bn", "clusters"}) {
    fs::remove(Path("small"));
    PruneJob job = Job(0.5);
    job.criterion = *compress::CriterionOf(criterion);
    const auto report = PruneCheckpoint(job);
    ASSERT_TRUE(report.ok()) << criterion << report.status().message();
    EXPECT_LT(report->parameters, report->parameters_before / 2);
  }
  EXPECT_EQ(PruneCheckpoint(Job(0.5)).status().code(), Code::kInvalidArgument)
      << "the file is there already";
  TrainOptions options;
  options.recipe = Path("small.json");
  options.checkpoint = Path("small");
  options.resume = true;
  options.threads = 1;
  const Status trained = TrainObjects(options);
  ASSERT_TRUE(trained.ok()) << trained.message();
  const auto checkpoint = ReadCheckpoint(Path("small"));
  ASSERT_TRUE(checkpoint.ok());
  const auto recipe = ParseYoloRecipe(checkpoint->recipe, "");
  ASSERT_TRUE(recipe.ok()) << recipe.status().message();
  EXPECT_EQ(recipe->network.Filters(),
            PrunedByLevel(YoloTiny(1, 0.1), 0.5)->Filters());
  EXPECT_FLOAT_EQ(recipe->schedule.learning_rate, 1e-4f);
  const Status exported = ExportCheckpoint(Path("small"), Path("small.tflite"),
                                           ExportOptions{.half = false});
  ASSERT_TRUE(exported.ok()) << exported.message();
  const auto precision = EvaluateObjectModel(Path("small.tflite"), 2);
  ASSERT_TRUE(precision.ok()) << precision.status().message();
  EXPECT_GE(*precision, 0);
  EXPECT_LE(*precision, 1);
}

// Level 0 changes no weights, so that both give the same map.
TEST_F(PruneCheckpointTest, LevelZeroOfADetectorIsIdentity) {
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
TEST_F(PruneCheckpointTest, RoundsEndWherePruningAtOnceDoes) {
  torch::manual_seed(4);
  YoloNet objects(YoloTiny(1, 0.1));
  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok());
  DetectorNet detector(recipe->network);
  for (const std::string kind : {"objects", "detector"}) {
    kind == "objects" ? Write("objects", kObjects, *objects)
                      : Write("detector", kDetector, *detector);
    for (const char* made : {"small", "round", "at_once"})
      fs::remove(Path(made));
    PruneJob job = Job(0.3);
    job.out = Path("round");
    ASSERT_TRUE(PruneCheckpoint(job).ok());
    job.checkpoint = Path("round");
    job.whole = Path("whole");
    job.out = Path("small");
    fs::create_directories(Path("recipes"));
    job.recipe = Path("recipes/small.json");
    job.level = 0.5;
    job.distillation = 2;
    const auto report = PruneCheckpoint(job);
    ASSERT_TRUE(report.ok()) << report.status().message();
    job = Job(0.5);
    job.out = Path("at_once");
    const auto at_once = PruneCheckpoint(job);
    ASSERT_TRUE(at_once.ok());
    EXPECT_EQ(report->parameters, at_once->parameters) << kind;
    EXPECT_LT(report->parameters_before, at_once->parameters_before) << kind;
    const auto text = ReadFile(Path("recipes/small.json"));
    ASSERT_TRUE(text.ok());
    const std::string json(text->begin(), text->end());
    Distillation distillation;
    if (kind == "objects") {
      const auto small = ParseYoloRecipe(json, "");
      ASSERT_TRUE(small.ok()) << small.status().message();
      EXPECT_EQ(small->network.Filters(),
                PrunedByLevel(YoloTiny(1, 0.1), 0.5)->Filters());
      distillation = small->distillation;
    } else {
      const auto small = ParseDetectorRecipe(json, "");
      ASSERT_TRUE(small.ok()) << small.status().message();
      EXPECT_EQ(small->network.channels, (std::vector<int>{2, 4, 4, 5, 6}));
      distillation = small->distillation;
    }
    EXPECT_EQ(distillation.teacher, "../whole");
    EXPECT_EQ(distillation.weight, 2);
    // The whole has to be one of the same kind.
    job = Job(0.6);
    job.whole = Path("none");
    job.out = Path("other");
    EXPECT_EQ(PruneCheckpoint(job).status().code(), Code::kNotFound);
  }
}

// Levels of the layers' own, by weights and by a profile in which one layer
// takes all the time: then no other is worth pruning.
TEST_F(PruneCheckpointTest, ABudgetIsMetByLevelsOfTheLayersOwn) {
  torch::manual_seed(5);
  YoloNet objects(YoloTiny(1, 0.1));
  Write("objects", kObjects, *objects);
  PruneJob job = Job(0);
  job.budget.share = 0.6;
  auto report = PruneCheckpoint(job);
  ASSERT_TRUE(report.ok()) << report.status().message();
  const auto before = static_cast<double>(report->parameters_before);
  // The estimate is exact for weights; biases come on top.
  EXPECT_LT(static_cast<double>(report->parameters), 0.65 * before);
  EXPECT_GT(static_cast<double>(report->parameters), 0.4 * before);
  std::set<double> shares;
  for (const compress::PrunedLayer& layer : report->layers)
    if (layer.filters > 8)
      shares.insert(static_cast<double>(layer.kept.size()) / layer.filters);
  EXPECT_GT(shares.size(), 2) << "one level for all";

  const auto recipe = ParseDetectorRecipe(kDetector, "");
  ASSERT_TRUE(recipe.ok());
  DetectorNet detector(recipe->network);
  for (const char* made : {"whole", "small"}) fs::remove(Path(made));
  Write("detector", kDetector, *detector);
  job.budget.share = 0.7;
  EXPECT_EQ(PruneCheckpoint(job).status().code(), Code::kInvalidArgument)
      << "no pictures";
  job.calibrate = MUNJA_SOURCE_DIR "/testdata/labels/pictures.jsonl";
  const std::string profile =
      R"({"nodes": [{"name": "smooth", "ms": 8}, {"name": "stem", "ms": 0}]})";
  ASSERT_TRUE(WriteFile(Path("profile"), profile).ok());
  job.budget.profile = Path("profile");
  report = PruneCheckpoint(job);
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
TEST_F(PruneCheckpointTest, ADetectorLosesChannelsEverywhere) {
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
