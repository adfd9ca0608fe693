#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "pruning_study/yolo_checkpoint.h"
#include "pruning_study/yolo_loss.h"
#include "pruning_study/yolo_trainer.h"
#include "train/distillation_loss.h"
#include "train/trained_module.h"
#include "train/training_loop.h"

namespace munja::train {
namespace {

namespace fs = std::filesystem;

TEST(ObjectDistillation, EqualMaps_HaveNothingToLearn) {
  torch::manual_seed(1);
  const torch::Tensor map = torch::randn({2, 18, 4, 4}) * 5;
  EXPECT_EQ(
      ObjectDistillationLoss({map, map, map}, {map, map, map}, 1).item<float>(),
      0);
}

// The same error in a box costs where the teacher sees an object, and there
// only.
TEST(ObjectDistillation, Boxes_CountWhereTheTeacherSeesAnObject) {
  const auto loss = [](double objectness, int field) {
    torch::Tensor teacher = torch::zeros({1, 18, 2, 2});
    teacher.view({1, 3, 6, 2, 2}).select(2, 4).fill_(objectness);
    torch::Tensor logits = teacher.clone();
    logits.view({1, 3, 6, 2, 2}).select(2, field) += 1;
    return ObjectDistillationLoss({logits, logits, logits},
                                  {teacher, teacher, teacher}, 1)
        .item<double>();
  };
  const double one =
      SoftTargetDivergence(torch::ones({1}), torch::zeros({1})).item<double>();
  EXPECT_NEAR(loss(0, 2), one / 2, 1e-5);
  EXPECT_NEAR(loss(50, 2), one, 1e-5);
  EXPECT_NEAR(loss(-50, 2), 0, 1e-5);
  EXPECT_NEAR(loss(0, 4), one, 1e-5);
}

TEST(ObjectDistillation, Recipe_NamesTheTeacher) {
  const auto recipe = [](const std::string& member) {
    return ParseYoloRecipe(
        R"({"objects": {"training": {"steps": 1)" + member + "}}}", "r.json");
  };
  EXPECT_FALSE(recipe("")->distillation.is_on());
  const auto taught =
      recipe(R"(, "distillation": {"teacher": "whole", "weight": 2.5})");
  ASSERT_TRUE(taught.ok()) << taught.status().message();
  EXPECT_EQ(taught->distillation.teacher, "whole");
  EXPECT_EQ(taught->distillation.weight, 2.5f);
  const auto wrong = recipe(R"(, "distillation": {"teacher": "a", "wait": 1})");
  EXPECT_NE(wrong.status().message().find("objects.training.distillation.wait"),
            std::string_view::npos)
      << wrong.status().message();
}

class DistilledTraining : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ + "/teachers"); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string Recipe(const std::string& member) {
    return R"({"objects": {"network": {"width": 0.1}, "training": {
        "steps": 30, "pictures": 2, "side": 64, "held_out": 1,
        "learning_rate": 0.03, "warmup_steps": 1, "average": 0.5)" +
           member + "}}}";
  }

  // Trains by the recipe with this member; the averaged network.
  Result<TrainedYolo> Train(const std::string& name,
                            const std::string& member) {
    TrainOptions options;
    options.recipe = folder_ + "/" + name + ".json";
    options.checkpoint = folder_ + "/" + name;
    options.threads = 1;
    MUNJA_RETURN_IF_ERROR(WriteFile(options.recipe, Recipe(member)));
    MUNJA_RETURN_IF_ERROR(TrainObjects(options));
    MUNJA_ASSIGN_OR_RETURN(const Checkpoint made,
                           ReadCheckpoint(options.checkpoint));
    return YoloOf(made);
  }

  void WriteTeacher(const char* kind, YoloNet& net) {
    Checkpoint checkpoint;
    checkpoint.kind = kind;
    checkpoint.recipe = Recipe("");
    checkpoint.progress = {{"training", TrainingProgress().ToJson()}};
    TrainedModule trained(*net, torch::kCPU);
    trained.Save(&checkpoint);
    ASSERT_TRUE(WriteCheckpoint(folder_ + "/teachers/whole", checkpoint).ok());
  }

  const std::string folder_ =
      ::testing::TempDir() + "/distillation_" + std::to_string(getpid());
};

// A teacher that sees objects everywhere, which no label says.
TEST_F(DistilledTraining, Teacher_DrawsTheNetworkTowardsIt) {
  torch::manual_seed(1);
  YoloNet teacher(YoloTiny(1, 0.1));
  {
    const torch::NoGradGuard no_gradients;
    for (YoloHead& head : teacher->heads) head->conv->bias.fill_(4);
  }
  WriteTeacher("objects", teacher);
  auto alone = Train("alone", "");
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  // Beside the recipe.
  auto taught = Train(
      "taught",
      R"(, "distillation": {"teacher": "teachers/whole", "weight": 100})");
  ASSERT_TRUE(taught.ok()) << taught.status().message();
  const torch::NoGradGuard no_gradients;
  const torch::Tensor picture = torch::rand({1, 3, 64, 64}) * 2 - 1;
  teacher->eval();
  const auto wanted = teacher->forward(picture);
  const double before =
      ObjectDistillationLoss(alone->net->forward(picture), wanted, 1)
          .item<double>();
  const double after =
      ObjectDistillationLoss(taught->net->forward(picture), wanted, 1)
          .item<double>();
  EXPECT_LT(after, 0.5 * before);
}

TEST_F(DistilledTraining, WrongTeacher_IsRefused) {
  YoloNet net(YoloTiny(1, 0.1));
  WriteTeacher("detector", net);
  const auto other =
      Train("other", R"(, "distillation": {"teacher": "teachers/whole"})");
  EXPECT_EQ(other.status().code(), Code::kMalformed);
  EXPECT_NE(other.status().message().find("teachers/whole"),
            std::string_view::npos);
  EXPECT_EQ(Train("none", R"(, "distillation": {"teacher": "absent"})")
                .status()
                .code(),
            Code::kNotFound);
}

}  // namespace
}  // namespace munja::train
