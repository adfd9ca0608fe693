#include "compress/calibration/recording_session.h"

#include <utility>

namespace munja::compress {
namespace {

using runtime::Session;

class RecordingSession final : public Session {
 public:
  RecordingSession(std::unique_ptr<Session> session,
                   std::shared_ptr<Recording> recording)
      : session_(std::move(session)), recording_(std::move(recording)) {}

  std::span<const runtime::TensorInfo> inputs() const override {
    return session_->inputs();
  }
  std::span<const runtime::TensorInfo> outputs() const override {
    return session_->outputs();
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
    recording_->Add(inputs);
    return session_->Run(inputs);
  }
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    return session_->Plan(inputs);
  }
  Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override {
    MUNJA_ASSIGN_OR_RETURN(auto fork, session_->Fork(std::move(pool)));
    return Record(std::move(fork), recording_);
  }
  std::vector<runtime::NodeProfile> Profile() const override {
    return session_->Profile();
  }
  void ResetProfile() override { session_->ResetProfile(); }
  runtime::MemoryUse memory() const override { return session_->memory(); }
  void ResetVariables() override { session_->ResetVariables(); }

 private:
  std::unique_ptr<Session> session_;
  std::shared_ptr<Recording> recording_;
};

}  // namespace

void Recording::Add(std::span<const TensorView> inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++runs_;
  size_t place = samples_.size();
  if (place >= limit_) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    place = static_cast<size_t>((random_ >> 33) % static_cast<uint64_t>(runs_));
    if (place >= limit_) return;
  }
  Sample sample;
  for (const TensorView& view : inputs) {
    if (view.type != ElementType::kFloat32) return;
    sample.push_back({view.shape, ToFloats(view)});
  }
  if (place == samples_.size()) {
    samples_.push_back(std::move(sample));
  } else {
    samples_[place] = std::move(sample);
  }
}

std::unique_ptr<Session> Record(std::unique_ptr<Session> session,
                                std::shared_ptr<Recording> recording) {
  return std::make_unique<RecordingSession>(std::move(session),
                                            std::move(recording));
}

}  // namespace munja::compress
