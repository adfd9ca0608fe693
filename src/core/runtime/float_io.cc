#include "runtime/float_io.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/input_check.h"

namespace munja::runtime {
namespace {

bool IsConverted(const TensorInfo& info) {
  return info.quantization.scales.size() == 1 &&
         (info.type == ElementType::kInt8 || info.type == ElementType::kUInt8 ||
          info.type == ElementType::kInt16);
}

double ZeroOf(const Quantization& q) {
  return q.zero_points.empty() ? 0.0 : static_cast<double>(q.zero_points[0]);
}

template <class T>
void Store(const TensorView& from, const Quantization& q, uint8_t* to) {
  const auto count = static_cast<size_t>(from.shape.elements());
  const float* in = from.as<float>();
  T* out = reinterpret_cast<T*>(to);
  const float scale = q.scales[0];
  const auto zero = static_cast<float>(ZeroOf(q));
  for (size_t i = 0; i < count; ++i) {
    // NaN becomes the least value.
    const float x = std::round(in[i] / scale) + zero;
    const float low = std::numeric_limits<T>::min();
    const float high = std::numeric_limits<T>::max();
    out[i] = static_cast<T>(x >= low ? std::min(x, high) : low);
  }
}

template <class T>
void Load(const TensorView& from, const Quantization& q, float* out) {
  const auto count = static_cast<size_t>(from.shape.elements());
  const T* in = from.as<T>();
  const float scale = q.scales[0];
  const auto zero = static_cast<int32_t>(ZeroOf(q));
  for (size_t i = 0; i < count; ++i)
    out[i] = scale * static_cast<float>(in[i] - zero);
}

class FloatIoSession final : public Session {
 public:
  FloatIoSession(std::unique_ptr<Session> session, bool takes_floats)
      : session_(std::move(session)), takes_floats_(takes_floats) {
    const auto as_float = [](std::span<const TensorInfo> from,
                             std::vector<TensorInfo>* to) {
      to->assign(from.begin(), from.end());
      for (TensorInfo& info : *to) {
        if (!IsConverted(info)) continue;
        info.type = ElementType::kFloat32;
      }
    };
    if (takes_floats_) as_float(session_->inputs(), &inputs_);
    as_float(session_->outputs(), &outputs_);
    stored_.resize(inputs_.size());
    loaded_.resize(outputs_.size());
  }

  std::span<const TensorInfo> inputs() const override {
    return takes_floats_ ? inputs_ : session_->inputs();
  }
  std::span<const TensorInfo> outputs() const override { return outputs_; }

  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
    MUNJA_RETURN_IF_ERROR(CheckInputs(this->inputs(), inputs));
    views_.assign(inputs.begin(), inputs.end());
    for (size_t i = 0; i < views_.size(); ++i) {
      const TensorInfo& info = session_->inputs()[i];
      if (!takes_floats_ || !IsConverted(info)) continue;
      const auto count = static_cast<size_t>(inputs[i].shape.elements());
      const size_t bytes = count * ElementSize(info.type);
      if (stored_[i].size() < bytes) stored_[i].resize(bytes);
      uint8_t* to = stored_[i].data();
      if (info.type == ElementType::kInt8)
        Store<int8_t>(inputs[i], info.quantization, to);
      else if (info.type == ElementType::kUInt8)
        Store<uint8_t>(inputs[i], info.quantization, to);
      else
        Store<int16_t>(inputs[i], info.quantization, to);
      views_[i].type = info.type;
      views_[i].data = to;
      views_[i].bytes = bytes;
      views_[i].quantization = &info.quantization;
    }
    MUNJA_ASSIGN_OR_RETURN(const auto results, session_->Run(views_));
    views_.assign(results.begin(), results.end());
    for (size_t i = 0; i < views_.size(); ++i) {
      const TensorInfo& info = session_->outputs()[i];
      if (!IsConverted(info)) continue;
      const auto count = static_cast<size_t>(results[i].shape.elements());
      if (loaded_[i].size() < count) loaded_[i].resize(count);
      float* to = loaded_[i].data();
      if (info.type == ElementType::kInt8)
        Load<int8_t>(results[i], info.quantization, to);
      else if (info.type == ElementType::kUInt8)
        Load<uint8_t>(results[i], info.quantization, to);
      else
        Load<int16_t>(results[i], info.quantization, to);
      views_[i].type = ElementType::kFloat32;
      views_[i].data = to;
      views_[i].bytes = count * sizeof(float);
      views_[i].quantization = nullptr;
    }
    return std::span<const TensorView>(views_);
  }

  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    return session_->Plan(inputs);
  }
  Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override {
    MUNJA_ASSIGN_OR_RETURN(auto fork, session_->Fork(std::move(pool)));
    return takes_floats_ ? WithFloatIo(std::move(fork))
                         : WithFloatOutputs(std::move(fork));
  }
  std::vector<NodeProfile> Profile() const override {
    return session_->Profile();
  }
  void ResetProfile() override { session_->ResetProfile(); }
  MemoryUse memory() const override { return session_->memory(); }
  std::vector<NodeOwner> Owners() const override { return session_->Owners(); }
  void ResetVariables() override { session_->ResetVariables(); }

 private:
  std::unique_ptr<Session> session_;
  bool takes_floats_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::vector<std::vector<uint8_t>> stored_;
  std::vector<std::vector<float>> loaded_;
  std::vector<TensorView> views_;
};

bool AreAnyConverted(std::span<const TensorInfo> infos) {
  return std::any_of(infos.begin(), infos.end(), IsConverted);
}

}  // namespace

std::unique_ptr<Session> WithFloatIo(std::unique_ptr<Session> session) {
  if (!AreAnyConverted(session->inputs()))
    return WithFloatOutputs(std::move(session));
  return std::make_unique<FloatIoSession>(std::move(session), true);
}

std::unique_ptr<Session> WithFloatOutputs(std::unique_ptr<Session> session) {
  if (!AreAnyConverted(session->outputs())) return session;
  return std::make_unique<FloatIoSession>(std::move(session), false);
}

}  // namespace munja::runtime
