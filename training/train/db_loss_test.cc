#include "train/db_loss.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace munja::train {
namespace {

double Logit(double p) { return std::log(p / (1 - p)); }

// 1 x 40 x 40 with a patch of text and a band around it.
struct Scene {
  Scene() {
    truth.text = torch::zeros({1, 40, 40});
    truth.text.slice(1, 10, 20).slice(2, 10, 20).fill_(1);
    truth.text_mask = torch::ones({1, 40, 40});
    truth.threshold = torch::full({1, 40, 40}, 0.5);
    truth.threshold_mask = torch::zeros({1, 40, 40});
    truth.threshold_mask.slice(1, 8, 22).fill_(1);
    maps.probability = torch::full({1, 1, 40, 40}, Logit(0.2));
    maps.threshold = torch::full({1, 1, 40, 40}, Logit(0.6));
  }
  DetectorTruth truth;
  DetectorMaps maps;
};

TEST(DbLossTest, Parts_AreThoseOfThePaper) {
  const Scene s;
  const DbLoss loss = ComputeDbLoss(s.maps, s.truth);
  // 100 pixels of text against the 1000 hardest others, all of p = 0.2. Where
  // many are equally hard all of them count: here 1500.
  const double text = (100 * -std::log(0.2) + 1500 * -std::log(0.8)) / 1600;
  EXPECT_NEAR(loss.text.item<double>(), text, 1e-5);
  // Binarized to 1 / (1 + e^(50 * 0.4)): nothing is found.
  EXPECT_NEAR(loss.binary.item<double>(), 1, 1e-5);
  EXPECT_NEAR(loss.threshold.item<double>(), 0.1, 1e-5);
  EXPECT_NEAR(loss.total.item<double>(), 5 * text + 1 + 1, 1e-4);
}

TEST(DbLossTest, HardestPixels_CountThreeTimesTheText) {
  Scene s;
  s.truth.text.zero_();
  s.truth.text.slice(1, 0, 9).fill_(1);  // 360 of 1600; 1080 others count.
  torch::Tensor logits = torch::full({1, 1, 40, 40}, Logit(0.01));
  logits.slice(2, 30, 40).fill_(Logit(0.9));  // 400 wrong ones.
  s.maps.probability = logits;
  // The easy pixels are equally easy: none of them counts, or 840 do.
  const double text =
      (360 * -std::log(0.01) + 400 * -std::log(0.1) + 840 * -std::log(0.99)) /
      1600;
  EXPECT_NEAR(ComputeDbLoss(s.maps, s.truth).text.item<double>(), text, 1e-4);
}

TEST(DbLossTest, MaskedPixels_TeachNothing) {
  Scene s;
  s.truth.text_mask.slice(1, 30, 40).fill_(0);
  s.truth.threshold_mask.zero_();
  s.maps.probability.slice(2, 30, 40).fill_(20);  // Wildly wrong, masked.
  s.maps.probability.requires_grad_();
  s.maps.threshold.requires_grad_();
  ComputeDbLoss(s.maps, s.truth).total.backward();
  const torch::Tensor g = s.maps.probability.grad();
  EXPECT_EQ(g.slice(2, 30, 40).abs().max().item<double>(), 0);
  EXPECT_GT(g.slice(2, 0, 30).abs().max().item<double>(), 0);
}

// Whatever the maps and the truth say where the masks are 0, text or none, each
// part of the loss is that of the scene without it.
TEST(DbLossTest, ZeroMasks_CountNothing) {
  const auto loss = [](double text, double logit) {
    Scene s;
    s.maps.probability = ((s.truth.text * 2 - 1) * 3).unsqueeze(1);
    s.truth.text_mask.slice(1, 25, 40).fill_(0);
    s.truth.threshold_mask.slice(1, 20, 22).fill_(0);
    s.truth.text.slice(1, 25, 40).fill_(text);
    s.truth.threshold.slice(1, 20, 40).fill_(text);
    s.maps.probability.slice(2, 25, 40).fill_(logit);
    s.maps.threshold.slice(2, 25, 40).fill_(-logit);
    const DbLoss l = ComputeDbLoss(s.maps, s.truth);
    return std::array<double, 3>{l.text.item<double>(), l.binary.item<double>(),
                                 l.threshold.item<double>()};
  };
  const std::array<double, 3> plain = loss(0, -3);
  for (const double text : {0.0, 1.0}) {
    for (const double logit : {-20.0, 0.0, 20.0}) {
      const std::array<double, 3> other = loss(text, logit);
      // Sums of 1600 floats.
      for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(other[i], plain[i], 1e-5) << i << ", " << text << logit;
    }
  }
}

TEST(DbLossTest, PerfectMaps_CostAlmostNothing) {
  Scene s;
  s.maps.probability = ((s.truth.text * 2 - 1) * 20).unsqueeze(1);
  s.maps.threshold = torch::zeros({1, 1, 40, 40});
  EXPECT_NEAR(ComputeDbLoss(s.maps, s.truth).total.item<double>(), 0, 1e-5);
}

}  // namespace
}  // namespace munja::train
