#include "train/nets/detector_net.h"

#include <string>

namespace munja::train {

MapHeadImpl::MapHeadImpl(const DetectorConfig& config) {
  ConvBlockOptions o;
  o.in = config.pyramid_channels;
  o.out = config.head_channels;
  o.activation = config.activation;
  smooth = register_module("smooth", ConvBlock(o));
  pixels = register_module("pixels", torch::nn::Conv2d(torch::nn::Conv2dOptions(
                                         o.out, kHeadStride * kHeadStride, 1)));
}

torch::Tensor MapHeadImpl::forward(torch::Tensor x) {
  return torch::pixel_shuffle(pixels->forward(smooth->forward(x)), kHeadStride);
}

DetectorNetImpl::DetectorNetImpl(const DetectorConfig& config)
    : config_(config) {
  ConvBlockOptions o;
  o.activation = config_.activation;
  o.in = 3;
  o.out = config_.channels[0];
  o.stride_h = o.stride_w = 2;
  stem = register_module("stem", ConvBlock(o));
  for (size_t s = 1; s < config_.channels.size(); ++s) {
    std::vector<ConvBlock>& stage = stages.emplace_back();
    o.in = config_.channels[s - 1];
    o.out = config_.channels[s];
    for (int i = 0; i <= config_.blocks[s - 1]; ++i) {
      o.stride_h = o.stride_w = i == 0 ? 2 : 1;
      const std::string name =
          "stage" + std::to_string(s) + "_" + std::to_string(i);
      stage.push_back(register_module(name, ConvBlock(o)));
      o.in = o.out;
    }
  }
  o.stride_h = o.stride_w = 1;
  if (config_.context_kernel > 0) {
    o.kernel_h = o.kernel_w = config_.context_kernel;
    o.depthwise = true;
    context = register_module("context", ConvBlock(o));
    o.depthwise = false;
  }
  o.kernel_h = o.kernel_w = 1;
  o.activation = Activation::kNone;
  for (size_t s = 1; s < config_.channels.size(); ++s) {
    o.in = config_.channels[s];
    o.out = config_.pyramid_channels;
    laterals.push_back(
        register_module("lateral" + std::to_string(s), ConvBlock(o)));
  }
  probability = register_module("probability", MapHead(config_));
  threshold = register_module("threshold", MapHead(config_));
}

DetectorMaps DetectorNetImpl::forward(torch::Tensor pictures) {
  torch::Tensor x =
      stem->forward(pictures.contiguous(torch::MemoryFormat::ChannelsLast));
  std::vector<torch::Tensor> levels;
  for (std::vector<ConvBlock>& stage : stages) {
    for (ConvBlock& block : stage) x = block->forward(x);
    levels.push_back(x);
  }
  if (!context.is_empty()) levels.back() = context->forward(levels.back());
  torch::Tensor sum;
  for (size_t i = levels.size(); i-- > 0;) {
    const torch::Tensor lateral = laterals[i]->forward(levels[i]);
    sum = sum.defined() ? lateral + torch::upsample_nearest2d(
                                        sum, {lateral.size(2), lateral.size(3)})
                        : lateral;
  }
  DetectorMaps maps;
  maps.probability = probability->forward(sum);
  if (is_training()) maps.threshold = threshold->forward(sum);
  return maps;
}

}  // namespace munja::train
