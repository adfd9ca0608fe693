// Orientation: is a line upright or upside down?
#ifndef MUNJA_READING_READ_ORIENTATION_CLASSIFIER_H_
#define MUNJA_READING_READ_ORIENTATION_CLASSIFIER_H_

#include <memory>

#include "base/status.h"
#include "image/image.h"
#include "reading/network/config.h"
#include "reading/network/network_input.h"
#include "runtime/session.h"

namespace munja::ocr {

// One caller at a time; Fork() gives another that shares the weights.
class OrientationClassifier {
 public:
  // The session takes 1 x height x width x 3 float32 and gives two
  // probabilities: upright, upside down.
  static Result<OrientationClassifier> Create(
      std::unique_ptr<runtime::Session> session,
      const ClassifierConfig& config);

  // True when the line is upside down with at least the config's threshold.
  Result<bool> IsUpsideDown(const image::ImageView& line);

  Result<OrientationClassifier> Fork() const;

 private:
  OrientationClassifier(std::unique_ptr<runtime::Session> session,
                        const ClassifierConfig& config)
      : session_(std::move(session)),
        config_(config),
        input_(session_->inputs()[0], config.normalization) {}

  std::unique_ptr<runtime::Session> session_;
  ClassifierConfig config_;
  image::Image resized_;
  ImageInput input_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_ORIENTATION_CLASSIFIER_H_
