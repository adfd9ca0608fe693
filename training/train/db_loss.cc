#include "train/db_loss.h"

#include <algorithm>

namespace munja::train {
namespace {

constexpr double kNegatives = 3;
// Where a batch has no text some pixels must teach that.
constexpr int64_t kLeastNegatives = 1000;

torch::Tensor BalancedCrossEntropy(const torch::Tensor& logits,
                                   const torch::Tensor& text,
                                   const torch::Tensor& mask) {
  const torch::Tensor loss = torch::binary_cross_entropy_with_logits(
      logits, text, /*weight=*/{}, /*pos_weight=*/{}, at::Reduction::None);
  const torch::Tensor positive = text * mask;
  const torch::Tensor negative = (1 - text) * mask;
  const auto positives = positive.sum().item<int64_t>();
  const auto wanted = std::max(
      static_cast<int64_t>(kNegatives * static_cast<double>(positives)),
      kLeastNegatives);
  const int64_t negatives = std::min(wanted, negative.sum().item<int64_t>());
  torch::Tensor hard;
  {
    torch::NoGradGuard no_gradients;
    hard = negative;
    if (negatives > 0) {
      // The losses are positive, so what is masked out comes last.
      const torch::Tensor candidates = (loss * negative).flatten();
      const torch::Tensor least =
          std::get<0>(candidates.kthvalue(candidates.numel() - negatives + 1));
      hard = negative * (loss >= least).to(torch::kFloat32);
    }
  }
  const torch::Tensor count = (positive + hard).sum().clamp_min(1);
  return (loss * (positive + hard)).sum() / count;
}

torch::Tensor Dice(const torch::Tensor& p, const torch::Tensor& text,
                   const torch::Tensor& mask) {
  const torch::Tensor both = (p * text * mask).sum();
  const torch::Tensor all = (p * mask).sum() + (text * mask).sum() + 1e-6;
  return 1 - 2 * both / all;
}

}  // namespace

DbLoss ComputeDbLoss(const DetectorMaps& logits, const DetectorTruth& truth) {
  const torch::Tensor text_logits =
      logits.probability.squeeze(1).to(torch::kFloat32);
  const torch::Tensor probability = torch::sigmoid(text_logits);
  const torch::Tensor threshold =
      torch::sigmoid(logits.threshold.squeeze(1).to(torch::kFloat32));
  DbLoss loss;
  loss.text = BalancedCrossEntropy(text_logits, truth.text, truth.text_mask);
  loss.binary = Dice(torch::sigmoid(kBinarization * (probability - threshold)),
                     truth.text, truth.text_mask);
  const torch::Tensor distance =
      ((threshold - truth.threshold).abs() * truth.threshold_mask).sum();
  loss.threshold = distance / truth.threshold_mask.sum().clamp_min(1);
  loss.total = 5 * loss.text + loss.binary + 10 * loss.threshold;
  return loss;
}

}  // namespace munja::train
