#include "quantize/calibration.h"

#include <optional>
#include <utility>

#include "base/control.h"
#include "compress/calibration/recording_session.h"
#include "image/decode.h"
#include "image/transform.h"
#include "reading/pipeline.h"
#include "reading/read/orientation_classifier.h"
#include "reading/stage_sink.h"
#include "runtime/session.h"
#include "text/dictionary.h"

namespace munja::tools {
namespace {

using compress::Recording;

Result<std::unique_ptr<runtime::Session>> RecordedSession(
    const std::shared_ptr<const graph::Graph>& graph,
    std::shared_ptr<ThreadPool> pool, std::shared_ptr<Recording> recording) {
  runtime::SessionOptions options;
  options.pool = std::move(pool);
  MUNJA_ASSIGN_OR_RETURN(auto session, runtime::CreateSession(graph, options));
  return compress::Record(std::move(session), std::move(recording));
}

// Shows a classifier each line once more, upside down: calibrated on upright
// lines alone it would never find one that is not.
class TurnedLines final : public ocr::StageSink {
 public:
  explicit TurnedLines(ocr::OrientationClassifier classifier)
      : classifier_(std::move(classifier)) {}
  Status OnLines(std::span<const ocr::PageLine> lines) override {
    for (const ocr::PageLine& line : lines)
      MUNJA_RETURN_IF_ERROR(Show(line.crop.pixels.view()));
    return Status();
  }
  Status Show(const image::ImageView& line) {
    MUNJA_ASSIGN_OR_RETURN(const image::Image turned, image::Rotate(line, 2));
    return classifier_.IsUpsideDown(turned.view()).TakeStatus();
  }

 private:
  ocr::OrientationClassifier classifier_;
};

}  // namespace

Result<CalibrationData> Calibrate(const bundle::Bundle& bundle,
                                  const CalibrationPictures& pictures,
                                  const std::shared_ptr<ThreadPool>& pool) {
  if (pictures.files.empty())
    return InvalidArgument("there are no calibration pictures");
  ocr::Config contract = bundle.manifest.config;
  // High-resolution passes over larger pages show the same text once more.
  contract.detector.dense_limit_side = 0;
  // So do lines that are read to see which way a page stands.
  contract.turn_pages = false;
  auto pages = std::make_shared<Recording>(pictures.max_pages);
  auto lines = std::make_shared<Recording>(pictures.max_lines);
  auto turns = std::make_shared<Recording>(pictures.max_lines);
  ocr::Networks networks;
  networks.name = bundle.manifest.name;
  MUNJA_ASSIGN_OR_RETURN(networks.detector,
                         RecordedSession(bundle.detector, pool, pages));
  // One after the other: the order of lines decides which are kept.
  MUNJA_ASSIGN_OR_RETURN(networks.recognizer,
                         RecordedSession(bundle.recognizer, nullptr, lines));
  std::optional<TurnedLines> turned;
  if (bundle.classifier) {
    MUNJA_ASSIGN_OR_RETURN(networks.classifier,
                           RecordedSession(bundle.classifier, nullptr, turns));
    MUNJA_ASSIGN_OR_RETURN(auto session, networks.classifier->Fork(nullptr));
    MUNJA_ASSIGN_OR_RETURN(ocr::OrientationClassifier classifier,
                           ocr::OrientationClassifier::Create(
                               std::move(session), contract.classifier));
    turned.emplace(std::move(classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(text::Dictionary dictionary,
                         text::Dictionary::Parse(
                             bundle.dictionary, contract.recognizer.use_space));
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary));
  MUNJA_ASSIGN_OR_RETURN(
      const auto pipeline,
      ocr::Pipeline::Create(std::move(networks), contract, nullptr));
  CalibrationData data;
  Status first_failure;
  for (size_t i = 0; i < pictures.files.size(); ++i) {
    ReportProgress("calibration pictures", i, pictures.files.size());
    const ControlScope step(CurrentControl(), ControlScope::kSilent);
    auto image = image::DecodeFile(pictures.files[i]);
    MUNJA_RETURN_IF_ERROR(CheckControl());
    if (!image.ok()) {
      data.unreadable.emplace_back(image.status().message());
      if (first_failure.ok()) first_failure = image.status().Clone();
      continue;
    }
    if (pictures.are_lines) {
      MUNJA_RETURN_IF_ERROR(
          pipeline->RecognizeLine(image->view()).TakeStatus());
      if (turned) MUNJA_RETURN_IF_ERROR(turned->Show(image->view()));
      ++data.lines;
    } else {
      MUNJA_ASSIGN_OR_RETURN(
          const auto document,
          pipeline->Recognize(image->view(), turned ? &*turned : nullptr));
      data.lines += static_cast<int64_t>(document.lines.size());
    }
  }
  if (data.unreadable.size() == pictures.files.size())
    return std::move(first_failure).With("no calibration picture can be read");
  data.detector = pages->Take();
  data.recognizer = lines->Take();
  data.classifier = turns->Take();
  return data;
}

}  // namespace munja::tools
