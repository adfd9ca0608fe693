#include "train/distillation_loss.h"

namespace munja::train {

torch::Tensor SoftTargetDivergence(const torch::Tensor& logits,
                                   const torch::Tensor& teacher) {
  const torch::Tensor fixed = teacher.detach().to(torch::kFloat32);
  const torch::Tensor own = logits.to(torch::kFloat32);
  const torch::Tensor yes = torch::sigmoid(fixed);
  return yes * (torch::log_sigmoid(fixed) - torch::log_sigmoid(own)) +
         (1 - yes) * (torch::log_sigmoid(-fixed) - torch::log_sigmoid(-own));
}

torch::Tensor TextDistillationLoss(const torch::Tensor& logits,
                                   const torch::Tensor& teacher) {
  return SoftTargetDivergence(logits, teacher).mean();
}

torch::Tensor LineDistillationLoss(const torch::Tensor& logits,
                                   const torch::Tensor& wanted) {
  const torch::Tensor fixed = wanted.detach();
  const torch::Tensor own =
      torch::log_softmax(logits.to(torch::kFloat32), /*dim=*/2);
  return (torch::xlogy(fixed, fixed) - fixed * own).sum();
}

}  // namespace munja::train
