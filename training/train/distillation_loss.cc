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

torch::Tensor ObjectDistillationLoss(
    const std::array<torch::Tensor, kYoloLevels>& logits,
    const std::array<torch::Tensor, kYoloLevels>& teacher, int classes) {
  constexpr int kObject = 4;
  const int fields = kYoloBoxFields + classes;
  torch::Tensor total = torch::zeros({}, logits[0].options());
  for (size_t l = 0; l < logits.size(); ++l) {
    const auto by_field = [&](const torch::Tensor& map) {
      return map.view(
          {map.size(0), kYoloAnchors, fields, map.size(2), map.size(3)});
    };
    const torch::Tensor wanted = by_field(teacher[l]).detach();
    const torch::Tensor divergence =
        SoftTargetDivergence(by_field(logits[l]), wanted);
    const torch::Tensor object = divergence.select(2, kObject);
    const torch::Tensor seen = torch::sigmoid(wanted.select(2, kObject));
    total = total +
            (object + seen * (divergence.sum(2) - object)).mean() / kYoloLevels;
  }
  return total;
}

}  // namespace munja::train
