#include "pruning_study/yolo_loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "pruning_study/yolo_net.h"

namespace munja::train {
namespace {

TEST(YoloLoss, CompleteOverlap_OfSimpleBoxes) {
  const torch::Tensor a =
      torch::tensor({{10.0f, 10.0f, 4.0f, 4.0f}, {10.0f, 10.0f, 4.0f, 4.0f}});
  const torch::Tensor b =
      torch::tensor({{10.0f, 10.0f, 4.0f, 4.0f}, {12.0f, 10.0f, 4.0f, 4.0f}});
  const torch::Tensor overlap = CompleteOverlap(a, b);
  EXPECT_NEAR(overlap[0].item<float>(), 1, 1e-5);
  // A third in common; centers 2 apart, 6 x 4 around both.
  EXPECT_NEAR(overlap[1].item<float>(), 1.0f / 3 - 4.0f / 52, 1e-5);
}

TEST(YoloLoss, Loss_FallsWhileASmallNetworkLearnsOneImage) {
  torch::manual_seed(1);
  YoloNet net(YoloTiny(1, 0.1));
  net->train();
  torch::optim::Adam optimizer(net->parameters(), 3e-3);
  const torch::Tensor pictures = torch::rand({2, 3, 64, 64}) * 2 - 1;
  const std::vector<std::vector<ObjectBox>> objects = {
      {{8, 8, 24, 20}, {36, 30, 60, 58}}, {}};
  double first = 0, last = 0;
  for (int step = 0; step < 30; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = YoloLoss(net->forward(pictures), 1, 64, objects);
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
    if (step == 0) first = last;
    ASSERT_TRUE(std::isfinite(last));
  }
  EXPECT_LT(last, 0.8 * first);
}

TEST(YoloLoss, Classes_AreLearnedWhereThereAreSeveral) {
  torch::manual_seed(2);
  YoloNet net(YoloTiny(3, 0.1));
  const torch::Tensor pictures = torch::rand({1, 3, 64, 64});
  const torch::Tensor loss =
      YoloLoss(net->forward(pictures), 3, 64, {{{8, 8, 24, 20}}});
  loss.backward();
  EXPECT_GT(net->heads[0]->conv->weight.grad().abs().sum().item<double>() +
                net->heads[1]->conv->weight.grad().abs().sum().item<double>(),
            0);
}

}  // namespace
}  // namespace munja::train
