#include "ocr/detector.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ocr/network_input.h"

namespace munja::ocr {
namespace {

// A text map of the input's own size is what DB networks give.
Status CheckOutput(const TensorView& output, InputSize size) {
  if (output.type == ElementType::kFloat32 &&
      output.shape.elements() ==
          static_cast<int64_t>(size.width) * size.height) {
    return Status();
  }
  return InvalidArgument(
      "the detector gives a " + std::string(ElementTypeName(output.type)) +
      " tensor of shape " + output.shape.ToString() +
      " where a float32 map of 1x" + std::to_string(size.height) + "x" +
      std::to_string(size.width) + "x1 is expected");
}

}  // namespace

InputSize DetectorInputSize(int page_width, int page_height,
                            const DetectorContract& contract) {
  const double longer = std::max(page_width, page_height);
  const double shorter = std::min(page_width, page_height);
  double ratio = 1.0;
  if (contract.limit_type == LimitType::kMax && longer > contract.limit_side)
    ratio = contract.limit_side / longer;
  if (contract.limit_type == LimitType::kMin && shorter < contract.limit_side)
    ratio = contract.limit_side / shorter;
  if (longer * ratio > contract.max_side) ratio = contract.max_side / longer;
  const auto side = [&](int length) {
    const int m = contract.side_multiple;
    // Half to even, as the reference rounds.
    const int steps = static_cast<int>(std::nearbyint(length * ratio / m));
    return std::max(steps, 1) * m;
  };
  return {side(page_width), side(page_height)};
}

Result<Detector> Detector::Create(std::unique_ptr<runtime::Session> session,
                                  const DetectorContract& contract) {
  MUNJA_RETURN_IF_ERROR(CheckPictureInput(*session).With("detector"));
  return Detector(std::move(session), contract);
}

Result<Detector::Output> Detector::Run(const image::ImageView& page,
                                       ThreadPool* pool) {
  const InputSize size = DetectorInputSize(page.width, page.height, contract_);
  image::ImageView view = page;
  if (size.width != page.width || size.height != page.height) {
    MUNJA_RETURN_IF_ERROR(EnsureSize(size.width, size.height, resized_));
    MUNJA_RETURN_IF_ERROR(image::Resize(page, resized_, pool));
    view = resized_.view();
  }
  MUNJA_ASSIGN_OR_RETURN(
      const TensorView input,
      FillInput(view, view.width, contract_.normalization, input_, pool));
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs,
                         session_->Run({&input, 1}));
  MUNJA_RETURN_IF_ERROR(CheckOutput(outputs[0], size));
  const size_t count = static_cast<size_t>(size.width) * size.height;
  return Output{
      TextMap{{outputs[0].as<float>(), count}, size.width, size.height}, view};
}

}  // namespace munja::ocr
