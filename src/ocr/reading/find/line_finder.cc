#include "reading/find/line_finder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/control.h"
#include "base/log.h"
#include "reading/find/dense_page.h"
#include "reading/find/join_pieces.h"
#include "reading/find/line_budget.h"
#include "reading/find/line_place.h"
#include "reading/find/low_score_boxes.h"
#include "reading/find/out_of_memory.h"
#include "reading/find/table_rules.h"
#include "reading/find/text_zones.h"

namespace munja::ocr {
namespace {

// An image so long that scaling it to the detector's limit leaves nothing of
// its text is most likely a single line.
bool IsStrip(const image::ImageView& image) {
  constexpr int kLongFor = 8;
  const int longer = std::max(image.width, image.height);
  return longer >= kLongFor * std::min(image.width, image.height);
}

}  // namespace

Result<std::vector<TextBox>> LineFinder::Find(const image::ImageView& image,
                                              bool with_low_score,
                                              DetectionSink* sink) {
  MUNJA_ASSIGN_OR_RETURN(Detection detection, FirstPass(image, with_low_score));
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<TextBox> boxes,
      Complete(image, with_low_score, sink != nullptr, &detection));
  MUNJA_RETURN_IF_ERROR(Show(image, detection, boxes, sink));
  return boxes;
}

Result<Detection> LineFinder::FirstPass(const image::ImageView& image,
                                        bool with_low_score) {
  const std::vector<PageTile> tiles =
      PageTiles(image.width, image.height, config_.detector);
  return tiles.empty() ? LookAtWhole(image, with_low_score)
                       : FindInTiles(image, tiles, with_low_score);
}

Result<Detection> LineFinder::FindInTiles(const image::ImageView& image,
                                          std::span<const PageTile> tiles,
                                          bool with_low_score) {
  const bool is_tall = image.height > image.width;
  Detection page;
  std::vector<TextBox> boxes;
  PageTile before;
  for (const PageTile& tile : tiles) {
    const int size = tile.end - tile.begin;
    const image::ImageView part = {
        is_tall ? image.row(tile.begin) : image.row(0) + 3 * tile.begin,
        is_tall ? image.width : size, is_tall ? size : image.height,
        image.stride};
    MUNJA_ASSIGN_OR_RETURN(page, LookAtWhole(part, with_low_score));
    MUNJA_ASSIGN_OR_RETURN(std::vector<TextBox> found,
                           CompleteWhole(part, with_low_score, false, &page));
    const auto begin = static_cast<float>(tile.begin);
    const geometry::Point offset = {is_tall ? 0 : begin, is_tall ? begin : 0};
    for (TextBox& box : found) {
      for (geometry::Point& point : box.quad) point = point + offset;
      if (box.outline)
        for (geometry::Point& point : *box.outline) point = point + offset;
    }
    JoinTile({tile.begin, before.end}, is_tall, std::move(found), &boxes);
    before = tile;
  }
  page.boxes = std::move(boxes);
  page.is_tiled = true;
  return page;
}

int LineFinder::SeenSide(const image::ImageView& image) const {
  const std::vector<PageTile> tiles =
      PageTiles(image.width, image.height, config_.detector);
  const int most = MaxSide(config_.detector);
  if (tiles.empty()) return most;
  const int64_t longer = std::max(image.width, image.height);
  return static_cast<int>(
      std::min(longer, longer * most / (tiles[0].end - tiles[0].begin)));
}

Result<Detection> LineFinder::LookAtWhole(const image::ImageView& image,
                                          bool with_low_score) {
  MUNJA_ASSIGN_OR_RETURN(const Detector::Output output,
                         detector_.Run(image, pool_.get()));
  return FindIn(image, output, with_low_score);
}

Result<Detection> LineFinder::FindIn(const image::ImageView& image,
                                     const Detector::Output& output,
                                     bool with_low_score) {
  DetectorConfig config = config_.detector;
  if (with_low_score)
    config.box_threshold =
        std::min(config.box_threshold, config.faint_threshold);
  Detection detection;
  detection.output = output;
  MUNJA_ASSIGN_OR_RETURN(
      detection.boxes,
      FindBoxes(output.map, config, image.width, image.height, &box_memory_));
  detection.low_score = TakeLowScore(config_.detector, &detection.boxes);
  return detection;
}

Result<std::vector<TextBox>> LineFinder::Complete(const image::ImageView& image,
                                                  bool with_low_score,
                                                  bool is_shown,
                                                  Detection* detection) {
  std::vector<TextBox> boxes;
  if (detection->is_tiled) {
    boxes = std::move(detection->boxes);
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        boxes, CompleteWhole(image, with_low_score, is_shown, detection));
  }
  const bool is_any_line =
      std::any_of(boxes.begin(), boxes.end(),
                  [](const TextBox& box) { return !box.is_low_score; });
  if (is_any_line) return boxes;
  if (config_.detector.rules.Has(Rule::kStrips) && IsStrip(image)) {
    boxes.assign(1, {.quad = WholeImage(image), .is_guess = true});
  } else if (with_low_score && !detection->is_tiled &&
             config_.detector.rules.Has(Rule::kLargeLetters)) {
    Status status = FindLargeLetters(image, is_shown, detection, &boxes);
    if (!status.ok() &&
        !IsSkippedForMemory(status,
                            "letters as large as the page are not "
                            "looked for"))
      return status;
  }
  return boxes;
}

