#include "train/compute_device.h"

#include <gtest/gtest.h>

#include <thread>

namespace munja::train {
namespace {

torch::Tensor Picture() {
  torch::manual_seed(1);
  return torch::randn({2, 8, 6, 10});
}

torch::Tensor Convolve(const torch::Tensor& x) {
  return torch::conv2d(x, torch::full({4, 8, 3, 3}, 0.1f));
}

TEST(MixedPrecisionTest, Scope_HoldsWhileItLivesAndWhereItIsFaster) {
  const torch::Tensor x = Picture();
  const torch::Tensor exact = Convolve(x);
  torch::Tensor mixed, elsewhere;
  {
    const MixedPrecision precision(true, torch::kCPU, 1);
    mixed = Convolve(x);
    std::thread other([&] { elsewhere = Convolve(x); });
    other.join();
  }
  EXPECT_EQ(mixed.scalar_type(), HasFastBfloat16(torch::kCPU, 1)
                                     ? torch::kBFloat16
                                     : torch::kFloat32);
  // Both factors and the sum are rounded to 8 bits, each by a part in 256 at
  // most.
  const double most = Convolve(x.abs()).max().item<double>() * 3 / 256;
  EXPECT_LT((mixed.to(torch::kFloat32) - exact).abs().max().item<double>(),
            most);
  EXPECT_TRUE(torch::equal(elsewhere, exact));
  EXPECT_TRUE(torch::equal(Convolve(x), exact));
}

TEST(MixedPrecisionTest, SwitchedOffOrSeveralThreads_ChangeNothing) {
  const torch::Tensor x = Picture();
  const torch::Tensor exact = Convolve(x);
  {
    const MixedPrecision precision(false, torch::kCPU, 1);
    EXPECT_TRUE(torch::equal(Convolve(x), exact));
  }
  const MixedPrecision precision(true, torch::kCPU, 2);
  EXPECT_TRUE(torch::equal(Convolve(x), exact));
}

}  // namespace
}  // namespace munja::train
