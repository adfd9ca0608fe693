#include "reading/retry/row_ends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "geometry/quad.h"
#include "geometry/rect.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// Samples in a line's height, along and across it.
constexpr int kEndColumns = 24, kEndRows = 16;
// In heights of the line: how far apart ink may stand, how wide and how high it
// is, how much paper must be behind it, and how much is read around it.
constexpr float kFarthest = 1.7f, kWidest = 1.2f, kLowest = 0.2f,
                kPaperBehind = 0.3f, kPieceMargin = 0.15f;
// How far above and below the line nothing may be: rules and drawings go on.
constexpr float kAround = 0.25f;
// A pixel is ink if it differs from the paper by this part of what the line's
// ink does.
constexpr float kPieceContrast = 0.4f;
constexpr int kLinePaperContrast = 40;
// Confidence of a line that has ends, and of the characters there.
constexpr float kLineConfidence = 0.6f, kNewConfidence = 0.8f;
constexpr int kMostNew = 2;

int GrayAt(const image::ImageView& page, Point p) {
  const int x = std::clamp(static_cast<int>(p.x), 0, page.width - 1);
  const int y = std::clamp(static_cast<int>(p.y), 0, page.height - 1);
  const uint8_t* const pixel = page.row(y) + 3 * static_cast<ptrdiff_t>(x);
  return (pixel[0] + 2 * pixel[1] + pixel[2]) >> 2;
}

// The paper and ink of a line, whose box starts where its text does.
class LineInk {
 public:
  LineInk(const image::ImageView& page, const Quad& box)
      : page_(page), box_(box) {
    along_ = geometry::Unit(box[1] - box[0], {1, 0});
    height_ = geometry::Length(box[3] - box[0]);
    length_ = geometry::Length(box[1] - box[0]);
    std::array<int, 256> counts{};
    int all = 0;
    constexpr int kAcross = 8;
    const int columns =
        std::clamp(static_cast<int>(length_ / height_ * 8), 8, 64);
    for (int i = 0; i < columns; ++i) {
      for (int k = 0; k < kAcross; ++k) {
        const float x = (static_cast<float>(i) + 0.5f) * length_ /
                        static_cast<float>(columns);
        const float y = (static_cast<float>(k) + 0.5f) / kAcross;
        ++counts[static_cast<size_t>(GrayAt(page, At(x, y)))];
        ++all;
      }
    }
    const auto level = [&](int rank) {
      size_t gray = 0;
      while (gray < 255 && (rank -= counts[gray]) >= 0) ++gray;
      return static_cast<int>(gray);
    };
    paper_ = level(all / 2);
    const int few = all * 4 / 100;
    const int dark = paper_ - level(few), light = level(all - 1 - few) - paper_;
    is_dark_ = dark >= light;
    contrast_ = std::max(dark, light);
  }

  bool has_contrast() const { return contrast_ >= kLinePaperContrast; }
  float height() const { return height_; }
  // A point so many pixels along the line from its start, and at this part of
  // its height from its top.
  Point At(float x, float y) const {
    return box_[0] + along_ * x + (box_[3] - box_[0]) * y;
  }
  bool IsInkAt(float x, float y) const {
    const Point p = At(x, y);
    if (p.x < 0 || p.y < 0 || p.x >= static_cast<float>(page_.width) ||
        p.y >= static_cast<float>(page_.height))
      return false;
    const int difference = GrayAt(page_, p) - paper_;
    return static_cast<float>(is_dark_ ? -difference : difference) >=
           kPieceContrast * static_cast<float>(contrast_);
  }

  // Ink that stands alone behind the line's end, or before its start: where it
  // begins and ends, in pixels from there.
  struct Piece {
    float begin, end;
  };
  std::optional<Piece> FindPiece(bool at_end) const {
    const float step = height_ / kEndColumns;
    const auto place = [&](int column) {
      const float away = (static_cast<float>(column) + 0.5f) * step;
      return at_end ? length_ + away : -away;
    };
    // The highest and lowest ink of a column, in rows; -1: there is none.
    constexpr int kOver = static_cast<int>(kAround * kEndRows);
    struct Extent {
      int top = -1, bottom = -1;
    };
    const auto extent_of = [&](int column) {
      Extent extent;
      for (int row = -kOver; row < kEndRows + kOver; ++row) {
        if (!IsInkAt(place(column),
                     (static_cast<float>(row) + 0.5f) / kEndRows))
          continue;
        if (extent.top < 0) extent.top = row + kOver;
        extent.bottom = row + kOver;
      }
      return extent;
    };
    const auto columns = [](float heights) {
      return static_cast<int>(heights * kEndColumns);
    };
    int begin = -1, end = -1, top = kEndRows + 2 * kOver, bottom = -1;
    const int farthest = columns(kFarthest), widest = columns(kWidest),
              behind = columns(kPaperBehind);
    for (int column = 0;; ++column) {
      if (begin < 0 && column > farthest) return std::nullopt;
      const Extent extent = extent_of(column);
      if (extent.top < 0) {
        if (begin >= 0 && column - end > behind) break;
        continue;
      }
      // Ink that touches the box is a part of what it holds, or a rule.
      if (column == 0) return std::nullopt;
      if (begin < 0) begin = column;
      end = column;
      if (end - begin > widest) return std::nullopt;
      top = std::min(top, extent.top);
      bottom = std::max(bottom, extent.bottom);
    }
    const bool goes_on =
        top < kOver / 2 || bottom >= kEndRows + kOver + kOver / 2;
    if (goes_on || static_cast<float>(bottom + 1 - top) < kLowest * kEndRows)
      return std::nullopt;
    return Piece{static_cast<float>(begin) * step,
                 static_cast<float>(end + 1) * step};
  }

