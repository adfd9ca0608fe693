// The loss of a network that learns from a teacher's maps.
#ifndef MUNJA_TRAIN_DISTILLATION_LOSS_H_
#define MUNJA_TRAIN_DISTILLATION_LOSS_H_

#include <torch/torch.h>

#include <array>

#include "train/nets/yolo_layers.h"

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

// Over the maps of YoloNet: objectness everywhere, boxes and kinds as far as
// the teacher sees an object there (Mehta, Ozturk: Object detection at 200
// frames per second, 2018); background has no box to learn. The mean of the
// levels.
torch::Tensor ObjectDistillationLoss(
    const std::array<torch::Tensor, kYoloLevels>& logits,
    const std::array<torch::Tensor, kYoloLevels>& teacher, int classes);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DISTILLATION_LOSS_H_
