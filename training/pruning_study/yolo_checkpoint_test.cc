#include "pruning_study/yolo_checkpoint.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>
#include <string>

#include "pruning_study/object_pictures.h"
#include "pruning_study/objects_kind.h"
#include "pruning_study/yolo_trainer.h"
#include "train/export_checkpoint.h"
#include "train/pruning_testing.h"

namespace munja::train {
namespace {

namespace fs = std::filesystem;

constexpr char kObjects[] = R"({"objects": {"network": {"width": 0.1},
  "training": {"steps": 2, "pictures": 2, "side": 64, "held_out": 2,
               "learning_rate": 0.001, "warmup_steps": 1}}})";
const CheckpointKind kKinds[] = {ObjectsKind()};

using YoloCheckpointTest = testing::PruningTest;

TEST_F(YoloCheckpointTest, Objects_ArePrunedRetrainedAndExported) {
  torch::manual_seed(1);
  YoloNet net(YoloTiny(1, 0.1));
  Write("objects", kObjects, *net);
  for (const char* criterion : {"l1", "bn", "clusters"}) {
    fs::remove(Path("small"));
    PruneJob job = Job(0.5);
    job.criterion = *compress::CriterionOf(criterion);
    const auto report = PruneCheckpoint(job, kKinds);
    ASSERT_TRUE(report.ok()) << criterion << report.status().message();
    EXPECT_LT(report->parameters, report->parameters_before / 2);
  }
  EXPECT_EQ(PruneCheckpoint(Job(0.5), kKinds).status().code(),
            Code::kInvalidArgument)
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
  const Status exported =
      ExportCheckpoint(Path("small"), Path("small.tflite"),
                       ExportOptions{.half = false}, kKinds);
  ASSERT_TRUE(exported.ok()) << exported.message();
  const auto precision = EvaluateObjectModel(Path("small.tflite"), 2);
  ASSERT_TRUE(precision.ok()) << precision.status().message();
  EXPECT_GE(*precision, 0);
  EXPECT_LE(*precision, 1);
}

// Two rounds leave as many filters as one, and the recipe says whom the smaller
// network learns from.
TEST_F(YoloCheckpointTest, Rounds_EndWherePruningAtOnceDoes) {
  torch::manual_seed(4);
  YoloNet objects(YoloTiny(1, 0.1));
  Write("objects", kObjects, *objects);
  std::string json;
  PruneInTwoRounds(kKinds, &json);
  const auto small = ParseYoloRecipe(json, "");
  ASSERT_TRUE(small.ok()) << small.status().message();
  EXPECT_EQ(small->network.Filters(),
            PrunedByLevel(YoloTiny(1, 0.1), 0.5)->Filters());
  EXPECT_EQ(small->distillation.teacher, "../whole");
  EXPECT_EQ(small->distillation.weight, 2);
}

// Levels of the layers' own, by weights.
TEST_F(YoloCheckpointTest, Budget_IsMetByLevelsOfTheLayersOwn) {
  torch::manual_seed(5);
  YoloNet objects(YoloTiny(1, 0.1));
  Write("objects", kObjects, *objects);
  PruneJob job = Job(0);
  job.budget.share = 0.6;
  const auto report = PruneCheckpoint(job, kKinds);
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
}

}  // namespace
}  // namespace munja::train
