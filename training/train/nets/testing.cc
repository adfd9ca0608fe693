#include "train/nets/testing.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace munja::train::testing {

void RandomizeNormalization(torch::nn::Module& net) {
  torch::NoGradGuard no_gradients;
  for (const auto& module : net.modules()) {
    auto* norm = module->as<torch::nn::BatchNorm2dImpl>();
    if (norm == nullptr) continue;
    norm->weight.uniform_(0.7, 1.3);
    norm->bias.uniform_(-0.3, 0.3);
    norm->running_mean.uniform_(-0.2, 0.2);
    norm->running_var.uniform_(0.5, 2.0);
  }
}

torch::Tensor RandomPictures(int count, int height, int width) {
  return torch::rand({count, 3, height, width}) * 2.0 - 1.0;
}

Result<std::unique_ptr<runtime::Session>> MakeSession(graph::Graph graph) {
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  runtime::SessionOptions options;
  options.profile = true;
  return runtime::CreateSession(
      std::make_shared<const graph::Graph>(std::move(graph)), options);
}

Result<torch::Tensor> RunPicture(runtime::Session& session,
                                 const torch::Tensor& picture) {
  const torch::Tensor nhwc = picture.permute({0, 2, 3, 1}).contiguous();
  TensorView view;
  view.type = ElementType::kFloat32;
  for (const int64_t d : nhwc.sizes())
    view.shape.Append(static_cast<int32_t>(d));
  view.data = nhwc.data_ptr<float>();
  view.bytes = static_cast<size_t>(nhwc.numel()) * sizeof(float);
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, session.Run({&view, 1}));
  std::vector<int64_t> sizes(outputs[0].shape.dims().begin(),
                             outputs[0].shape.dims().end());
  torch::Tensor result = torch::empty(sizes);
  const float* from = outputs[0].as<float>();
  std::copy(from, from + result.numel(), result.data_ptr<float>());
  return result;
}

Result<int64_t> MultiplyAccumulates(graph::Graph graph, int height, int width) {
  MUNJA_ASSIGN_OR_RETURN(const auto session, MakeSession(std::move(graph)));
  MUNJA_RETURN_IF_ERROR(
      RunPicture(*session, RandomPictures(1, height, width)).TakeStatus());
  int64_t sum = 0;
  for (const runtime::NodeProfile& row : session->Profile())
    sum += row.multiply_accumulates;
  return sum;
}

RecognizerConfig SmallRecognizer() {
  RecognizerConfig config;
  config.channels = {8, 12, 16, 20};
  return config;
}

double LargestDifference(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>()
                                : std::numeric_limits<double>::infinity();
}

}  // namespace munja::train::testing
