#include "reading/find/line_ink.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "image/gray.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// Samples in a line's height, along and across it.
constexpr int kEndColumns = 16, kEndRows = 12;
// In heights of the line: how far apart ink may stand, how wide and how high it
// is, and how much paper must be behind it.
constexpr float kFarthestPiece = 1.7f, kWidestPiece = 1.2f, kLowestPiece = 0.2f,
                kPaperBehind = 0.3f;
// How far above and below the line is looked, too: rules and drawings go on.
constexpr int kOver = kEndRows / 4;
// A rule has ink in all rows.
constexpr int kWholeRule = kEndRows + 2 * kOver,
              kMostOfRule = kWholeRule * 6 / 10;
constexpr float kWidestRule = 0.2f;
// A pixel is ink if it differs from the paper by this part of what the line's
// ink does; rules are thinner, so that blur makes them fainter.
constexpr float kPieceContrast = 0.4f, kRuleContrast = 0.25f;
constexpr int kLinePaperContrast = 40;

int GrayAt(const image::ImageView& page, Point p) {
  const int x = std::clamp(static_cast<int>(p.x), 0, page.width - 1);
  const int y = std::clamp(static_cast<int>(p.y), 0, page.height - 1);
  const uint8_t* const pixel = page.row(y) + 3 * static_cast<ptrdiff_t>(x);
  return (pixel[0] + 2 * pixel[1] + pixel[2]) >> 2;
}

int ColumnsIn(float heights) { return static_cast<int>(heights * kEndColumns); }

}  // namespace

LineInk::LineInk(const image::ImageView& page, const Quad& box)
    : page_(page), box_(box) {
  along_ = geometry::Unit(box[1] - box[0], {1, 0});
  height_ = geometry::Length(box[3] - box[0]);
  length_ = geometry::Length(box[1] - box[0]);
  if (!(height_ > 0 && length_ > 0)) return;
  std::array<uint32_t, 256> counts{};
  size_t all = 0;
  constexpr int kAcross = 8;
  const int columns =
      std::clamp(static_cast<int>(length_ / height_ * 4), 8, 32);
  for (int i = 0; i < columns; ++i) {
    for (int k = 0; k < kAcross; ++k) {
      const float x = (static_cast<float>(i) + 0.5f) * length_ /
                      static_cast<float>(columns);
      const float y = (static_cast<float>(k) + 0.5f) / kAcross;
      ++counts[static_cast<size_t>(GrayAt(page_, At(x, y)))];
      ++all;
    }
  }
  paper_ = image::LevelOfRank(counts, all / 2);
  const size_t few = all * 4 / 100;
  const int dark = paper_ - image::LevelOfRank(counts, few);
  const int light = image::LevelOfRank(counts, all - 1 - few) - paper_;
  is_dark_ = dark >= light;
  contrast_ = std::max(dark, light);
}

bool LineInk::has_contrast() const { return contrast_ >= kLinePaperContrast; }

Point LineInk::At(float x, float y) const {
  return box_[0] + along_ * x + (box_[3] - box_[0]) * y;
}

bool LineInk::IsInkAt(float x, float y, float contrast) const {
  const Point p = At(x, y);
  if (p.x < 0 || p.y < 0 || p.x >= static_cast<float>(page_.width) ||
      p.y >= static_cast<float>(page_.height))
    return false;
  const int difference = GrayAt(page_, p) - paper_;
  return static_cast<float>(is_dark_ ? -difference : difference) >=
         contrast * static_cast<float>(contrast_);
}

LineInk::Extent LineInk::ExtentAt(float x, float contrast) const {
  Extent extent = {kEndRows + kOver, -kOver - 1, 0};
  for (int row = -kOver; row < kEndRows + kOver; ++row) {
    if (!IsInkAt(x, (static_cast<float>(row) + 0.5f) / kEndRows, contrast))
      continue;
    extent = {std::min(extent.top, row), row, extent.count + 1};
  }
  return extent;
}

