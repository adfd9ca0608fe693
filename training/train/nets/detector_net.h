// DetectorNet: a page to a map of text, by differentiable binarization.
#ifndef MUNJA_TRAIN_NETS_DETECTOR_NET_H_
#define MUNJA_TRAIN_NETS_DETECTOR_NET_H_

#include <torch/torch.h>

#include <vector>

#include "train/nets/conv_block.h"
#include "train/nets/network_config.h"

namespace munja::train {

// Pixels of the map that one position of a head gives, along a side.
inline constexpr int kHeadStride = 4;

// Logits, N x 1 x H x W.
struct DetectorMaps {
  torch::Tensor probability;
  torch::Tensor threshold;  // Train mode only; undefined otherwise.
};

// A 3x3 convolution and one of 1x1 whose 16 channels are 4 x 4 pixels.
class MapHeadImpl : public torch::nn::Module {
 public:
  explicit MapHeadImpl(const DetectorConfig& config);
  torch::Tensor forward(torch::Tensor x);

  ConvBlock smooth{nullptr};
  torch::nn::Conv2d pixels{nullptr};
};
TORCH_MODULE(MapHead);

class DetectorNetImpl : public torch::nn::Module {
 public:
  explicit DetectorNetImpl(const DetectorConfig& config);

  // N x 3 x H x W, H and W multiples of 32.
  DetectorMaps forward(torch::Tensor pictures);

  const DetectorConfig& config() const { return config_; }

  // In the order of the computation; for export and warm start.
  ConvBlock stem{nullptr};
  std::vector<std::vector<ConvBlock>> stages;  // 1/4, 1/8, 1/16, 1/32.
  ConvBlock context{nullptr};                  // Null: none.
  std::vector<ConvBlock> laterals;             // One for each stage.
  MapHead probability{nullptr}, threshold{nullptr};

 private:
  DetectorConfig config_;
};
TORCH_MODULE(DetectorNet);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_DETECTOR_NET_H_
