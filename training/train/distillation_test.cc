#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/distillation_loss.h"
#include "train/nets/yolo_net.h"
#include "train/recognizer_recipe.h"
#include "train/trained_module.h"
#include "train/trained_networks.h"
#include "train/training_loop.h"
#include "train/yolo_recipe.h"
#include "train/yolo_trainer.h"

namespace munja::train {
namespace {

namespace fs = std::filesystem;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Distillation, EqualMapsHaveNothingToLearn) {
  torch::manual_seed(1);
  const torch::Tensor map = torch::randn({2, 18, 4, 4}) * 5;
  EXPECT_EQ(SoftTargetDivergence(map, map).abs().max().item<float>(), 0);
  EXPECT_EQ(TextDistillationLoss(map, map).item<float>(), 0);
  EXPECT_EQ(
      ObjectDistillationLoss({map, map, map}, {map, map, map}, 1).item<float>(),
      0);
}

TEST(Distillation, DivergenceAndItsGradientAreThoseOfTheFormula) {
  torch::Tensor logits = torch::tensor({-2.0f, 0.5f, 3.0f}).requires_grad_();
  torch::Tensor teacher = torch::tensor({1.0f, 0.5f, -4.0f}).requires_grad_();
  const torch::Tensor divergence = SoftTargetDivergence(logits, teacher);
  divergence.sum().backward();
  for (int i = 0; i < 3; ++i) {
    const double q = Sigmoid(logits[i].item<double>());
    const double p = Sigmoid(teacher[i].item<double>());
    EXPECT_NEAR(divergence[i].item<double>(),
                p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q)),
                1e-5);
    EXPECT_NEAR(logits.grad()[i].item<double>(), q - p, 1e-5);
  }
  EXPECT_FALSE(teacher.grad().defined());
  // Far apart, but still finite.
  EXPECT_NEAR(
      SoftTargetDivergence(torch::tensor({-200.0f}), torch::tensor({200.0f}))
          .item<double>(),
      200, 1e-3);
}

TEST(Distillation, LinesLearnTheProbabilitiesOfEachStep) {
  torch::manual_seed(1);
  const torch::Tensor logits = torch::randn({2, 3, 5}).requires_grad_();
  // A class that the teacher rules out.
  const torch::Tensor scores = torch::randn({2, 3, 5});
  scores.select(2, 4).fill_(-INFINITY);
  const torch::Tensor wanted = torch::softmax(scores, 2);
  const torch::Tensor loss = LineDistillationLoss(logits, wanted);
  loss.backward();
  const torch::Tensor own = torch::softmax(logits.detach(), 2);
  double sum = 0;
  for (int64_t i = 0; i < own.numel(); ++i) {
    const auto p = wanted.view(-1)[i].item<double>();
    const auto q = own.view(-1)[i].item<double>();
    if (p > 0) sum += p * std::log(p / q);
    EXPECT_NEAR(logits.grad().view(-1)[i].item<double>(), q - p, 1e-5);
  }
  EXPECT_NEAR(loss.item<double>(), sum, 1e-4);
  EXPECT_NEAR(LineDistillationLoss(logits, own).item<double>(), 0, 1e-4);
}

// The same error in a box costs where the teacher sees an object, and there
// only.
TEST(Distillation, BoxesCountWhereTheTeacherSeesAnObject) {
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

TEST(Distillation, RecipesNameTheTeacher) {
  const auto objects = [](const std::string& member) {
    return ParseYoloRecipe(
        R"({"objects": {"training": {"steps": 1)" + member + "}}}", "r.json");
  };
  const auto text = [](const std::string& member) {
    return ParseDetectorRecipe(
        R"({"detector": {"training": {"steps": 1)" + member + "}}}", "r.json");
  };
  const auto lines = [](const std::string& member) {
    return ParseRecognizerRecipe(
        R"({"recognizer": {"training": {"steps": 1)" + member + "}}}",
        "r.json");
  };
  EXPECT_FALSE(objects("")->distillation.is_on());
  EXPECT_FALSE(lines("")->distillation.is_on());
  EXPECT_FALSE(text("")->distillation.is_on());
  const std::string both =
      R"(, "distillation": {"teacher": "whole", "weight": 2.5})";
  ASSERT_TRUE(objects(both).ok()) << objects(both).status().message();
  ASSERT_TRUE(text(both).ok()) << text(both).status().message();
  ASSERT_TRUE(lines(both).ok()) << lines(both).status().message();
  for (const Distillation& d :
       {objects(both)->distillation, text(both)->distillation,
        lines(both)->distillation}) {
    EXPECT_EQ(d.teacher, "whole");
    EXPECT_EQ(d.weight, 2.5f);
  }
  EXPECT_EQ(
      text(R"(, "distillation": {"teacher": "whole"})")->distillation.weight,
      1);
  for (const auto& [wrong, name] :
       {std::pair{R"(, "distillation": {"weight": 1})", "teacher"},
        std::pair{R"(, "distillation": {"teacher": "a", "weight": -1})",
                  "weight"},
        std::pair{R"(, "distillation": {"teacher": "a", "wait": 1})", "wait"}})
    for (const std::string& message :
         {std::string(objects(wrong).status().message()),
          std::string(text(wrong).status().message()),
          std::string(lines(wrong).status().message())})
      EXPECT_NE(message.find(".training.distillation." + std::string(name)),
                std::string::npos)
          << message;
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
TEST_F(DistilledTraining, DrawsTheNetworkTowardsTheTeacher) {
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

TEST_F(DistilledTraining, RefusesWhatIsNoTeacher) {
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
