#include "track/text_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "document/document.h"
#include "image/resize.h"
#include "reading/read/calibration.h"

namespace munja::track {
namespace {

// So many lines that are read with less confidence, in the mean, may lie
// another way than was found out in an earlier frame.
constexpr float kLinesToDoubt = 3, kDoubt = 0.5f;

// The frame and the boxes are checked: what does not fit is the model's.
Status OfModel(Status status, const std::string& model) {
  if (status.code() != Code::kInvalidArgument) return status;
  return Malformed("the model ", model, ": ", status.message());
}

}  // namespace

Result<std::vector<FoundBox>> PipelineReader::Search(
    const image::ImageView& frame, int side, bool is_new) {
  image::ImageView seen = frame;
  const int longer = std::max(frame.width, frame.height);
  if (side > 0 && side < longer) {
    MUNJA_RETURN_IF_ERROR(
        small_.Resize(std::max(frame.width * side / longer, 1),
                      std::max(frame.height * side / longer, 1)));
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(frame, small_));
    seen = small_.view();
  }
  MUNJA_ASSIGN_OR_RETURN(const auto pipeline, pipeline_.Take());
  if (is_new) quarters_.reset();
  auto boxes = pipeline->FindBoxes(seen, &quarters_);
  if (!boxes.ok())
    return OfModel(std::move(boxes).TakeStatus(), pipeline->name());
  const float x = static_cast<float>(frame.width) /
                  static_cast<float>(seen.width),
              y = static_cast<float>(frame.height) /
                  static_cast<float>(seen.height);
  std::vector<FoundBox> found;
  for (const ocr::TextBox& box : *boxes) {
    geometry::Quad quad = box.quad;
    for (geometry::Point& p : quad) p = {p.x * x, p.y * y};
    found.push_back({quad, box.is_low_score || box.is_large});
  }
  return found;
}

Result<std::vector<LineReading>> PipelineReader::Read(
    const image::ImageView& frame, std::span<const FoundBox> boxes) {
  std::vector<ocr::TextBox> wanted;
  for (const FoundBox& box : boxes)
    wanted.push_back(
        {.quad = box.quad, .score = 1.0f, .is_low_score = box.is_low_score});
  MUNJA_ASSIGN_OR_RETURN(const auto pipeline, pipeline_.Take());
  auto document = pipeline->RecognizeBoxes(frame, wanted);
  if (!document.ok())
    return OfModel(std::move(document).TakeStatus(), pipeline->name());
  // The model's own limit is one of probabilities.
  const float least = min_confidence_ ? *min_confidence_
                                      : ocr::CalibratedConfidence(
                                            pipeline->config().recognizer,
                                            pipeline->config().min_confidence);
  std::vector<LineReading> readings(boxes.size());
  float sum = 0, count = 0;
  for (size_t i = 0; i < readings.size() && i < document->lines.size(); ++i) {
    const document::Line& line = document->lines[i];
    sum += line.confidence;
    count += line.text.empty() ? 0 : 1;
    // A script that the model does not know is not read.
    if (line.confidence >= least && line.unknown_writing.empty())
      readings[i] = {line.text, line.confidence};
  }
  if (count >= kLinesToDoubt && sum < kDoubt * count) quarters_.reset();
  return readings;
}

}  // namespace munja::track
