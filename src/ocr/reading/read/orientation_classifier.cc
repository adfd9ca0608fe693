#include "reading/read/orientation_classifier.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace munja::ocr {

Result<OrientationClassifier> OrientationClassifier::Create(
    std::unique_ptr<runtime::Session> session, const ClassifierConfig& config) {
  MUNJA_RETURN_IF_ERROR(CheckImageInput(*session).With("classifier"));
  const Shape input{1, config.height, config.width, 3};
  auto shapes = session->Plan({&input, 1});
  if (!shapes.ok()) return std::move(shapes).TakeStatus().With("classifier");
  if (shapes.value()[0].elements() != 2) {
    return InvalidArgument("classifier: the output has shape " +
                           shapes.value()[0].ToString() +
                           ", wants two probabilities");
  }
  return OrientationClassifier(std::move(session), config);
}

Result<OrientationClassifier> OrientationClassifier::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                         session_->Fork(nullptr));
  return OrientationClassifier(std::move(session), config_);
}

Result<bool> OrientationClassifier::IsUpsideDown(const image::ImageView& line) {
  image::ImageView source = line;
  int width = config_.width;
  if (config_.keep_aspect) {
    // The start of a long line tells enough; a squeezed one tells less.
    const double scale = static_cast<double>(config_.height) / line.height;
    source.width = std::min(
        line.width, std::max(1, static_cast<int>(config_.width / scale)));
    width = std::clamp(static_cast<int>(std::lround(source.width * scale)), 1,
                       config_.width);
  }
  MUNJA_RETURN_IF_ERROR(resized_.Resize(width, config_.height));
  MUNJA_RETURN_IF_ERROR(image::Resize(source, resized_));
  MUNJA_ASSIGN_OR_RETURN(const TensorView input,
                         input_.Fill(resized_.view(), config_.width, nullptr));
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs,
                         session_->Run({&input, 1}));
  // The model may give something else than it said.
  if (outputs[0].type != ElementType::kFloat32 ||
      outputs[0].shape.elements() != 2)
    return Malformed("the classifier gives a " +
                     std::string(ElementTypeName(outputs[0].type)) +
                     " tensor of shape " + outputs[0].shape.ToString() +
                     " where two float32 are expected");
  const float* probabilities = outputs[0].as<float>();
  return probabilities[1] > probabilities[0] &&
         probabilities[1] >= config_.threshold;
}

}  // namespace munja::ocr
