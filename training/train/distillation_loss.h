// The loss of a network that learns from a teacher's maps.
#ifndef MUNJA_TRAIN_DISTILLATION_LOSS_H_
#define MUNJA_TRAIN_DISTILLATION_LOSS_H_

#include <torch/torch.h>

namespace munja::train {

// The Kullback-Leibler divergence, for each element, of the probability that
// `logits` say from the one that `teacher` says: 0 where they are equal, as
// steep as the cross entropy with soft labels. Gradients go to `logits` alone.
torch::Tensor SoftTargetDivergence(const torch::Tensor& logits,
                                   const torch::Tensor& teacher);

// The mean over a map of text.
torch::Tensor TextDistillationLoss(const torch::Tensor& logits,
                                   const torch::Tensor& teacher);

// The divergence of the classes' probabilities from `wanted` (steps in the
// middle dimension, rows that sum to 1), summed over all steps of the lines.
torch::Tensor LineDistillationLoss(const torch::Tensor& logits,
                                   const torch::Tensor& wanted);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DISTILLATION_LOSS_H_