Status LineFinder::FindLargeLetters(const image::ImageView& image,
                                    bool is_shown, Detection* detection,
                                    std::vector<TextBox>* boxes) {
  // A smaller side would hold no letters and nothing around them.
  constexpr int kLeastMultiples = 3;
  const DetectorConfig& config = config_.detector;
  if (config.limit_type == LimitType::kMin) return Status();
  if (is_shown) MUNJA_RETURN_IF_ERROR(Keep(&detection->output));
  const int side =
      std::min(config.limit_side, std::max(image.width, image.height));
  for (int limit = side / 2; limit >= kLeastMultiples * config.side_multiple;
       limit /= 2) {
    MUNJA_ASSIGN_OR_RETURN(const Detector::Output output,
                           detector_.Run(image, limit, {}, pool_.get()));
    MUNJA_ASSIGN_OR_RETURN(Detection smaller, FindIn(image, output, false));
    if (smaller.boxes.empty()) continue;
    MUNJA_ASSIGN_OR_RETURN(std::vector<TextBox> found, Finish(image, &smaller));
    for (TextBox& box : found) box.is_large = true;
    AddLowScore(*boxes, &found);
    *boxes = std::move(found);
    detection->output = smaller.output;
    return Status();
  }
  return Status();
}

Result<std::vector<TextBox>> LineFinder::CompleteWhole(
    const image::ImageView& image, bool with_low_score, bool is_shown,
    Detection* detection) {
  MUNJA_RETURN_IF_ERROR(
      HighResolutionPass(image, with_low_score, is_shown, detection));
  return Finish(image, detection);
}

Result<std::vector<TextBox>> LineFinder::Finish(const image::ImageView& image,
                                                Detection* detection) {
  const DetectorConfig& config = config_.detector;
  std::vector<TextBox> boxes = std::move(detection->boxes);
  if (config.fit_boxes) {
    for (std::vector<TextBox>* each : {&boxes, &detection->low_score})
      for (TextBox& box : *each)
        box.outline = fitter_.FitToInk(image, box.quad);
  }
  if (config.rules.Has(Rule::kCellRules)) {
    for (std::vector<TextBox>* each : {&boxes, &detection->low_score})
      SplitAtRules(image, each);
  }
  JoinPieces(config.join_gap, &boxes);
  AddLowScore(detection->low_score, &boxes);
  MUNJA_RETURN_IF_ERROR(CheckControl());
  const ProbabilityMap& map = detection->output.map;
  const size_t left_out =
      KeepColumns(MaxColumns(map.width, map.height, config_.recognizer),
                  config_.recognizer, &boxes);
  if (left_out > 0) {
    Log(Severity::kWarning,
        "the detector finds more lines than fit on the page: the weakest " +
            std::to_string(left_out) + " are left out");
  }
  return boxes;
}

Status LineFinder::HighResolutionPass(const image::ImageView& image,
                                      bool with_low_score, bool is_shown,
                                      Detection* detection) {
  const DetectorConfig& config = config_.detector;
  const std::optional<int> limit =
      DenseLimit(detection->boxes, config, image.width, image.height);
  if (!limit) return Status();
  const auto detect = [&]() -> Result<Detection> {
    const DetectorInput input = detector_.PlanInput(image, *limit);
    const std::vector<InputZone> zones =
        TextZones(detection->output.map, input,
                  PlaceInInput(image.width, image.height, input), config);
    if (is_shown) MUNJA_RETURN_IF_ERROR(Keep(&detection->output));
    MUNJA_ASSIGN_OR_RETURN(const Detector::Output output,
                           detector_.Run(image, *limit, zones, pool_.get()));
    return FindIn(image, output, with_low_score);
  };
  Result<Detection> high = detect();
  if (!high.ok()) {
    Status status = std::move(high).TakeStatus();
    if (IsSkippedForMemory(
            status, "small print is not detected at a higher resolution"))
      return Status();
    return status;
  }
  if (config.rules.Has(Rule::kCloserLook) &&
      !HighResolutionCounts(high->boxes, detection->boxes)) {
    // Lines that only this pass finds count if text is read in them.
    if (!with_low_score) return Status();
    for (TextBox& box : high->boxes) box.is_low_score = true;
    AddLowScore(detection->low_score, &high->boxes);
    detection->low_score = std::move(high->boxes);
    return Status();
  }
  *detection = std::move(*high);
  return Status();
}

Status LineFinder::Keep(Detector::Output* output) {
  const image::ImageView& input = output->input;
  MUNJA_RETURN_IF_ERROR(kept_input_.Resize(input.width, input.height));
  for (int y = 0; y < input.height; ++y)
    std::memcpy(kept_input_.row(y), input.row(y), kept_input_.stride());
  output->input = kept_input_.view();
  ProbabilityMap& map = output->map;
  const size_t bytes = map.values.size_bytes();
  if (kept_map_.size() < bytes) {
    kept_map_ = Buffer();
    MUNJA_ASSIGN_OR_RETURN(kept_map_, Buffer::Allocate(bytes));
  }
  std::memcpy(kept_map_.data(), map.values.data(), bytes);
  map.values = {kept_map_.as<float>(), map.values.size()};
  return Status();
}

Status LineFinder::Show(const image::ImageView& image,
                        const Detection& detection,
                        std::span<const TextBox> boxes, DetectionSink* sink) {
  if (sink == nullptr) return Status();
  MUNJA_RETURN_IF_ERROR(sink->OnInput(detection.output.input));
  MUNJA_RETURN_IF_ERROR(sink->OnProbabilityMap(detection.output.map));
  return sink->OnBoxes(image, boxes);
}

Result<LineFinder> LineFinder::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(Detector detector, detector_.Fork(pool_));
  return LineFinder(std::move(detector), config_, pool_);
}

Status LineFinder::FreeMemory() {
  // A fork has run nothing yet.
  MUNJA_ASSIGN_OR_RETURN(LineFinder fresh, Fork());
  *this = std::move(fresh);
  return Status();
}

}  // namespace munja::ocr
