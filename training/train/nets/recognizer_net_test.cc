#include "train/nets/recognizer_net.h"

#include <gtest/gtest.h>

#include "train/nets/testing.h"

namespace munja::train {
namespace {

using testing::LargestDifference;
using testing::SmallRecognizer;

TEST(RecognizerNet, Output_HasAStepForFourColumnsAtAnyHeight) {
  torch::manual_seed(1);
  RecognizerNet net(SmallRecognizer(), 11);
  net->eval();
  torch::NoGradGuard no_gradients;
  EXPECT_EQ(net->forward(torch::randn({2, 3, 32, 100})).sizes(),
            (std::vector<int64_t>{2, 25, 11}));
  EXPECT_EQ(net->forward(torch::randn({1, 3, 48, 320})).sizes(),
            (std::vector<int64_t>{1, 80, 11}));
}

// The step of a column must not depend on how wide the batch was padded,
// beyond what the context sees.
TEST(RecognizerNet, Step_DependsOnItsSurroundingsOnly) {
  torch::manual_seed(2);
  RecognizerConfig config = SmallRecognizer();
  config.context_blocks = 1;
  RecognizerNet net(config, 5);
  net->eval();
  torch::NoGradGuard no_gradients;
  torch::Tensor picture = torch::randn({1, 3, 32, 256});
  const torch::Tensor before = net->forward(picture);
  picture.slice(3, 160).fill_(0.0);
  const torch::Tensor after = net->forward(picture);
  // Columns below 160 end at step 40; convolutions reach 4 steps, the context
  // block 4 more.
  EXPECT_LT(LargestDifference(before.slice(1, 0, 32), after.slice(1, 0, 32)),
            1e-5);  // Float rounding of another blocking.
  EXPECT_GT(LargestDifference(before.slice(1, 40), after.slice(1, 40)), 1e-2);
}

// A few steps on one batch must lower the loss: all parameters take part.
TEST(RecognizerNet, OneBatch_IsLearned) {
  torch::manual_seed(3);
  RecognizerNet net(SmallRecognizer(), 6);
  net->train();
  const torch::Tensor pictures = torch::randn({4, 3, 32, 64});
  const torch::Tensor target = torch::randint(0, 6, {4, 16});
  torch::optim::Adam optimizer(net->parameters(), 3e-3);
  double first = 0, last = 0;
  for (int i = 0; i < 30; ++i) {
    optimizer.zero_grad();
    const torch::Tensor loss = torch::nn::functional::cross_entropy(
        net->forward(pictures).transpose(1, 2), target);
    loss.backward();
    for (const auto& p : net->named_parameters())
      EXPECT_TRUE(p.value().grad().defined()) << p.key();
    optimizer.step();
    (i == 0 ? first : last) = loss.item<double>();
  }
  // Random labels of six classes start near log 6 = 1.79; dropout keeps the
  // loss from zero.
  EXPECT_LT(last, 0.5 * first);
}

// Statistics of the data make no difference to the function in eval mode, and
// train mode then gives nearly the same.
TEST(NormalizationRebase, Function_IsKept) {
  torch::manual_seed(4);
  RecognizerConfig config = SmallRecognizer();
  config.dropout = 0;
  RecognizerNet net(config, 7);
  net->eval();
  torch::NoGradGuard no_gradients;
  const torch::Tensor pictures = torch::randn({8, 3, 32, 128}) * 2.0 + 0.5;
  const torch::Tensor reference = net->forward(pictures);
  net->train();
  // Fresh statistics (0 and 1) are far from those of the data.
  EXPECT_GT(LargestDifference(net->forward(pictures), reference), 1e-2);
  net->eval();
  const torch::Tensor moved = net->forward(pictures);
  {
    const NormalizationRebase rebase(*net);
    net->forward(pictures);
  }
  EXPECT_LT(LargestDifference(net->forward(pictures), moved), 1e-4);
  net->train();
  // The batch's own statistics are the ones set; rounding only.
  EXPECT_LT(LargestDifference(net->forward(pictures), moved), 1e-3);
}

}  // namespace
}  // namespace munja::train
