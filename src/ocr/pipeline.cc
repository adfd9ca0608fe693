#include "ocr/pipeline.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/control.h"
#include "base/log.h"
#include "document/reading_order.h"
#include "ocr/dense_page.h"
#include "ocr/line_budget.h"

namespace munja::ocr {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

std::vector<TextBox> InReadingOrder(const std::vector<TextBox>& boxes) {
  std::vector<geometry::Quad> quads;
  for (const TextBox& box : boxes) quads.push_back(box.quad);
  std::vector<TextBox> ordered;
  for (const size_t i : document::ReadingOrder(quads))
    ordered.push_back(boxes[i]);
  return ordered;
}

// A picture so long that scaling it to the detector's limit leaves nothing of
// its text is most likely a single line.
bool IsStrip(const image::ImageView& page) {
  constexpr int kLongFor = 8;
  const int longer = std::max(page.width, page.height);
  return longer >= kLongFor * std::min(page.width, page.height);
}

// What is read in such a picture counts when it is read with confidence: it
// may as well hold no text at all.
constexpr float kStripConfidence = 0.6f;

document::Line MakeLine(const Reading& reading) {
  document::Line line;
  line.text = reading.text.text;
  line.confidence = reading.text.confidence;
  line.polygon = reading.polygon;
  return line;
}

}  // namespace

Result<document::Document> Pipeline::Recognize(
    const image::ImageView& page, StageSink* sink,
    std::optional<float> min_confidence) {
  StageSink silent;
  if (sink == nullptr) sink = &silent;

  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<TextBox> boxes, Detect(page, sink));
  const double detect_ms = MillisecondsSince(start);

  const Clock::time_point recognize_start = Clock::now();
  // Nobody looks at the lines between: each is cut when it is read.
  lines_.clear();
  if (sink != &silent) {
    MUNJA_RETURN_IF_ERROR(readers_.CutAll(page, boxes, lines_));
    MUNJA_RETURN_IF_ERROR(sink->OnLines(lines_));
  }
  MUNJA_RETURN_IF_ERROR(readers_.ReadAll(page, boxes, lines_, readings_));

  document::Document result;
  const bool is_guess = boxes.size() == 1 && boxes[0].score == 0;
  const float wanted = min_confidence.value_or(contract_.min_confidence);
  const float least = is_guess ? std::max(wanted, kStripConfidence) : wanted;
  for (const Reading& reading : readings_) {
    if (!reading.text.text.empty() && !(reading.text.confidence < least))
      result.lines.push_back(MakeLine(reading));
  }
  result.model = name_;
  result.width = page.width;
  result.height = page.height;
  result.timing.detect = detect_ms;
  result.timing.recognize = MillisecondsSince(recognize_start);
  result.timing.total = MillisecondsSince(start);
  MUNJA_RETURN_IF_ERROR(sink->OnDocument(result));
  return result;
}

Result<std::vector<TextBox>> Pipeline::Detect(const image::ImageView& page,
                                              StageSink* sink) {
  StageSink silent;
  if (sink == nullptr) sink = &silent;
  const DetectorContract& contract = contract_.detector;
  MUNJA_ASSIGN_OR_RETURN(Detector::Output output,
                         detector_.Run(page, pool_.get()));
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<TextBox> found,
      FindBoxes(output.map, contract, page.width, page.height, &box_memory_));
  if (const auto limit = DenseLimit(found, contract, page.width, page.height)) {
    MUNJA_ASSIGN_OR_RETURN(output, detector_.Run(page, *limit, pool_.get()));
    MUNJA_ASSIGN_OR_RETURN(found, FindBoxes(output.map, contract, page.width,
                                            page.height, &box_memory_));
  }
  MUNJA_RETURN_IF_ERROR(CheckControl());
  const size_t left_out = KeepColumns(
      MostColumns(output.map.width, output.map.height, contract_.recognizer),
      contract_.recognizer, &found);
  if (left_out > 0) {
    Log(Severity::kWarning,
        "the detector finds more lines than fit on the page: the weakest " +
            std::to_string(left_out) + " are left out");
  }
  MUNJA_RETURN_IF_ERROR(sink->OnInput(output.input));
  MUNJA_RETURN_IF_ERROR(sink->OnTextMap(output.map));
  std::vector<TextBox> boxes = InReadingOrder(found);
  if (boxes.empty() && IsStrip(page)) boxes.push_back({WholePicture(page), 0});
  MUNJA_RETURN_IF_ERROR(sink->OnBoxes(page, boxes));
  return boxes;
}

Result<document::Line> Pipeline::RecognizeLine(
    const image::ImageView& picture) {
  const TextBox box = {WholePicture(picture), 1.0f};
  MUNJA_RETURN_IF_ERROR(readers_.ReadAll(picture, {&box, 1}, {}, readings_));
  return MakeLine(readings_[0]);
}

Result<std::unique_ptr<Pipeline>> Pipeline::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(Detector detector, detector_.Fork(pool_));
  MUNJA_ASSIGN_OR_RETURN(LineReaders readers, readers_.Fork());
  return std::unique_ptr<Pipeline>(new Pipeline(
      name_, std::move(detector), std::move(readers), contract_, pool_));
}

Result<std::unique_ptr<Pipeline>> Pipeline::Create(
    Networks networks, const Contract& contract,
    std::shared_ptr<ThreadPool> pool) {
  MUNJA_RETURN_IF_ERROR(Validate(contract));
  MUNJA_ASSIGN_OR_RETURN(
      Detector detector,
      Detector::Create(std::move(networks.detector), contract.detector));
  MUNJA_ASSIGN_OR_RETURN(
      Recognizer recognizer,
      Recognizer::Create(std::move(networks.recognizer), networks.dictionary,
                         contract.recognizer));
  std::optional<Recognizer> exact;
  if (networks.exact_recognizer != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        exact, Recognizer::Create(std::move(networks.exact_recognizer),
                                  networks.dictionary, contract.recognizer));
  }
  std::optional<OrientationClassifier> classifier;
  if (networks.classifier != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        classifier, OrientationClassifier::Create(
                        std::move(networks.classifier), contract.classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(
      LineReaders readers,
      LineReaders::Create(std::move(recognizer), std::move(exact),
                          std::move(classifier), pool));
  return std::unique_ptr<Pipeline>(
      new Pipeline(std::move(networks.name), std::move(detector),
                   std::move(readers), contract, std::move(pool)));
}

}  // namespace munja::ocr
