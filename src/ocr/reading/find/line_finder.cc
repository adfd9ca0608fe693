#include "reading/find/line_finder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/control.h"
#include "base/log.h"
#include "document/reading_order.h"
#include "reading/find/dense_page.h"
#include "reading/find/join_pieces.h"
#include "reading/find/line_budget.h"
#include "reading/find/low_score_boxes.h"
#include "reading/find/text_zones.h"
#include "reading/read/cropper.h"
#include "reading/retry/line_retries.h"

namespace munja::ocr {
namespace {

std::vector<TextBox> InReadingOrder(const std::vector<TextBox>& boxes) {
  std::vector<geometry::Quad> quads;
  for (const TextBox& box : boxes) quads.push_back(box.quad);
  std::vector<TextBox> ordered;
  for (const document::ReadingPlace& place : document::ReadingLayout(quads)) {
    ordered.push_back(boxes[place.index]);
    ordered.back().block = place.block;
    ordered.back().row = place.row;
  }
  return ordered;
}

// A picture so long that scaling it to the detector's limit leaves nothing of
// its text is most likely a single line.
bool IsStrip(const image::ImageView& page) {
  constexpr int kLongFor = 8;
  const int longer = std::max(page.width, page.height);
  return longer >= kLongFor * std::min(page.width, page.height);
}

}  // namespace

Result<std::vector<TextBox>> LineFinder::Find(const image::ImageView& page,
                                              bool with_faint,
                                              StageSink* sink) {
  MUNJA_ASSIGN_OR_RETURN(Sight sight, Look(page, with_faint));
  MUNJA_ASSIGN_OR_RETURN(std::vector<TextBox> boxes,
                         LookCloser(page, with_faint, &sight));
  MUNJA_RETURN_IF_ERROR(Show(page, sight, boxes, sink));
  return boxes;
}

Result<float> LineFinder::FindStraight(const image::ImageView& page,
                                       StageSink* sink,
                                       std::vector<TextBox>* boxes,
                                       UprightPage* straight) {
  MUNJA_ASSIGN_OR_RETURN(Sight sight, Look(page, true));
  const float skew = Skew(sight.firm, contract_.recognizer);
  if (IsFarAskew(skew)) {
    MUNJA_RETURN_IF_ERROR(LayStraight(page, skew, &sight, boxes, straight));
    MUNJA_RETURN_IF_ERROR(Show(straight->view(), sight, *boxes, sink));
    return skew;
  }
  MUNJA_ASSIGN_OR_RETURN(*boxes, LookCloser(page, true, &sight));
  MUNJA_RETURN_IF_ERROR(Show(page, sight, *boxes, sink));
  return FindStraighter(page, sink, boxes, straight);
}

Result<float> LineFinder::FindStraighter(const image::ImageView& page,
                                         StageSink* sink,
                                         std::vector<TextBox>* boxes,
                                         UprightPage* straight) {
  float skew = Skew(*boxes, contract_.recognizer);
  const bool is_guess = skew == 0;
  if (is_guess) skew = RoughSkew(*boxes);
  if (!IsFarAskew(skew)) return 0.0f;
  Sight sight;
  std::vector<TextBox> found;
  Status laid = LayStraight(page, skew, &sight, &found, straight);
  if (is_guess &&
      IsDoneWithout(laid, "the page may be askew, and is read as it lies")) {
    *straight = {};
    return 0.0f;
  }
  if (!laid.ok()) return laid;
  if (is_guess) {
    // In pixels of the same page.
    std::vector<TextBox> lying = found;
    std::erase_if(lying, [&](TextBox& b) { return !straight->TakeBack(&b); });
    if (!ShowMoreText(lying, *boxes)) return 0.0f;
  }
  MUNJA_RETURN_IF_ERROR(Show(straight->view(), sight, found, sink));
  boxes->swap(found);
  return skew;
}

Status LineFinder::LayStraight(const image::ImageView& page, float skew,
                               Sight* sight, std::vector<TextBox>* boxes,
                               UprightPage* straight) {
  MUNJA_ASSIGN_OR_RETURN(
      *straight,
      UprightPage::Create(page, {.skew = skew}, MostSide(contract_.detector),
                          pool_.get()));
  MUNJA_ASSIGN_OR_RETURN(*sight, Look(straight->view(), true));
  MUNJA_ASSIGN_OR_RETURN(*boxes, LookCloser(straight->view(), true, sight));
  return Status();
}

Result<LineFinder::Sight> LineFinder::Look(const image::ImageView& page,
                                           bool with_faint) {
  Sight sight;
  MUNJA_ASSIGN_OR_RETURN(sight.output, detector_.Run(page, pool_.get()));
  MUNJA_RETURN_IF_ERROR(FindIn(page, with_faint, &sight));
  return sight;
}

Status LineFinder::FindIn(const image::ImageView& page, bool with_faint,
                          Sight* sight) {
  const DetectorContract& contract = contract_.detector;
  DetectorContract faint_too = contract;
  if (with_faint)
    faint_too.box_threshold =
        std::min(contract.box_threshold, contract.faint_threshold);
  MUNJA_ASSIGN_OR_RETURN(sight->firm,
                         FindBoxes(sight->output.map, faint_too, page.width,
                                   page.height, &box_memory_));
  sight->faint = TakeFaint(contract, &sight->firm);
  return Status();
}

Result<std::vector<TextBox>> LineFinder::LookCloser(
    const image::ImageView& page, bool with_faint, Sight* sight) {
  const DetectorContract& contract = contract_.detector;
  const Detector::Output& output = sight->output;
  std::vector<TextBox>&found = sight->firm, &faint = sight->faint;
  // The lines as they were seen before a closer look.
  std::vector<TextBox> seen;
  if (const auto limit = DenseLimit(found, contract, page.width, page.height)) {
    const DetectorInput input = detector_.PlanInput(page, *limit);
    const std::vector<InputZone> zones =
        LookZones(output.map, input,
                  PlaceInInput(page.width, page.height, input), contract);
    seen.swap(found);
    Status closer = LookAtZones(page, *limit, zones, with_faint, sight);
    const bool is_without = IsDoneWithout(
        closer, "the page is read without a closer look at its small print");
    if (!closer.ok() && !is_without) return closer;
    if (is_without || !CloserLookCounts(found, seen)) {
      seen.clear();
      MUNJA_ASSIGN_OR_RETURN(*sight, Look(page, with_faint));
    }
  }
  if (contract.fit_boxes) {
    for (TextBox& box : found) box.outline = fitter_.FitToInk(page, box.quad);
    for (TextBox& box : faint) box.outline = fitter_.FitToInk(page, box.quad);
  }
  JoinPieces(contract.join_gap, seen, &found);
  AddFaint(faint, &found);
  MUNJA_RETURN_IF_ERROR(CheckControl());
  const size_t left_out = KeepColumns(
      MostColumns(output.map.width, output.map.height, contract_.recognizer),
      contract_.recognizer, &found);
  if (left_out > 0) {
    Log(Severity::kWarning,
        "the detector finds more lines than fit on the page: the weakest " +
            std::to_string(left_out) + " are left out");
  }
  std::vector<TextBox> boxes = InReadingOrder(found);
  const bool is_any_firm =
      std::any_of(boxes.begin(), boxes.end(),
                  [](const TextBox& box) { return !box.is_faint; });
  if (!is_any_firm && IsStrip(page)) boxes = {{WholePicture(page), 0}};
  return boxes;
}

Status LineFinder::LookAtZones(const image::ImageView& page, int limit,
                               std::span<const InputZone> zones,
                               bool with_faint, Sight* sight) {
  MUNJA_ASSIGN_OR_RETURN(sight->output,
                         detector_.Run(page, limit, zones, pool_.get()));
  return FindIn(page, with_faint, sight);
}

Status LineFinder::Show(const image::ImageView& page, const Sight& sight,
                        std::span<const TextBox> boxes, StageSink* sink) {
  MUNJA_RETURN_IF_ERROR(sink->OnInput(sight.output.input));
  MUNJA_RETURN_IF_ERROR(sink->OnTextMap(sight.output.map));
  return sink->OnBoxes(page, boxes);
}

Result<LineFinder> LineFinder::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(Detector detector, detector_.Fork(pool_));
  return LineFinder(std::move(detector), contract_, pool_);
}

}  // namespace munja::ocr
