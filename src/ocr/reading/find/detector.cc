#include "reading/find/detector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace munja::ocr {
namespace {

// DB networks output a probability map of the input's own size.
Status CheckOutput(const TensorView& output, int width, int height) {
  if (output.type == ElementType::kFloat32 &&
      output.shape.elements() == static_cast<int64_t>(width) * height) {
    return Status();
  }
  return InvalidArgument("the detector gives a " +
                         std::string(ElementTypeName(output.type)) +
                         " tensor of shape " + output.shape.ToString() +
                         " where a float32 map of 1x" + std::to_string(height) +
                         "x" + std::to_string(width) + "x1 is expected");
}

// `picture` at its place in `out`, mid-gray around it.
void Pad(const image::ImageView& picture, const DetectorInput& size,
         image::Image& out) {
  // Near the mean of the training images in all three channels.
  constexpr uint8_t kGray = 114;
  for (int y = 0; y < out.height(); ++y) {
    uint8_t* row = out.row(y);
    std::memset(row, kGray, out.stride());
    const int from = y - size.top;
    if (from < 0 || from >= picture.height) continue;
    std::memcpy(row + static_cast<size_t>(size.left) * 3, picture.row(from),
                static_cast<size_t>(picture.width) * 3);
  }
}

}  // namespace

DetectorInput PlanDetectorInput(int page_width, int page_height,
                                const DetectorConfig& config) {
  const double longer = std::max(page_width, page_height);
  const double shorter = std::min(page_width, page_height);
  double ratio = 1.0;
  if (config.limit_type == LimitType::kMax && longer > config.limit_side)
    ratio = config.limit_side / longer;
  if (config.limit_type == LimitType::kMin && shorter < config.limit_side)
    ratio = config.limit_side / shorter;
  if (longer * ratio > config.max_side) ratio = config.max_side / longer;
  const int m = config.side_multiple;
  DetectorInput input;
  if (config.fit == InputFit::kStretch) {
    const auto side = [&](int length) {
      // Half to even, as the reference rounds.
      return std::max(static_cast<int>(std::nearbyint(length * ratio / m)), 1) *
             m;
    };
    input.width = input.scaled_width = side(page_width);
    input.height = input.scaled_height = side(page_height);
    return input;
  }
  const auto scaled = [&](int length) {
    return std::max(static_cast<int>(length * ratio + 1e-9), 1);
  };
  const auto padded = [&](int length) { return (length + m - 1) / m * m; };
  input.scaled_width = scaled(page_width);
  input.scaled_height = scaled(page_height);
  input.width = padded(input.scaled_width);
  input.height = padded(input.scaled_height);
  input.left = (input.width - input.scaled_width) / 2;
  input.top = (input.height - input.scaled_height) / 2;
  return input;
}

int MaxSide(const DetectorConfig& config) {
  if (config.limit_type == LimitType::kMin) return config.max_side;
  return std::min(std::max(config.limit_side, config.dense_limit_side),
                  config.max_side);
}

Placement PlaceInInput(int page_width, int page_height,
                       const DetectorInput& input) {
  return {static_cast<float>(input.left), static_cast<float>(input.top),
          static_cast<float>(page_width) / input.scaled_width,
          static_cast<float>(page_height) / input.scaled_height};
}

Result<Detector> Detector::Create(std::unique_ptr<runtime::Session> session,
                                  const DetectorConfig& config) {
  MUNJA_RETURN_IF_ERROR(CheckImageInput(*session).With("detector"));
  return Detector(std::move(session), config);
}

Result<Detector> Detector::Fork(std::shared_ptr<ThreadPool> pool) const {
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                         session_->Fork(std::move(pool)));
  return Detector(std::move(session), config_);
}

DetectorInput Detector::PlanInput(const image::ImageView& page,
                                  int limit_side) const {
  DetectorConfig config = config_;
  config.limit_side = limit_side;
  return PlanDetectorInput(page.width, page.height, config);
}

Result<Detector::Output> Detector::Run(const image::ImageView& page,
                                       int limit_side,
                                       std::span<const InputZone> zones,
                                       ThreadPool* pool) {
  const DetectorInput size = PlanInput(page, limit_side);
  image::ImageView view = page;
  if (size.scaled_width != page.width || size.scaled_height != page.height) {
    MUNJA_RETURN_IF_ERROR(
        resized_.Resize(size.scaled_width, size.scaled_height));
    MUNJA_RETURN_IF_ERROR(image::Resize(page, resized_, pool));
    view = resized_.view();
  }
  if (size.width != view.width || size.height != view.height) {
    MUNJA_RETURN_IF_ERROR(padded_.Resize(size.width, size.height));
    Pad(view, size, padded_);
    view = padded_.view();
  }
  const size_t count = static_cast<size_t>(size.width) * size.height;
  const float* map = nullptr;
  if (zones.empty()) {
    MUNJA_ASSIGN_OR_RETURN(const TensorView output, RunNetwork(view, pool));
    map = output.as<float>();
  } else {
    MUNJA_RETURN_IF_ERROR(RunZones(view, zones, pool));
    map = map_.as<float>();
  }
  return Output{ProbabilityMap{{map, count},
                               size.width,
                               size.height,
                               PlaceInInput(page.width, page.height, size)},
                view};
}

Result<TensorView> Detector::RunNetwork(const image::ImageView& input,
                                        ThreadPool* pool) {
  MUNJA_ASSIGN_OR_RETURN(const TensorView tensor,
                         input_.Fill(input, input.width, pool));
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs,
                         session_->Run({&tensor, 1}));
  MUNJA_RETURN_IF_ERROR(CheckOutput(outputs[0], input.width, input.height));
  return outputs[0];
}

Status Detector::RunZones(const image::ImageView& input,
                          std::span<const InputZone> zones, ThreadPool* pool) {
  const size_t line = static_cast<size_t>(input.width);
  const size_t bytes = line * input.height * sizeof(float);
  if (map_.size() < bytes) {
    map_ = Buffer();
    MUNJA_ASSIGN_OR_RETURN(map_, Buffer::Allocate(bytes));
  }
  std::memset(map_.data(), 0, bytes);
  for (const InputZone& zone : zones) {
    const image::ImageView part = {
        input.row(zone.top) + static_cast<size_t>(zone.left) * 3, zone.width,
        zone.height, input.stride};
    MUNJA_ASSIGN_OR_RETURN(const TensorView output, RunNetwork(part, pool));
    const float* from = output.as<float>();
    float* to = map_.as<float>() + zone.top * line + zone.left;
    for (int y = 0; y < zone.height; ++y, from += zone.width, to += line)
      std::copy_n(from, zone.width, to);
  }
  return Status();
}

}  // namespace munja::ocr
