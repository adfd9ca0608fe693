#include "track/text_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "document/document.h"
#include "image/resize.h"

namespace munja::track {
namespace {

// The frame and the boxes are checked: what does not fit is the model's.
Status OfModel(Status status, const std::string& model) {
  if (status.code() != Code::kInvalidArgument) return status;
  return Malformed("the model ", model, ": ", status.message());
}

}  // namespace

Result<std::vector<geometry::Quad>> PipelineReader::Search(
    const image::ImageView& frame, int side) {
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
  auto boxes = pipeline->Detect(seen);
  if (!boxes.ok())
    return OfModel(std::move(boxes).TakeStatus(), pipeline->name());
  const float x = static_cast<float>(frame.width) /
                  static_cast<float>(seen.width),
              y = static_cast<float>(frame.height) /
                  static_cast<float>(seen.height);
  std::vector<geometry::Quad> quads;
  for (const ocr::TextBox& box : *boxes) {
    geometry::Quad quad = box.quad;
    for (geometry::Point& p : quad) p = {p.x * x, p.y * y};
    quads.push_back(quad);
  }
  return quads;
}

Result<std::vector<LineReading>> PipelineReader::Read(
    const image::ImageView& frame, std::span<const geometry::Quad> quads) {
  MUNJA_ASSIGN_OR_RETURN(const auto pipeline, pipeline_.Take());
  auto document = pipeline->RecognizeBoxes(frame, quads);
  if (!document.ok())
    return OfModel(std::move(document).TakeStatus(), pipeline->name());
  const float least =
      min_confidence_.value_or(pipeline->config().min_confidence);
  std::vector<LineReading> readings(quads.size());
  for (size_t i = 0; i < readings.size() && i < document->lines.size(); ++i) {
    const document::Line& line = document->lines[i];
    // A script that the model does not know is not read.
    if (line.confidence >= least && line.unknown_writing.empty())
      readings[i] = {line.text, line.confidence};
  }
  return readings;
}

}  // namespace munja::track
