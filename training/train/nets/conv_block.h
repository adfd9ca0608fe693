// ConvBlock: convolution, batch normalization, activation. While training the
// kernel is a sum of a full, a 1x1 and an identity kernel, so the branches
// cost no convolution of their own; for export all of it is one convolution.
#ifndef MUNJA_TRAIN_NETS_CONV_BLOCK_H_
#define MUNJA_TRAIN_NETS_CONV_BLOCK_H_

#include <torch/torch.h>

#include <vector>

#include "base/status.h"
#include "train/nets/network_config.h"

namespace munja::train {

// The slope of Activation::kLeakyRelu below 0.
inline constexpr double kLeakySlope = 0.1;

struct ConvBlockOptions {
  int in = 1, out = 1;             // Channels.
  int kernel_h = 3, kernel_w = 3;  // Odd; the padding keeps the size.
  int stride_h = 1, stride_w = 1;
  bool depthwise = false;    // in == out.
  bool has_branches = true;  // The narrow kernels.
  Activation activation = Activation::kRelu;
};

// A convolution without normalization: weight out x in/groups x kh x kw, bias.
struct FoldedConv {
  torch::Tensor weight, bias;
};

class ConvBlockImpl : public torch::nn::Module {
 public:
  explicit ConvBlockImpl(const ConvBlockOptions& options);
  torch::Tensor forward(torch::Tensor x);

  const ConvBlockOptions& options() const { return options_; }
  // Magnitudes of the factors of normalization, one for each filter.
  torch::Tensor factors() const;
  // The convolution that forward computes in eval mode, before the activation.
  FoldedConv Fold() const;
  // Makes forward in eval mode do exactly this. Train mode needs
  // NormalizationRebase afterwards.
  void SetFolded(const FoldedConv& conv);
  // Makes every output 0 before the activation, and leaves the weights, so that
  // training can raise the scale of the normalization from 0.
  void Silence();
  // Copies the weights of these output and input channels from `from` (a
  // depthwise one ignores the latter). kInternal when there are not as many
  // here.
  Status SetCut(const ConvBlockImpl& from, const std::vector<int>& outputs,
                const std::vector<int>& inputs);

 private:
  friend class NormalizationRebase;
  torch::Tensor Kernel() const;
  torch::Tensor Convolve(const torch::Tensor& x) const;
  void Rebase(const torch::Tensor& y);

  ConvBlockOptions options_;
  torch::Tensor full_, point_;  // The latter may be absent.
  // Absent without that branch. No buffer: checkpoints need not hold it.
  mutable torch::Tensor identity_;
  torch::nn::BatchNorm2d norm_{nullptr};
  bool rebases_ = false;
};
TORCH_MODULE(ConvBlock);

// Forwards, each of one batch, that settle the statistics of a rebase.
inline constexpr int kRebaseBatches = 8;

// While it lives, each forward of the network in eval mode sets the statistics
// of every normalization to those of the data, and scale and shift so that the
// function stays the same: then train mode, which normalizes by each batch,
// starts near that function. For networks set from an exported model.
class NormalizationRebase {
 public:
  explicit NormalizationRebase(torch::nn::Module& network);
  ~NormalizationRebase();
  NormalizationRebase(const NormalizationRebase&) = delete;
  NormalizationRebase& operator=(const NormalizationRebase&) = delete;

 private:
  std::vector<ConvBlockImpl*> blocks_;
};

// x with the activation; may write into x.
torch::Tensor Activate(torch::Tensor x, Activation activation);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_CONV_BLOCK_H_
