#include "train/nets/torch_weights.h"

namespace munja::train {

std::vector<float> Values(const torch::Tensor& tensor) {
  const torch::Tensor t =
      tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const float* data = t.data_ptr<float>();
  return std::vector<float>(data, data + t.numel());
}

ConvWeights Arranged(const FoldedConv& conv, bool depthwise) {
  const torch::Tensor w = depthwise ? conv.weight.permute({1, 2, 3, 0})
                                    : conv.weight.permute({0, 2, 3, 1});
  ConvWeights arranged;
  for (const int64_t d : w.sizes())
    arranged.shape.Append(static_cast<int32_t>(d));
  arranged.weights = Values(w);
  arranged.bias = Values(conv.bias);
  return arranged;
}

torch::Tensor IndexOf(const std::vector<int>& positions) {
  return torch::tensor(std::vector<int64_t>(positions.begin(), positions.end()),
                       torch::kInt64);
}

}  // namespace munja::train
