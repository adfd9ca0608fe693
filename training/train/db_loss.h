// The loss of differentiable binarization (Liao et al., AAAI 2020, section
// 3.6).
#ifndef MUNJA_TRAIN_DB_LOSS_H_
#define MUNJA_TRAIN_DB_LOSS_H_

#include <torch/torch.h>

#include "train/nets/detector_net.h"

namespace munja::train {

// Steepness of the step between probability and threshold.
inline constexpr double kBinarization = 50;

// All N x H x W: train/text_maps.h.
struct DetectorTruth {
  torch::Tensor text, text_mask, threshold, threshold_mask;
};

struct DbLoss {
  torch::Tensor total;  // 5 text + binary + 10 threshold.
  // Cross entropy over all text pixels and the hardest others, three for each
  // of text; Dice loss of the binarized map; distance of the threshold map.
  torch::Tensor text, binary, threshold;
};

DbLoss ComputeDbLoss(const DetectorMaps& logits, const DetectorTruth& truth);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DB_LOSS_H_
