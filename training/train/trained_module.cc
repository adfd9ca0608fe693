#include "train/trained_module.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace munja::train {
namespace {

constexpr double kEpsilon = 1e-8;

CheckpointTensor ToCheckpoint(const torch::Tensor& tensor) {
  const torch::Tensor plain =
      tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  CheckpointTensor out;
  out.shape = plain.sizes().vec();
  const float* data = plain.data_ptr<float>();
  out.values.assign(data, data + plain.numel());
  return out;
}

Status CopyFrom(const Checkpoint& checkpoint, const std::string& name,
                torch::Tensor to) {
  const auto found = checkpoint.tensors.find(name);
  if (found == checkpoint.tensors.end())
    return Malformed("the checkpoint has no '" + name +
                     "'; it belongs to another network");
  const CheckpointTensor& from = found->second;
  if (to.sizes() != at::IntArrayRef(from.shape)) {
    std::string shape;
    for (int64_t side : from.shape) shape += " " + std::to_string(side);
    return Malformed("'" + name + "' of the checkpoint has the shape" + shape +
                     "; it belongs to another network");
  }
  torch::NoGradGuard no_gradients;
  to.copy_(torch::from_blob(const_cast<float*>(from.values.data()), from.shape,
                            torch::kFloat32));
  return Status();
}

}  // namespace

Status LoadWeights(torch::nn::Module& module, const Checkpoint& checkpoint,
                   const std::string& prefix) {
  for (const auto& item : module.named_parameters())
    MUNJA_RETURN_IF_ERROR(
        CopyFrom(checkpoint, prefix + item.key(), item.value()));
  for (const auto& item : module.named_buffers())
    if (item.value().is_floating_point())
      MUNJA_RETURN_IF_ERROR(
          CopyFrom(checkpoint, prefix + item.key(), item.value()));
  return Status();
}

TrainedModule::TrainedModule(torch::nn::Module& module, torch::Device device)
    : device_(device) {
  module.to(device);
  torch::NoGradGuard no_gradients;
  auto parameters = module.named_parameters().items();
  // Kernels first: scales, shifts and biases are not decayed.
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const auto& a, const auto& b) {
                     return (a.value().dim() >= 2) > (b.value().dim() >= 2);
                   });
  int64_t count = 0;
  for (const auto& item : parameters) {
    const torch::Tensor& value = item.value();
    parts_.push_back({item.key(), value.sizes().vec(), count, value.numel()});
    count += value.numel();
    if (value.dim() >= 2) decayed_ = count;
  }
  const auto options =
      torch::TensorOptions().dtype(torch::kFloat32).device(device);
  values_ = torch::zeros({count}, options);
  gradients_ = torch::zeros({count}, options);
  moment1_ = torch::zeros({count}, options);
  moment2_ = torch::zeros({count}, options);
  for (size_t i = 0; i < parts_.size(); ++i) {
    torch::Tensor value = parameters[i].value();
    torch::Tensor place = View(values_, parts_[i]);
    place.copy_(value);
    value.set_data(place);
    // Backward adds to a gradient that is there already, in place.
    value.mutable_grad() = View(gradients_, parts_[i]);
  }
  average_ = values_.clone();
  for (const auto& item : module.named_buffers())
    if (item.value().is_floating_point())
      statistics_.push_back({item.key(), item.value(), item.value().clone()});
}

torch::Tensor TrainedModule::View(const torch::Tensor& flat,
                                  const Part& part) const {
  return flat.narrow(0, part.begin, part.count).view(part.shape);
}

void TrainedModule::ResetAverage() {
  torch::NoGradGuard no_gradients;
  average_.copy_(values_);
  for (Statistic& s : statistics_) s.average.copy_(s.value);
}

double TrainedModule::Step(const OptimizerSettings& settings,
                           double learning_rate, uint64_t step) {
  torch::NoGradGuard no_gradients;
  const double norm = gradients_.norm().item<double>();
  if (!std::isfinite(norm)) {
    gradients_.zero_();
    return norm;
  }
  if (norm > settings.clip) gradients_.mul_(settings.clip / norm);
  const double count = static_cast<double>(step + 1);
  const double bias1 = 1 - std::pow(settings.beta1, count);
  const double bias2 = 1 - std::pow(settings.beta2, count);
  moment1_.mul_(settings.beta1).add_(gradients_, 1 - settings.beta1);
  moment2_.mul_(settings.beta2)
      .addcmul_(gradients_, gradients_, 1 - settings.beta2);
  gradients_.copy_(moment2_).div_(bias2).sqrt_().add_(kEpsilon);
  values_.narrow(0, 0, decayed_)
      .mul_(1 - learning_rate * settings.weight_decay);
  values_.addcdiv_(moment1_, gradients_, -learning_rate / bias1);
  gradients_.zero_();
  // Young averages forget faster, or they would hold the random start.
  const double keep =
      std::min<double>(settings.average, (1 + count) / (10 + count));
  average_.lerp_(values_, 1 - keep);
  for (Statistic& s : statistics_) s.average.lerp_(s.value, 1 - keep);
  return norm;
}

void TrainedModule::SwapAverage() {
  torch::NoGradGuard no_gradients;
  const torch::Tensor held = values_.clone();
  values_.copy_(average_);
  average_.copy_(held);
  for (Statistic& s : statistics_) {
    const torch::Tensor value = s.value.clone();
    s.value.copy_(s.average);
    s.average.copy_(value);
  }
}

void TrainedModule::Save(Checkpoint* checkpoint) const {
  auto& tensors = checkpoint->tensors;
  for (const Part& part : parts_) {
    tensors["weights/" + part.name] = ToCheckpoint(View(values_, part));
    tensors["average/" + part.name] = ToCheckpoint(View(average_, part));
    tensors["moment1/" + part.name] = ToCheckpoint(View(moment1_, part));
    tensors["moment2/" + part.name] = ToCheckpoint(View(moment2_, part));
  }
  for (const Statistic& s : statistics_) {
    tensors["weights/" + s.name] = ToCheckpoint(s.value);
    tensors["average/" + s.name] = ToCheckpoint(s.average);
  }
}

Status TrainedModule::Load(const Checkpoint& checkpoint) {
  for (const Part& part : parts_) {
    for (const auto& [prefix, flat] :
         {std::pair{"weights/", &values_}, std::pair{"average/", &average_},
          std::pair{"moment1/", &moment1_}, std::pair{"moment2/", &moment2_}})
      MUNJA_RETURN_IF_ERROR(
          CopyFrom(checkpoint, prefix + part.name, View(*flat, part)));
  }
  for (const Statistic& s : statistics_) {
    MUNJA_RETURN_IF_ERROR(CopyFrom(checkpoint, "weights/" + s.name, s.value));
    MUNJA_RETURN_IF_ERROR(CopyFrom(checkpoint, "average/" + s.name, s.average));
  }
  return Status();
}

AverageInPlace::AverageInPlace(torch::nn::Module& module,
                               TrainedModule& trained)
    : module_(module), trained_(trained) {
  trained_.SwapAverage();
  module_.eval();
}

AverageInPlace::~AverageInPlace() {
  trained_.SwapAverage();
  module_.train();
}

}  // namespace munja::train
