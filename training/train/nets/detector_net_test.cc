#include "train/nets/detector_net.h"

#include <gtest/gtest.h>

#include "train/nets/testing.h"

namespace munja::train {
namespace {

TEST(DetectorNet, Maps_HaveTheImagesSize) {
  torch::manual_seed(1);
  DetectorNet net((DetectorConfig()));
  torch::NoGradGuard no_gradients;
  const torch::Tensor pages = testing::RandomPictures(2, 64, 96);
  net->train();
  const DetectorMaps both = net->forward(pages);
  EXPECT_EQ(both.probability.sizes(), (std::vector<int64_t>{2, 1, 64, 96}));
  EXPECT_EQ(both.threshold.sizes(), (std::vector<int64_t>{2, 1, 64, 96}));
  net->eval();
  const DetectorMaps one = net->forward(pages);
  EXPECT_EQ(one.probability.sizes(), (std::vector<int64_t>{2, 1, 64, 96}));
  EXPECT_FALSE(one.threshold.defined());
}

// Letters of a headline fill hundreds of pixels: whether one of their pixels
// is text must be able to depend on what is that far away.
TEST(DetectorNet, ReceptiveField_IsThreeHundredPixels) {
  torch::manual_seed(2);
  DetectorNet net((DetectorConfig()));
  testing::RandomizeNormalization(*net);
  net->eval();
  torch::Tensor page = testing::RandomPictures(1, 640, 640);
  page.requires_grad_();
  net->forward(page).probability[0][0][320][320].backward();
  const torch::Tensor reached =
      page.grad().abs().sum(1).squeeze(0).sum(1).nonzero().squeeze(1);
  const int64_t rows = (reached.max() - reached.min()).item<int64_t>() + 1;
  EXPECT_GT(rows, 300);
}

TEST(DetectorNet, EveryParameter_IsTrained) {
  torch::manual_seed(3);
  DetectorNet net((DetectorConfig()));
  net->train();
  const DetectorMaps maps = net->forward(testing::RandomPictures(2, 64, 64));
  (maps.probability.square().mean() + maps.threshold.square().mean())
      .backward();
  for (const auto& p : net->named_parameters())
    EXPECT_TRUE(p.value().grad().defined()) << p.key();
}

}  // namespace
}  // namespace munja::train