  float PlaceOfPiece(const Piece& piece, bool at_end) const {
    const float middle = (piece.begin + piece.end) / 2;
    return at_end ? length_ + middle : -middle;
  }

 private:
  const image::ImageView& page_;
  const Quad box_;
  Point along_{};
  float height_ = 0, length_ = 0;
  int paper_ = 0, contrast_ = 0;
  bool is_dark_ = true;
};

// The quad, so many pixels longer at its end or its start.
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

std::string_view WithoutSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Whether a longer crop gives the same text and a character or two more, all
// read with confidence.
bool AddsCharacters(const text::CtcLine& now, std::string_view before,
                    bool at_end) {
  before = WithoutSpaces(before);
  const std::string_view text = WithoutSpaces(now.text);
  if (text.size() <= before.size() ||
      !(at_end ? text.starts_with(before) : text.ends_with(before)))
    return false;
  const size_t more = text.size() - before.size();
  const auto offset = static_cast<size_t>(text.data() - now.text.data());
  const size_t first = offset + (at_end ? before.size() : 0);
  int added = 0;
  size_t begin = 0;
  for (const text::CtcMark& mark : now.marks) {
    const std::string_view piece =
        std::string_view(now.text).substr(begin, mark.text_end - begin);
    const bool is_new = begin >= first && begin < first + more;
    begin = mark.text_end;
    if (!is_new || piece == " ") continue;
    if (mark.probability < kNewConfidence || ++added > kMostNew) return false;
  }
  return added > 0;
}

// A line and its longer box.
struct Attempt {
  size_t line;
  float longer;
};

std::vector<Attempt> FindAttempts(const image::ImageView& page,
                                  const std::vector<PageLine>& lines,
                                  bool at_end) {
  std::vector<Attempt> attempts;
  for (size_t i = 0; i < lines.size(); ++i) {
    const PageLine& line = lines[i];
    if (line.reading.text.confidence < kLineConfidence ||
        line.reading.text.text.empty())
      continue;
    const LineInk ink(page, line.reading.polygon);
    if (!ink.has_contrast()) continue;
    const auto piece = ink.FindPiece(at_end);
    if (!piece) continue;
    const Point middle = ink.At(ink.PlaceOfPiece(*piece, at_end), 0.5f);
    const bool is_covered =
        std::any_of(lines.begin(), lines.end(), [&](const PageLine& other) {
          const geometry::Rect<float> place =
              geometry::BoundsOf(other.reading.polygon);
          return middle.x >= place.left && middle.x <= place.right &&
                 middle.y >= place.top && middle.y <= place.bottom;
        });
    if (!is_covered)
      attempts.push_back({i, piece->end + kPieceMargin * ink.height()});
  }
  return attempts;
}

}  // namespace

Status ReadRowEnds(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines) {
  if (!readers.config().rules.Has(Rule::kRowEnds)) return Status();
  for (const bool at_end : {false, true}) {
    const std::vector<Attempt> attempts = FindAttempts(page, *lines, at_end);
    std::vector<PageLine> longer;
    for (const Attempt& attempt : attempts) {
      const PageLine& line = (*lines)[attempt.line];
      PageLine& other = longer.emplace_back();
      other.box = line.box;
      other.box.is_low_score = false;
      other.box.outline = Lengthened(OutlineOf(line), at_end, attempt.longer);
      other.box.quad = Lengthened(line.reading.polygon, at_end, attempt.longer);
    }
    MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, longer));
    for (size_t i = 0; i < longer.size(); ++i) {
      PageLine& line = (*lines)[attempts[i].line];
      if (!AddsCharacters(longer[i].reading.text, line.reading.text.text,
                          at_end))
        continue;
      line = std::move(longer[i]);
    }
  }
  return Status();
}

}  // namespace munja::ocr
