// YoloNet: YOLOv7-tiny in libtorch, of whatever numbers of filters.
#ifndef MUNJA_PRUNING_STUDY_YOLO_NET_H_
#define MUNJA_PRUNING_STUDY_YOLO_NET_H_

#include <torch/torch.h>

#include <array>
#include <vector>

#include "base/status.h"
#include "compress/pruning/prune.h"
#include "graph/graph.h"
#include "pruning_study/yolo_layers.h"
#include "train/nets/conv_block.h"

namespace munja::train {

// (convolution(x + a)) * m.
class YoloHeadImpl : public torch::nn::Module {
 public:
  YoloHeadImpl(int inputs, int outputs);
  torch::Tensor forward(torch::Tensor x);
  // The computation of forward as one convolution.
  FoldedConv Fold() const;

  torch::nn::Conv2d conv{nullptr};
  torch::Tensor add, factor;  // 1 x inputs x 1 x 1, 1 x outputs x 1 x 1.
};
TORCH_MODULE(YoloHead);

class YoloNetImpl : public torch::nn::Module {
 public:
  explicit YoloNetImpl(const YoloLayers& layers);

  // N x 3 x H x W, sides multiples of 32. Logits of each stride, N x
  // (kYoloAnchors * (kYoloBoxFields + classes)) x H / stride x W / stride.
  std::array<torch::Tensor, kYoloLevels> forward(torch::Tensor pictures);

  const YoloLayers& layers() const { return layers_; }

  std::vector<ConvBlock> blocks;  // By layer; null where it is none.
  std::array<YoloHead, kYoloLevels> heads = {nullptr, nullptr, nullptr};

 private:
  YoloLayers layers_;
};
TORCH_MODULE(YoloNet);

// Objects are rare: objectness and kinds begin so unlikely.
inline constexpr double kYoloPriorOdds = 0.01;

// Input "pictures" 1 x side x side x 3; outputs "stride8", "stride16",
// "stride32", 1 x side / stride x side / stride x channels, behind the sigmoid.
// Layers are called as YoloLayerName() says. In eval mode.
Result<graph::Graph> ExportYolo(const YoloNet& net, int side);

// `to` has as many filters as are kept; it gets what `from` has of them, with
// the statistics of normalization. `cut` comes of pruning ExportYolo(from).
// kInternal when they do not fit.
Status CutYolo(const YoloNet& from,
               const std::vector<compress::PrunedLayer>& cut, YoloNet& to);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_NET_H_
