#include "reading/retry/letter_spacing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "geometry/quad.h"
#include "geometry/rect.h"
#include "reading/find/line_ink.h"
#include "reading/find/line_place.h"
#include "reading/find/out_of_memory.h"
#include "reading/read/ink_columns.h"
#include "reading/read/text_evidence.h"
#include "reading/retry/line_retries.h"
#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// Pixels are cut so many times as high as the recognizer's lines, since they
// are cut again.
constexpr int kCutFiner = 2;
// In heights of the line: gaps between letters that stand wide apart are wider,
// become so wide, and stay so wide at least. Gaps between words are fewer than
// those between letters.
constexpr float kWideGap = 0.18f, kClosedGap = 0.1f, kLeastClosedGap = 0.05f;
constexpr size_t kFewestRuns = 3;
// A box that continues a line: so far up or down, so high, and so far from it
// or over it, in heights of the line.
constexpr float kRowAside = 0.35f, kLowestPiece = 0.4f, kHighestPiece = 1.5f,
                kRowGap = 2.5f, kRowOver = 1.0f;
// How far before and behind its boxes a line is cut, where nothing else stands:
// the detector passes over single points and letters.
constexpr float kEndRoom = 0.8f;
// Paper that is left before and behind it.
constexpr float kClosedMargin = 0.2f;
// A line that was found whole must show this part of its evidence before:
// narrow spaces are lost as its letters are moved.
constexpr float kMoreOfLine = 1.02f;
// With more confidence it cannot: a letter's evidence is twice its distance
// from even.
constexpr float kSureLine = (1 + 1 / kMoreOfLine) / 2;
// Lines whose characters, spaces included, are narrower than this part of its
// height are set as usual.
constexpr float kNarrowPitch = 0.6f;

struct LetterRun {
  int begin = 0, end = 0;
};

// Scripts that are written in columns set single characters apart, and mean it.
bool HasSyllables(std::string_view text) {
  while (!text.empty())
    if (text::Classify(text::NextCodePoint(text)).IsWrittenInColumns())
      return true;
  return false;
}

// Whether a line is so wide for its text that its letters may stand wide apart.
bool IsWideForItsText(const PageLine& line, const RecognizerConfig& config) {
  const text::CtcLine& text = line.reading.text;
  return !line.box.is_low_score && text.marks.size() >= kFewestRuns &&
         !IsVertical(line.box.quad, config) && !HasSyllables(text.text) &&
         static_cast<float>(LineWidth(line.box.quad, config)) >=
             kNarrowPitch * static_cast<float>(config.height) *
                 static_cast<float>(text.marks.size());
}

// Where the letters of a line stand. Keeps its memory from line to line.
class LetterGaps {
 public:
  // Whether the letters of `line` stand wide apart.
  bool AreWide(const image::ImageView& line) {
    columns_.FindEmpty(line, &is_empty_);
    runs_.clear();
    for (int x = 0; x < static_cast<int>(is_empty_.size()); ++x) {
      if (is_empty_[static_cast<size_t>(x)]) continue;
      if (runs_.empty() || runs_.back().end < x) runs_.push_back({x, x});
      runs_.back().end = x + 1;
    }
    if (runs_.size() < kFewestRuns) return false;
    gaps_.clear();
    for (size_t i = 1; i < runs_.size(); ++i)
      gaps_.push_back(runs_[i].begin - runs_[i - 1].end);
    std::sort(gaps_.begin(), gaps_.end());
    usual_ = gaps_[(gaps_.size() - 1) * 2 / 5];
    return usual_ >=
           static_cast<int>(kWideGap * static_cast<float>(line.height));
  }
  // The same for a line of a page.
  bool AreWide(const image::ImageView& page, const PageLine& line,
               const RecognizerConfig& config) {
    return CutLine(page, line.box.quad, config, cut_).ok() &&
           AreWide(cut_.pixels.view());
  }

  const std::vector<LetterRun>& runs() const { return runs_; }
  int usual() const { return usual_; }

 private:
  InkColumns columns_;
  std::vector<bool> is_empty_;
  std::vector<LetterRun> runs_;
  std::vector<int> gaps_;
  int usual_ = 0;
  LineImage cut_;
};

// Boxes that follow each other on one line. Short ones may lie skewed, so that
// the line runs from the middle of its first box to that of its last one.
class BoxRow {
 public:
  BoxRow(const std::vector<PageLine>& lines, size_t first)
      : lines_(lines),
        right_(Unit(QuadOf(first)[1] - QuadOf(first)[0])),
        members_({first}) {
    height_ = ExtentOf(QuadOf(first)).height();
  }

