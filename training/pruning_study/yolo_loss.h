// The losses of a YOLO network: boxes, objectness, kinds; those of a teacher.
#ifndef MUNJA_PRUNING_STUDY_YOLO_LOSS_H_
#define MUNJA_PRUNING_STUDY_YOLO_LOSS_H_

#include <torch/torch.h>

#include <array>
#include <vector>

#include "pruning_study/parcels.h"
#include "pruning_study/yolo_layers.h"

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

// Over the maps of YoloNet: objectness everywhere, boxes and kinds as far as
// the teacher sees an object there (Mehta, Ozturk: Object detection at 200
// frames per second, 2018); background has no box to learn. The mean of the
// levels.
torch::Tensor ObjectDistillationLoss(
    const std::array<torch::Tensor, kYoloLevels>& logits,
    const std::array<torch::Tensor, kYoloLevels>& teacher, int classes);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_LOSS_H_
