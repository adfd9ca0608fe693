// A folder with a checkpoint that tests prune.
#ifndef MUNJA_TRAIN_PRUNING_TESTING_H_
#define MUNJA_TRAIN_PRUNING_TESTING_H_

#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <filesystem>
#include <span>
#include <string>

#include "base/file.h"
#include "train/checkpoint.h"
#include "train/prune_checkpoint.h"
#include "train/trained_module.h"
#include "train/training_loop.h"

namespace munja::train::testing {

class PruningTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

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

  // By 0.3 and then to 0.5 of the whole, which leaves as much as 0.5 at once;
  // `recipe` is that of the second round, which the whole one teaches.
  void PruneInTwoRounds(std::span<const CheckpointKind> kinds,
                        std::string* recipe) {
    PruneJob job = Job(0.3);
    job.out = Path("round");
    ASSERT_TRUE(PruneCheckpoint(job, kinds).ok());
    job.checkpoint = Path("round");
    job.whole = Path("whole");
    job.out = Path("small");
    std::filesystem::create_directories(Path("recipes"));
    job.recipe = Path("recipes/small.json");
    job.level = 0.5;
    job.distillation = 2;
    const auto report = PruneCheckpoint(job, kinds);
    ASSERT_TRUE(report.ok()) << report.status().message();
    job = Job(0.5);
    job.out = Path("at_once");
    const auto at_once = PruneCheckpoint(job, kinds);
    ASSERT_TRUE(at_once.ok());
    EXPECT_EQ(report->parameters, at_once->parameters);
    EXPECT_LT(report->parameters_before, at_once->parameters_before);
    const auto text = ReadFile(Path("recipes/small.json"));
    ASSERT_TRUE(text.ok());
    recipe->assign(text->begin(), text->end());
    // The whole has to be one of the same kind.
    job = Job(0.6);
    job.whole = Path("none");
    job.out = Path("other");
    EXPECT_EQ(PruneCheckpoint(job, kinds).status().code(), Code::kNotFound);
  }

  const std::string folder_ =
      ::testing::TempDir() + "/prune_checkpoint_" + std::to_string(getpid());
};

}  // namespace munja::train::testing

#endif  // MUNJA_TRAIN_PRUNING_TESTING_H_