  // Takes in the boxes before and behind it, the nearest first.
  void Grow(std::vector<bool>* is_taken) {
    for (;;) {
      size_t nearest = lines_.size();
      float least = kRowGap * height_;
      bool is_behind = false;
      for (size_t i = 0; i < lines_.size(); ++i) {
        if ((*is_taken)[i]) continue;
        for (const bool behind : {false, true}) {
          const std::optional<float> apart = Apart(i, behind);
          if (!apart || *apart > least) continue;
          least = *apart;
          nearest = i;
          is_behind = behind;
        }
      }
      if (nearest == lines_.size()) return;
      (*is_taken)[nearest] = true;
      members_.insert(is_behind ? members_.end() : members_.begin(), nearest);
      right_ = Unit(MiddleOf(members_.back()) - MiddleOf(members_.front()));
    }
  }

  // Whether a box continues it.
  bool HasNeighbor() const {
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (i == members_[0]) continue;
      for (const bool behind : {false, true})
        if (const auto apart = Apart(i, behind);
            apart && *apart <= kRowGap * height_)
          return true;
    }
    return false;
  }

  const std::vector<size_t>& members() const { return members_; }
  Quad quad() const {
    if (members_.size() == 1) return QuadOf(members_[0]);
    Extent all = ExtentOf(QuadOf(members_[0]));
    for (const size_t member : members_) {
      const Extent other = ExtentOf(QuadOf(member));
      all = {std::min(all.left, other.left), std::max(all.right, other.right),
             std::min(all.top, other.top), std::max(all.bottom, other.bottom)};
    }
    const auto at = [&](float x, float y) { return right_ * x + down() * y; };
    return {at(all.left, all.top), at(all.right, all.top),
            at(all.right, all.bottom), at(all.left, all.bottom)};
  }

 private:
  struct Extent {
    float left, right, top, bottom;
    float height() const { return bottom - top; }
  };
  const Quad& QuadOf(size_t i) const { return lines_[i].box.quad; }
  Point MiddleOf(size_t i) const {
    const Quad& quad = QuadOf(i);
    return (quad[0] + quad[1] + quad[2] + quad[3]) * 0.25f;
  }
  Point down() const { return {-right_.y, right_.x}; }
  Extent ExtentOf(const Quad& quad) const {
    constexpr float kFar = std::numeric_limits<float>::max();
    Extent extent = {kFar, -kFar, kFar, -kFar};
    for (const Point& p : quad) {
      const float x = p.x * right_.x + p.y * right_.y;
      const float y = p.y * right_.x - p.x * right_.y;
      extent = {std::min(extent.left, x), std::max(extent.right, x),
                std::min(extent.top, y), std::max(extent.bottom, y)};
    }
    return extent;
  }
  // How far a box is from the line's end, if it continues the line there.
  std::optional<float> Apart(size_t i, bool behind) const {
    const Extent other = ExtentOf(QuadOf(i)),
                 end = ExtentOf(
                     QuadOf(behind ? members_.back() : members_.front()));
    const float aside = (other.top + other.bottom - end.top - end.bottom) / 2;
    const float apart =
        behind ? other.left - end.right : end.left - other.right;
    if (std::abs(aside) > kRowAside * height_ ||
        other.height() < kLowestPiece * height_ ||
        other.height() > kHighestPiece * height_ || apart < -kRowOver * height_)
      return std::nullopt;
    return apart;
  }

  const std::vector<PageLine>& lines_;
  Point right_;
  float height_ = 0;
  std::vector<size_t> members_;  // From left to right.
};

// Puts the marks where the letters stand in a line that is `width` wide.
void PlaceInLine(const ClosedLine& closed, int width, text::CtcLine* text) {
  const auto place = [&](float share) {
    const float x = share * static_cast<float>(closed.pixels.width());
    size_t i = closed.pieces.size() - 1;
    while (i > 0 && static_cast<float>(closed.pieces[i].x) > x) --i;
    const ClosedLine::Piece& piece = closed.pieces[i];
    return (x + static_cast<float>(piece.begin - piece.x)) /
           static_cast<float>(width);
  };
  for (text::CtcMark& mark : text->marks) {
    mark.left = place(mark.left);
    mark.right = place(mark.right);
  }
}

// The line with room at its ends where no other line stands.
Quad WithEndRoom(const BoxRow& row, const std::vector<PageLine>& lines) {
  Quad quad = row.quad();
  const float room = kEndRoom * geometry::Length(quad[3] - quad[0]);
  for (const bool at_end : {false, true}) {
    const Quad longer = Lengthened(quad, at_end, room);
    const geometry::Rect<float> added = geometry::BoundsOf(
        at_end ? Quad{quad[1], longer[1], longer[2], quad[2]}
               : Quad{longer[0], quad[0], quad[3], longer[3]});
    size_t i = 0;
    if (std::none_of(lines.begin(), lines.end(), [&](const PageLine& line) {
          return std::find(row.members().begin(), row.members().end(), i++) ==
                     row.members().end() &&
                 Intersection(added, geometry::BoundsOf(line.box.quad)).area() >
                     0;
        }))
      quad = longer;
  }
  return quad;
}

