#include "train/nets/conv_block.h"

#include <cmath>
#include <string>

namespace munja::train {
namespace {

namespace functional = torch::nn::functional;

// The full kernel and the narrow ones meet in one sum; the narrow one starts
// weaker so that the sum's gain stays near that of the full kernel alone.
constexpr double kPointGain = 0.5;

torch::Tensor InitialKernel(at::IntArrayRef shape, double gain) {
  const double fan_in = static_cast<double>(shape[1] * shape[2] * shape[3]);
  return torch::randn(shape) * (gain * std::sqrt(2.0 / fan_in));
}

bool HasBranches(const ConvBlockOptions& o) {
  return o.has_branches && o.kernel_h * o.kernel_w > 1;
}

}  // namespace

torch::Tensor Activate(torch::Tensor x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return torch::relu_(x);
    case Activation::kHardSwish:
      return torch::hardswish(x);
    case Activation::kLeakyRelu:
      return torch::leaky_relu_(x, kLeakySlope);
    case Activation::kNone:
      break;
  }
  return x;
}

ConvBlockImpl::ConvBlockImpl(const ConvBlockOptions& options)
    : options_(options) {
  const ConvBlockOptions& o = options_;
  const int64_t per_group = o.depthwise ? 1 : o.in;
  full_ = register_parameter(
      "full", InitialKernel({o.out, per_group, o.kernel_h, o.kernel_w}, 1.0));
  if (HasBranches(o) && !o.depthwise)
    point_ = register_parameter(
        "point", InitialKernel({o.out, per_group, 1, 1}, kPointGain));
  if (HasBranches(o) && o.in == o.out && o.stride_h == 1 && o.stride_w == 1) {
    identity_ = torch::zeros(full_.sizes());
    for (int c = 0; c < o.out; ++c)
      identity_[c][o.depthwise ? 0 : c][o.kernel_h / 2][o.kernel_w / 2] = 1.0f;
  }
  norm_ = register_module("norm", torch::nn::BatchNorm2d(o.out));
}

torch::Tensor ConvBlockImpl::Kernel() const {
  torch::Tensor kernel = full_;
  if (point_.defined()) {
    const int64_t h = options_.kernel_h / 2, w = options_.kernel_w / 2;
    kernel = kernel +
             functional::pad(point_, functional::PadFuncOptions({w, w, h, h}));
  }
  if (identity_.defined()) {
    if (identity_.device() != full_.device())
      identity_ = identity_.to(full_.device());
    kernel = kernel + identity_;
  }
  return kernel;
}

torch::Tensor ConvBlockImpl::Convolve(const torch::Tensor& x) const {
  const ConvBlockOptions& o = options_;
  return torch::conv2d(x, Kernel(), /*bias=*/{}, {o.stride_h, o.stride_w},
                       {o.kernel_h / 2, o.kernel_w / 2}, /*dilation=*/1,
                       o.depthwise ? o.in : 1);
}

torch::Tensor ConvBlockImpl::forward(torch::Tensor x) {
  torch::Tensor y = Convolve(x);
  if (rebases_ && !is_training()) Rebase(y);
  return Activate(norm_->forward(y), options_.activation);
}

FoldedConv ConvBlockImpl::Fold() const {
  torch::NoGradGuard no_gradients;
  const torch::Tensor scale =
      norm_->weight / (norm_->running_var + norm_->options.eps()).sqrt();
  return {Kernel() * scale.view({-1, 1, 1, 1}),
          norm_->bias - norm_->running_mean * scale};
}

void ConvBlockImpl::SetFolded(const FoldedConv& conv) {
  torch::NoGradGuard no_gradients;
  if (point_.defined()) point_.zero_();
  full_.copy_(conv.weight);
  if (identity_.defined()) full_.sub_(identity_.to(full_.device()));
  norm_->running_mean.zero_();
  norm_->running_var.fill_(1.0);
  norm_->weight.fill_(std::sqrt(1.0 + norm_->options.eps()));
  norm_->bias.copy_(conv.bias);
}

void ConvBlockImpl::Silence() {
  torch::NoGradGuard no_gradients;
  norm_->weight.zero_();
  norm_->bias.zero_();
}

Status ConvBlockImpl::SetCut(const ConvBlockImpl& from,
                             const std::vector<int>& outputs,
                             const std::vector<int>& inputs) {
  const ConvBlockOptions& o = options_;
  if (static_cast<int>(outputs.size()) != o.out ||
      (!o.depthwise && static_cast<int>(inputs.size()) != o.in))
    return Internal("the layer has " + std::to_string(o.out) +
                    " filters, not " + std::to_string(outputs.size()));
  torch::NoGradGuard no_gradients;
  const auto index = [](const std::vector<int>& positions) {
    return torch::tensor(
        std::vector<int64_t>(positions.begin(), positions.end()),
        torch::kInt64);
  };
  const torch::Tensor out = index(outputs), in = index(inputs);
  const auto cut = [&](const torch::Tensor& kernel) {
    const torch::Tensor rows = kernel.index_select(0, out);
    return o.depthwise ? rows : rows.index_select(1, in);
  };
  // The identity of the one is not that of the other.
  torch::Tensor full = from.full_;
  if (from.identity_.defined()) full = full + from.identity_;
  full_.copy_(cut(full));
  if (identity_.defined()) full_.sub_(identity_);
  if (point_.defined()) point_.copy_(cut(from.point_));
  norm_->weight.copy_(from.norm_->weight.index_select(0, out));
  norm_->bias.copy_(from.norm_->bias.index_select(0, out));
  norm_->running_mean.copy_(from.norm_->running_mean.index_select(0, out));
  norm_->running_var.copy_(from.norm_->running_var.index_select(0, out));
  return Status();
}

torch::Tensor ConvBlockImpl::factors() const {
  return norm_->weight.detach().abs();
}

void ConvBlockImpl::Rebase(const torch::Tensor& y) {
  torch::NoGradGuard no_gradients;
  const torch::Tensor mean = y.mean({0, 2, 3});
  const torch::Tensor variance = y.var({0, 2, 3}, /*unbiased=*/false);
  const double eps = norm_->options.eps();
  // y * scale + shift is what has to stay.
  const torch::Tensor scale = norm_->weight / (norm_->running_var + eps).sqrt();
  const torch::Tensor shift = norm_->bias - norm_->running_mean * scale;
  norm_->running_mean.copy_(mean);
  norm_->running_var.copy_(variance);
  norm_->weight.copy_(scale * (variance + eps).sqrt());
  norm_->bias.copy_(shift + mean * scale);
}

NormalizationRebase::NormalizationRebase(torch::nn::Module& network) {
  for (const auto& module : network.modules())
    if (auto* block = module->as<ConvBlockImpl>()) blocks_.push_back(block);
  for (ConvBlockImpl* block : blocks_) block->rebases_ = true;
}

NormalizationRebase::~NormalizationRebase() {
  for (ConvBlockImpl* block : blocks_) block->rebases_ = false;
}

}  // namespace munja::train
