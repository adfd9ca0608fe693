// RecognizerNet: pictures of lines to scores of characters for CTC.
#ifndef MUNJA_TRAIN_NETS_RECOGNIZER_NET_H_
#define MUNJA_TRAIN_NETS_RECOGNIZER_NET_H_

#include <torch/torch.h>

#include <vector>

#include "train/nets/conv_block.h"
#include "train/nets/network_config.h"

namespace munja::train {

// Input columns for one output step.
inline constexpr int kColumnsPerStep = 4;

// x + Project(Expand(Depthwise(x))), along the width.
class ContextBlockImpl : public torch::nn::Module {
 public:
  ContextBlockImpl(int channels, const RecognizerConfig& config);
  torch::Tensor forward(torch::Tensor x);

  ConvBlock depthwise{nullptr}, expand{nullptr}, project{nullptr};
};
TORCH_MODULE(ContextBlock);

class RecognizerNetImpl : public torch::nn::Module {
 public:
  // `classes` with the CTC blank (class 0) and the space (the last); with
  // config.hangul_letters the columns of text::HangulLetters.
  RecognizerNetImpl(const RecognizerConfig& config, int classes);

  // N x 3 x H x W, H a multiple of 16, W of 4 -> logits N x W/4 x classes.
  torch::Tensor forward(torch::Tensor pictures);
  // Their softmax, in float32; of each part by itself where Hangul is read by
  // letters (the last three parts).
  torch::Tensor Probabilities(const torch::Tensor& logits) const;
  // The sizes of those parts; one where there are none.
  std::vector<int64_t> parts() const;

  const RecognizerConfig& config() const { return config_; }
  int classes() const { return classes_; }

  // In the order of the computation; for export and warm start.
  std::vector<ConvBlock> column;
  std::vector<ContextBlock> context;
  torch::nn::Conv2d bottleneck{nullptr};  // 1x1; may be empty.
  torch::nn::Conv2d head{nullptr};        // 1x1.

 private:
  RecognizerConfig config_;
  int classes_;
  torch::nn::Dropout dropout_{nullptr};
};
TORCH_MODULE(RecognizerNet);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_RECOGNIZER_NET_H_
