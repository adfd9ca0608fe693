#include "train/ctc_loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <string>
#include <vector>

#include "text/utf8.h"

namespace munja::train {
namespace {

struct Expected {
  double loss = 0;
  torch::Tensor gradient;  // Gradient of the logits.
};

// Another implementation of the same loss.
Expected ByTorch(const torch::Tensor& logits,
                 const std::vector<int32_t>& label) {
  torch::Tensor x = logits.clone().requires_grad_();
  const std::vector<int64_t> target(label.begin(), label.end());
  const int64_t steps[] = {logits.size(0)};
  const int64_t length[] = {static_cast<int64_t>(label.size())};
  const torch::Tensor loss = torch::ctc_loss(
      torch::log_softmax(x, 1).unsqueeze(1),
      torch::tensor(target, torch::kLong), at::IntArrayRef(steps),
      at::IntArrayRef(length), 0, at::Reduction::Sum, /*zero_infinity=*/true);
  loss.backward();
  return {loss.item<double>(), x.grad()};
}

void ExpectSame(const torch::Tensor& logits,
                const std::vector<int32_t>& label) {
  const Expected expected = ByTorch(logits, label);
  torch::Tensor rows = torch::softmax(logits, 1).contiguous();
  CtcScratch scratch;
  const double loss =
      CtcLoss(rows.data_ptr<float>(), static_cast<size_t>(rows.size(0)),
              static_cast<size_t>(rows.size(1)), label, 1.0f, &scratch);
  // libtorch sums logarithms in single precision, over up to 60 steps.
  EXPECT_NEAR(loss, expected.loss, 1e-4 * (1 + expected.loss));
  EXPECT_LT((rows - expected.gradient).abs().max().item<double>(), 2e-4);
}

TEST(CtcLossTest, LossAndGradient_AreThoseOfLibtorch) {
  torch::manual_seed(1);
  ExpectSame(torch::randn({12, 7}), {1, 2, 3});
  ExpectSame(torch::randn({12, 7}) * 4, {6, 6, 6, 1});
  ExpectSame(torch::randn({60, 300}) * 2, {5, 5, 299, 17, 17, 17, 4, 1, 2});
  ExpectSame(torch::randn({3, 5}), {4, 2, 1});  // No room for a blank.
  ExpectSame(torch::randn({1, 5}), {2});
}

TEST(CtcLossTest, EmptyLabel_IsAllBlank) {
  torch::manual_seed(2);
  ExpectSame(torch::randn({9, 4}), {});
}

TEST(CtcLossTest, LongLabelOfANetworkThatSeesBlanksOnly_IsNotLost) {
  // Early in training blanks have nearly all probability: 40 characters of
  // probability 2e-5 each make a path of 1e-188, out of a float's range.
  torch::Tensor logits = torch::zeros({90, 50});
  logits.select(1, 0).fill_(11);
  std::vector<int32_t> label;
  for (int i = 0; i < 40; ++i) label.push_back(1 + i % 49);
  ExpectSame(logits, label);
}

TEST(CtcLossTest, LabelThatDoesNotFit_TeachesNothing) {
  torch::Tensor rows = torch::softmax(torch::randn({3, 4}), 1);
  CtcScratch scratch;
  const std::vector<int32_t> label = {1, 1, 2};  // Needs four steps.
  EXPECT_EQ(CtcSteps(label), 4u);
  EXPECT_EQ(CtcLoss(rows.data_ptr<float>(), 3, 4, label, 1, &scratch), 0);
  EXPECT_EQ(rows.abs().max().item<float>(), 0);
}

// Partners as one class of their probabilities' sum, by libtorch.
TEST(CtcLossTest, Partners_CountAsOneClass) {
  torch::manual_seed(4);
  // Classes 1 and 4 are one, and the blank and 3.
  const std::vector<int32_t> partners = {3, 4, 2, 0, 1}, label = {1, 1, 2, 1};
  torch::Tensor x = torch::randn({14, 5}).requires_grad_();
  const torch::Tensor p = torch::softmax(x, 1);
  const torch::Tensor merged =
      torch::stack({p.select(1, 0) + p.select(1, 3),
                    p.select(1, 1) + p.select(1, 4), p.select(1, 2)},
                   1);
  // Its gradient is right for softmax alone, so that is what it gets.
  const torch::Tensor expected = torch::ctc_loss(
      torch::log_softmax(merged.log(), 1).unsqueeze(1),
      torch::tensor({1, 1, 2, 1}, torch::kLong), at::IntArrayRef({14}),
      at::IntArrayRef({4}), 0, at::Reduction::Sum, /*zero_infinity=*/true);
  expected.backward();
  torch::Tensor rows = p.detach().clone().contiguous();
  CtcScratch scratch;
  const double loss =
      CtcLoss(rows.data_ptr<float>(), 14, 5, label, 1, &scratch, partners);
  EXPECT_NEAR(loss, expected.item<double>(), 1e-4);
  EXPECT_LT((rows - x.grad()).abs().max().item<double>(), 1e-5);
}

// The letters' softmaxes multiplied out, as one class for each syllable, by
// libtorch.
TEST(CtcLossTest, Letters_CountAsTheSyllablesThatTheyMake) {
  using Letters = text::HangulLetters;
  std::string lines = "a\n";
  for (char32_t c = U'가'; c <= U'힣'; ++c)
    lines += text::EncodeUtf8(std::u32string(1, c)) + "\n";
  const auto dictionary = text::Dictionary::Parse(lines, true).value();
  const auto letters = Letters::Create(dictionary).value();
  const auto cls = [&](const char* c) {
    return static_cast<int32_t>(dictionary.ClassOf(c));
  };
  const std::vector<int32_t> label = {cls("닭"), cls("닭"), cls("a"), cls(" "),
                                      cls("손")};
  torch::manual_seed(6);
  // Small enough that no syllable is below the least probability.
  torch::Tensor x =
      (torch::randn({12, letters.columns()}) * 0.3).requires_grad_();
  std::vector<torch::Tensor> parts =
      x.split_with_sizes({letters.whole_columns(), Letters::kInitials,
                          Letters::kVowels, Letters::kFinals},
                         1);
  for (torch::Tensor& part : parts) part = torch::log_softmax(part, 1);
  const torch::Tensor any = parts[0].narrow(1, letters.any_syllable(), 1);
  const torch::Tensor syllables =
      (any.view({12, 1, 1, 1}) + parts[1].view({12, -1, 1, 1}) +
       parts[2].view({12, 1, -1, 1}) + parts[3].view({12, 1, 1, -1}))
          .flatten(1);
  const torch::Tensor all =
      torch::cat({parts[0].narrow(1, 0, letters.any_syllable()), syllables,
                  parts[0].narrow(1, letters.any_syllable() + 1, 1)},
                 1);
  ASSERT_EQ(all.size(1), dictionary.classes());
  const std::vector<int64_t> target(label.begin(), label.end());
  const torch::Tensor expected = torch::ctc_loss(
      all.unsqueeze(1), torch::tensor(target, torch::kLong),
      at::IntArrayRef({12}), at::IntArrayRef({5}), 0, at::Reduction::Sum,
      /*zero_infinity=*/true);
  // Its gradient is right behind a softmax, which "all" ends with here, too.
  expected.backward();
  for (torch::Tensor& part : parts) part = part.detach().exp();
  torch::Tensor rows = torch::cat(parts, 1).contiguous();
  CtcScratch scratch;
  const double loss = CtcLoss(rows.data_ptr<float>(), 12,
                              static_cast<size_t>(letters.columns()), label, 1,
                              &scratch, {}, &letters);
  EXPECT_NEAR(loss, expected.item<double>(), 1e-4 * (1 + loss));
  EXPECT_LT((rows - x.grad()).abs().max().item<double>(), 2e-4);
}

TEST(CtcLossTest, Weight_ScalesTheGradientOnly) {
  torch::manual_seed(3);
  const torch::Tensor p = torch::softmax(torch::randn({8, 5}), 1);
  torch::Tensor once = p.clone(), half = p.clone();
  CtcScratch scratch;
  const std::vector<int32_t> label = {2, 4};
  const double a = CtcLoss(once.data_ptr<float>(), 8, 5, label, 1, &scratch);
  const double b = CtcLoss(half.data_ptr<float>(), 8, 5, label, 0.5f, &scratch);
  EXPECT_EQ(a, b);
  // One rounding of single precision.
  EXPECT_LT((once * 0.5 - half).abs().max().item<double>(), 1e-7);
}

}  // namespace
}  // namespace munja::train
