// The loss of a YOLO network: boxes, objectness, kinds.
#ifndef MUNJA_TRAIN_YOLO_LOSS_H_
#define MUNJA_TRAIN_YOLO_LOSS_H_

#include <torch/torch.h>

#include <array>
#include <vector>

#include "synth/parcels.h"
#include "train/nets/yolo_layers.h"

namespace munja::train {

// Complete intersection over union (Zheng et al. 2020) of M x 4 boxes given as
// center and size: 1 where they are the same.
torch::Tensor CompleteOverlap(const torch::Tensor& a, const torch::Tensor& b);

// `logits` as YoloNet gives them for pictures of side x side; `objects` of
// each picture, of the first kind. Boxes by complete overlap, objectness
// against the overlap reached, weighed by stride as published.
torch::Tensor YoloLoss(const std::array<torch::Tensor, kYoloLevels>& logits,
                       int classes, int side,
                       const std::vector<std::vector<ObjectBox>>& objects);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_YOLO_LOSS_H_
