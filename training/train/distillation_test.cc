#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <string>

#include "train/detector_recipe.h"
#include "train/distillation_loss.h"
#include "train/recognizer_recipe.h"

namespace munja::train {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Distillation, EqualMaps_HaveNothingToLearn) {
  torch::manual_seed(1);
  const torch::Tensor map = torch::randn({2, 18, 4, 4}) * 5;
  EXPECT_EQ(SoftTargetDivergence(map, map).abs().max().item<float>(), 0);
  EXPECT_EQ(TextDistillationLoss(map, map).item<float>(), 0);
}

TEST(Distillation, DivergenceAndItsGradient_AreThoseOfTheFormula) {
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

TEST(Distillation, Lines_LearnTheProbabilitiesOfEachStep) {
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

TEST(Distillation, Recipes_NameTheTeacher) {
  const auto text = [](const std::string& member) {
    return ParseDetectorRecipe(
        R"({"detector": {"training": {"steps": 1)" + member + "}}}", "r.json");
  };
  const auto lines = [](const std::string& member) {
    return ParseRecognizerRecipe(
        R"({"recognizer": {"training": {"steps": 1)" + member + "}}}",
        "r.json");
  };
  EXPECT_FALSE(lines("")->distillation.is_on());
  EXPECT_FALSE(text("")->distillation.is_on());
  const std::string both =
      R"(, "distillation": {"teacher": "whole", "weight": 2.5})";
  ASSERT_TRUE(text(both).ok()) << text(both).status().message();
  ASSERT_TRUE(lines(both).ok()) << lines(both).status().message();
  for (const Distillation& d :
       {text(both)->distillation, lines(both)->distillation}) {
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
         {std::string(text(wrong).status().message()),
          std::string(lines(wrong).status().message())})
      EXPECT_NE(message.find(".training.distillation." + std::string(name)),
                std::string::npos)
          << message;
}

}  // namespace
}  // namespace munja::train
