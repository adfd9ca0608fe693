#include "reading/orient/upright_lines.h"

#include <optional>
#include <utility>

#include "document/reading_order.h"
#include "reading/find/out_of_memory.h"
#include "reading/orient/quarter_turns.h"
#include "reading/orient/skew.h"
#include "reading/orient/upright_page.h"

namespace munja::ocr {
namespace {

constexpr const char* kReadSkewed =
    "the page may be skewed, and is read as it is";

}  // namespace

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

void PutInReadingOrder(std::vector<PageLine>* lines) {
  geometry::Point along = {0, 0};
  for (const PageLine& line : *lines)
    along = along + geometry::Unit(line.box.quad[1] - line.box.quad[0]);
  const geometry::Point unit = geometry::Unit(along, {1, 0});
  std::vector<geometry::Quad> quads;
  for (const PageLine& line : *lines) {
    geometry::Quad& quad = quads.emplace_back(line.box.quad);
    for (geometry::Point& p : quad)
      p = {p.x * unit.x + p.y * unit.y, p.y * unit.x - p.x * unit.y};
  }
  std::vector<PageLine> ordered;
  for (const document::ReadingPlace& place : document::ReadingLayout(quads)) {
    ordered.push_back(std::move((*lines)[place.index]));
    ordered.back().box.block = place.block;
    ordered.back().box.row = place.row;
  }
  *lines = std::move(ordered);
}

std::vector<PageLine> LinesIn(const std::vector<TextBox>& boxes) {
  std::vector<PageLine> lines;
  for (const TextBox& box : boxes) lines.push_back({box});
  return lines;
}

// A way to look at a page, and what is found then.
struct Orienter::View {
  image::ImageView pixels;
  std::optional<UprightPage>
      deskewed;    // Holds the pixels unless the page does.
  float skew = 0;  // Skew of the page, removed in `pixels`.
  float rest = 0;  // The skew of the lines in `pixels`.
  Detection detection;
  std::vector<TextBox> boxes;
};

Result<std::vector<PageLine>> Orienter::FindLines(const image::ImageView& page,
                                                  int* quarters) const {
  MUNJA_ASSIGN_OR_RETURN(View view, FindView(page));
  std::vector<PageLine> lines = LinesIn(view.boxes);
  PageTurn turn;
  turn.skew = view.skew + view.rest;
  MUNJA_ASSIGN_OR_RETURN(turn.quarters, QuarterTurns(view, lines));
  if (quarters != nullptr) *quarters = turn.quarters;
  if (turn.is_none()) return lines;
  if (!view.deskewed || turn.quarters != 0 || view.rest != 0) {
    Result<View> turned =
        RunWithMemoryOf([&] { return Turn(page, turn); }, finder_, readers_);
    if (turned.ok()) {
      view = std::move(*turned);
    } else {
      Status status = std::move(turned).TakeStatus();
      if (!IsSkippedForMemory(status,
                              "the page is rotated, and is read as it "
                              "is"))
        return status;
      if (!view.deskewed) return lines;
    }
  }
  lines = LinesIn(view.boxes);
  // Lines are cropped from the page as it was: pixels are interpolated once.
  std::erase_if(lines, [&](PageLine& line) {
    return !view.deskewed->MapBack(&line.box);
  });
  return lines;
}

Result<Orienter::View> Orienter::Turn(const image::ImageView& page,
                                      const PageTurn& turn) const {
  View view;
  MUNJA_ASSIGN_OR_RETURN(
      view.deskewed,
      UprightPage::Create(page, turn, finder_.SeenSide(page), pool_));
  view.pixels = view.deskewed->view();
  MUNJA_ASSIGN_OR_RETURN(view.detection, finder_.FirstPass(view.pixels, true));
  MUNJA_RETURN_IF_ERROR(Complete(&view));
  MUNJA_RETURN_IF_ERROR(Show(view));
  return view;
}

Result<int> Orienter::QuarterTurns(const View& view,
                                   std::span<PageLine> lines) const {
  Result<int> turns = RunWithMemoryOf(
      [&] { return FindQuarterTurns(readers_, view.pixels, lines); }, finder_,
      readers_);
  if (turns.ok()) return turns;
  Status status = std::move(turns).TakeStatus();
  if (IsSkippedForMemory(status,
                         "the page may be rotated, and is read as it is"))
    return 0;
  return status;
}

Result<Orienter::View> Orienter::FindView(const image::ImageView& page) const {
  MUNJA_ASSIGN_OR_RETURN(Detection first, finder_.FirstPass(page, true));
  const float first_skew = Skew(first.boxes, config_.recognizer);
  if (IsFarSkewed(first_skew)) {
    Result<View> view = RunWithMemoryOf(
        [&] { return Deskew(page, first_skew); }, finder_, readers_);
    if (view.ok()) {
      MUNJA_RETURN_IF_ERROR(Show(*view));
      return view;
    }
    Status status = std::move(view).TakeStatus();
    if (!IsSkippedForMemory(status, kReadSkewed)) return status;
    MUNJA_ASSIGN_OR_RETURN(first, finder_.FirstPass(page, true));
  }
  View lying;
  lying.pixels = page;
  lying.detection = std::move(first);
  MUNJA_RETURN_IF_ERROR(Complete(&lying));
  MUNJA_RETURN_IF_ERROR(Show(lying));
  lying.rest = Skew(lying.boxes, config_.recognizer);
  const Rules& rules = config_.recognizer.rules;
  const bool is_guess =
      lying.rest == 0 && rules.Has(Rule::kSkew) && rules.Has(Rule::kRoughSkew);
  const float skew = is_guess ? ApproximateSkew(lying.boxes) : lying.rest;
  if (!IsFarSkewed(skew)) return lying;

  Result<View> deskewed =
      RunWithMemoryOf([&] { return Deskew(page, skew); }, finder_, readers_);
  if (!deskewed.ok()) {
    Status status = std::move(deskewed).TakeStatus();
    if (IsSkippedForMemory(status, kReadSkewed)) return lying;
    return status;
  }
  if (is_guess) {
    // In pixels of the same page.
    std::vector<TextBox> found = deskewed->boxes;
    std::erase_if(found, [&](TextBox& box) {
      return !deskewed->deskewed->MapBack(&box);
    });
    if (!ShowMoreText(found, lying.boxes)) return lying;
  }
  MUNJA_RETURN_IF_ERROR(Show(*deskewed));
  return deskewed;
}

Result<Orienter::View> Orienter::Deskew(const image::ImageView& page,
                                        float skew) const {
  View view;
  MUNJA_ASSIGN_OR_RETURN(
      view.deskewed,
      UprightPage::Create(page, {.skew = skew}, finder_.SeenSide(page), pool_));
  view.pixels = view.deskewed->view();
  view.skew = skew;
  MUNJA_ASSIGN_OR_RETURN(view.detection, finder_.FirstPass(view.pixels, true));
  MUNJA_RETURN_IF_ERROR(Complete(&view));
  view.rest = Skew(view.boxes, config_.recognizer);
  return view;
}

Status Orienter::Complete(View* view) const {
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<TextBox> boxes,
      finder_.Complete(view->pixels, true, sink_ != nullptr, &view->detection));
  view->boxes = InReadingOrder(boxes);
  return Status();
}

Status Orienter::Show(const View& view) const {
  return LineFinder::Show(view.pixels, view.detection, view.boxes, sink_);
}

}  // namespace munja::ocr