// The line, read with its letters moved together; without text where they do
// not stand wide apart.
Result<PageLine> ReadClosed(LineReaders& readers, const image::ImageView& page,
                            const Quad& quad) {
  PageLine line;
  line.box = {quad, 1.0f};
  RecognizerConfig config = readers.config();
  config.height *= kCutFiner;
  MUNJA_ASSIGN_OR_RETURN(const LineImage cut, CutLine(page, quad, config));
  MUNJA_ASSIGN_OR_RETURN(const ClosedLine closed,
                         CloseLetters(cut.pixels.view()));
  if (closed.pieces.empty()) return line;
  PageLine drawn = {{WholeImage(closed.pixels.view()), 1.0f}};
  const std::span<PageLine> one(&drawn, 1);
  MUNJA_RETURN_IF_ERROR(readers.ReadAll(closed.pixels.view(), one));
  MUNJA_RETURN_IF_ERROR(RetryLines(readers, closed.pixels.view(), one));
  line.reading.text = std::move(drawn.reading.text);
  if (HasSyllables(line.reading.text.text)) line.reading.text = {};
  PlaceInLine(closed, cut.pixels.width(), &line.reading.text);
  line.reading.polygon = cut.polygon;
  line.is_read = true;
  return line;
}

}  // namespace

Result<ClosedLine> CloseLetters(const image::ImageView& line) {
  ClosedLine closed;
  LetterGaps letters;
  if (!letters.AreWide(line)) return closed;
  const std::vector<LetterRun>& runs = letters.runs();
  const auto share = [&](float of) {
    return static_cast<int>(of * static_cast<float>(line.height));
  };
  const int excess = letters.usual() - share(kClosedGap);
  int begin = std::max(0, runs.front().begin - share(kClosedMargin)), x = 0;
  const auto keep = [&](int end) {
    closed.pieces.push_back({begin, end, x});
    x += end - begin;
  };
  for (size_t i = 0; i + 1 < runs.size(); ++i) {
    const int gap = runs[i + 1].begin - runs[i].end;
    const int kept =
        std::max(gap - excess, std::min(gap, share(kLeastClosedGap)));
    keep(runs[i].end + (kept + 1) / 2);
    begin = runs[i + 1].begin - kept / 2;
  }
  keep(std::min(line.width, runs.back().end + share(kClosedMargin)));
  MUNJA_RETURN_IF_ERROR(closed.pixels.Resize(x, line.height));
  for (int y = 0; y < line.height; ++y)
    for (const ClosedLine::Piece& piece : closed.pieces)
      std::memcpy(closed.pixels.row(y) + 3 * static_cast<size_t>(piece.x),
                  line.row(y) + 3 * static_cast<size_t>(piece.begin),
                  3 * static_cast<size_t>(piece.end - piece.begin));
  return closed;
}

Status ReadSpacedLetters(LineReaders& readers, const image::ImageView& page,
                         std::vector<PageLine>* lines,
                         std::vector<PageLine>* joined) {
  const RecognizerConfig& config = readers.config();
  if (!config.rules.Has(Rule::kLetterSpacing)) return Status();
  LetterGaps letters;
  std::vector<size_t> spaced;
  for (size_t i = 0; i < lines->size(); ++i) {
    const PageLine& line = (*lines)[i];
    if (!IsWideForItsText(line, config)) continue;
    const bool may_gain = joined != nullptr
                              ? BoxRow(*lines, i).HasNeighbor()
                              : line.reading.text.confidence < kSureLine;
    if (may_gain && letters.AreWide(page, line, config)) spaced.push_back(i);
  }
  if (spaced.empty()) return Status();
  std::stable_sort(spaced.begin(), spaced.end(), [&](size_t a, size_t b) {
    return geometry::LongerSide((*lines)[a].box.quad) >
           geometry::LongerSide((*lines)[b].box.quad);
  });
  std::vector<bool> is_taken(lines->size()), is_part(lines->size());
  Status status;
  for (const size_t longest : spaced) {
    if (is_taken[longest]) continue;
    is_taken[longest] = true;
    BoxRow row(*lines, longest);
    if (joined != nullptr) {
      row.Grow(&is_taken);
      if (row.members().size() == 1) continue;
    }
    Result<PageLine> line = ReadClosed(readers, page, WithEndRoom(row, *lines));
    if (!line.ok()) {
      status = std::move(line).TakeStatus();
      break;
    }
    float before = 0;
    for (const size_t member : row.members())
      before += TextEvidence((*lines)[member].reading.text);
    if (joined == nullptr) before *= kMoreOfLine;
    if (line->reading.text.confidence < kReliable ||
        TextEvidence(line->reading.text) <= before)
      continue;
    if (joined == nullptr) {
      (*lines)[longest].reading = std::move(line->reading);
      continue;
    }
    for (const size_t member : row.members()) is_part[member] = true;
    joined->push_back(std::move(*line));
  }
  size_t i = 0;
  std::erase_if(*lines, [&](const PageLine&) { return is_part[i++]; });
  if (IsSkippedForMemory(
          status, "lines whose letters stand wide apart are not all re-read"))
    return Status();
  return status;
}

}  // namespace munja::ocr