std::optional<LineInk::Piece> LineInk::FindPiece(bool at_end) const {
  const float step = height_ / kEndColumns;
  int begin = -1, end = -1;
  Extent all = {kEndRows + kOver, -kOver - 1, 0};
  for (int column = 0;; ++column) {
    if (begin < 0 && column > ColumnsIn(kFarthestPiece)) return std::nullopt;
    const float away = (static_cast<float>(column) + 0.5f) * step;
    const Extent extent =
        ExtentAt(at_end ? length_ + away : -away, kPieceContrast);
    if (extent.count == 0) {
      if (begin >= 0 && column - end > ColumnsIn(kPaperBehind)) break;
      continue;
    }
    // Ink that touches the box is a part of what it holds, or a rule.
    if (column == 0) return std::nullopt;
    if (begin < 0) begin = column;
    end = column;
    if (end - begin > ColumnsIn(kWidestPiece)) return std::nullopt;
    all = {std::min(all.top, extent.top), std::max(all.bottom, extent.bottom),
           all.count + extent.count};
  }
  if (all.top < -kOver / 2 || all.bottom >= kEndRows + kOver / 2 ||
      static_cast<float>(all.bottom + 1 - all.top) < kLowestPiece * kEndRows)
    return std::nullopt;
  return Piece{static_cast<float>(begin) * step,
               static_cast<float>(end + 1) * step};
}

float LineInk::PlaceOfPiece(const Piece& piece, bool at_end) const {
  const float middle = (piece.begin + piece.end) / 2;
  return at_end ? length_ + middle : -middle;
}

bool LineInk::IsRuleAt(float x) const {
  // Most columns are told by one sample above the line and one below.
  constexpr float kOutside = 0.2f;
  return IsInkAt(x, -kOutside, kRuleContrast) &&
         IsInkAt(x, 1 + kOutside, kRuleContrast) &&
         ExtentAt(x, kRuleContrast).count >= kWholeRule;
}

bool LineInk::IsMostlyInk(float x) const {
  return ExtentAt(x, kRuleContrast).count >= kMostOfRule;
}

std::vector<LineInk::Piece> LineInk::FindRules() const {
  const auto columns = static_cast<int>(length_);
  const auto at = [](int column) { return static_cast<float>(column) + 0.5f; };
  std::vector<Piece> rules;
  for (int column = 0; column < columns; ++column) {
    if (!IsRuleAt(at(column))) continue;
    int begin = column, end = column + 1;
    // Its edges are blurred, and may lie outside of the box.
    const auto widest = static_cast<int>(kWidestRule * height_) + 1;
    while (end - begin <= widest && IsMostlyInk(at(begin - 1))) --begin;
    while (end - begin <= widest && IsMostlyInk(at(end))) ++end;
    // A wider one is a dark part of the page, or the paper between letters
    // that are taken for it.
    if (end - begin > widest) return {};
    column = end;
    const Piece rule = {static_cast<float>(std::max(begin, 0)),
                        static_cast<float>(std::min(end, columns))};
    rules.push_back(rule);
    // Hatching, or a cell for each character.
    if (static_cast<float>(rules.size()) > length_ / height_ + 2) return {};
  }
  return rules;
}

std::optional<LineInk::Piece> LineInk::InkWithin(const Piece& part) const {
  Piece ink = {part.end, part.begin};
  for (float x = part.begin + 0.5f; x < part.end; ++x) {
    if (ExtentAt(x, kPieceContrast).count == 0) continue;
    ink = {std::min(ink.begin, x - 0.5f), x + 0.5f};
  }
  if (ink.begin >= ink.end) return std::nullopt;
  return ink;
}

Quad Lengthened(Quad quad, bool at_end, float pixels) {
  const Point along = geometry::Unit(quad[1] - quad[0], {1, 0}) * pixels;
  if (at_end) {
    quad[1] = quad[1] + along;
    quad[2] = quad[2] + along;
  } else {
    quad[0] = quad[0] - along;
    quad[3] = quad[3] - along;
  }
  return quad;
}

}  // namespace munja::ocr
