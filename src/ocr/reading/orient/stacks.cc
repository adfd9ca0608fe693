#include "reading/orient/stacks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/median.h"
#include "geometry/rect.h"
#include "reading/find/line_place.h"
#include "reading/find/out_of_memory.h"
#include "reading/orient/syllable_columns.h"
#include "reading/orient/upright_lines.h"
#include "reading/read/ink_columns.h"
#include "reading/read/text_evidence.h"
#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// Ink that is thinner than this part of what cells are is a rule or a speck,
// and a gap that is narrower lies within a line, as that below an accent does.
constexpr float kThinInk = 0.3f, kNarrowGap = 0.12f;
// The margin of the better way in confidence.
constexpr float kClearlySurer = 0.1f;
// Between rows, gaps are this part of what rows are and more.
constexpr float kSpaced = 0.3f;
// So much of a wide gap belongs to the cell beside it, in its heights.
constexpr float kCellMargin = 0.3f;
// A box that is higher than this times its width is taken to lie on its side.
constexpr float kHighCell = 1.2f;
// So many short lines are read first; the others if these do not yet say that
// they are none.
constexpr size_t kFirstCells = 4;
// The part of a line's evidence that its short lines must have: they may be
// read a little worse, since each stands alone. Few of them can be letters that
// look alike on their sides, and characters of scripts that are written in
// columns are read well both ways.
constexpr float kNearlyAll = 0.85f, kClearlyAbove = 1.25f;
constexpr size_t kFewCells = 4;
// The evidence of a short line on the average, at least: half a digit.
constexpr float kLeastInCell = 0.5f;
// A box that is higher than this times its width has room for more letters than
// one that stands upright.
constexpr float kOneLetter = 3;
// A letter that stands upright is read so well, at least, and with this part of
// the evidence of what lies on its side: where lines lie around it, that would
// be the only one that does.
constexpr float kWellRead = 0.8f, kUprightPart = 0.5f;
// The same for a sample.
constexpr float kHopefulPart = 0.5f;

// A line of which more than this part lies in another one is a part of that.
constexpr float kCovered = 0.4f;

struct InkRun {
  float begin, end;
  float length() const { return end - begin; }
};

std::vector<InkRun> InkRuns(const LineImage& line) {
  std::vector<bool> is_empty;
  InkColumns().FindEmpty(line.pixels.view(), &is_empty);
  std::vector<InkRun> runs;
  for (size_t x = 0; x < is_empty.size(); ++x) {
    if (is_empty[x]) continue;
    const auto at = static_cast<float>(x);
    if (x == 0 || is_empty[x - 1]) runs.push_back({at, at});
    runs.back().end = at + 1;
  }
  return runs;
}

float MedianLength(const std::vector<InkRun>& runs) {
  std::vector<float> lengths;
  for (const InkRun& run : runs) lengths.push_back(run.length());
  return Median(lengths);
}

// Whether most letters are of a script that is written in columns, too.
bool IsOfColumns(std::string_view text) {
  int all = 0, of_columns = 0;
  while (!text.empty()) {
    const text::CharacterClass c = text::Classify(text::NextCodePoint(text));
    ++all;
    of_columns += c.IsWrittenInColumns();
  }
  return 2 * of_columns > all;
}

// Reads lines [begin, end) and adds up what speaks for them.
Result<float> ReadAndWeigh(LineReaders& readers, const image::ImageView& page,
                           std::span<PageLine> lines) {
  MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, lines));
  float evidence = 0;
  for (const PageLine& line : lines)
    evidence += TextEvidence(line.reading.text);
  return evidence;
}

// A line on its side that is not read well may run the other way.
Status ReadTheOtherWay(LineReaders& readers, const image::ImageView& page,
                       PageLine& line) {
  if (readers.has_classifier() || line.reading.text.confidence >= kReliable)
    return Status();
  const std::span<PageLine> alone(&line, 1);
  std::vector<ReadingJob> jobs = {JobOf(alone, 0, Pass::kUpsideDown)};
  MUNJA_RETURN_IF_ERROR(readers.Run(page, alone, jobs));
  Reading& other = jobs[0].result;
  if (other.text.confidence > line.reading.text.confidence + kClearlySurer)
    line.reading = std::move(other);
  return Status();
}

// The short lines of a tall one, read; none where it is no stack of them.
Result<std::vector<PageLine>> LinesOfStack(LineReaders& readers,
                                           const image::ImageView& page,
                                           PageLine& line) {
  MUNJA_ASSIGN_OR_RETURN(const LineImage crop,
                         CutLine(page, line.box.quad, readers.config()));
  std::vector<PageLine> cells;
  const Stack stack = StackIn(crop);
  if (stack.cells.size() < 2) return std::vector<PageLine>();
  MUNJA_RETURN_IF_ERROR(ReadTheOtherWay(readers, page, line));
  // A line that is read well is none, unless it is of single characters.
  const bool is_likely =
      stack.is_spaced || line.reading.text.confidence < kReliable;
  if (!is_likely) return std::vector<PageLine>();
  for (const Quad& quad : stack.cells) {
    TextBox box = line.box;
    box.quad = quad;
    box.outline.reset();
    cells.push_back({box});
  }
  const text::CtcLine& as_one = line.reading.text;
  const bool is_unlikely = cells.size() < kFewCells || IsOfColumns(as_one.text);
  const float least = std::max(
      TextEvidence(as_one) * (is_unlikely ? kClearlyAbove : kNearlyAll),
      kLeastInCell * static_cast<float>(cells.size()));
  const std::span<PageLine> all(cells);
  const size_t first = std::min(kFirstCells, all.size());
  MUNJA_ASSIGN_OR_RETURN(float evidence,
                         ReadAndWeigh(readers, page, all.first(first)));
  const float share =
      static_cast<float>(first) / static_cast<float>(all.size());
  if (evidence <= kHopefulPart * share * least) return std::vector<PageLine>();
  MUNJA_ASSIGN_OR_RETURN(const float rest,
                         ReadAndWeigh(readers, page, all.subspan(first)));
  evidence += rest;
  if (evidence <= least) cells.clear();
  return cells;
}

bool MayBeOneLetter(const PageLine& line) {
  return geometry::LongerSide(line.box.quad) <
         kOneLetter * geometry::ShorterSide(line.box.quad);
}

// Whether the page's lines lie, not counting those that may be single letters.
bool DoLinesLie(std::span<const PageLine> lines,
                const RecognizerConfig& config) {
  float lying = 0, vertical = 0;
  for (const PageLine& line : lines) {
    const bool is_vertical = IsVertical(line.box.quad, config);
    if (line.box.is_low_score || (is_vertical && MayBeOneLetter(line)))
      continue;
    (is_vertical ? vertical : lying) += geometry::LongerSide(line.box.quad);
  }
  return lying >= vertical;
}

// Reads a box that is higher than wide for being narrow, as that of a 3 is, as
// one letter that stands upright.
Status ReadStanding(LineReaders& readers, const image::ImageView& page,
                    PageLine* line) {
  MUNJA_ASSIGN_OR_RETURN(const LineImage crop,
                         CutLine(page, line->box.quad, readers.config()));
  const Stack stack = StackIn(crop);
  if (stack.cells.size() != 1) return Status();
  PageLine standing = {line->box};
  standing.box.quad = stack.cells[0];
  standing.box.outline.reset();
  MUNJA_ASSIGN_OR_RETURN(
      const float evidence,
      ReadAndWeigh(readers, page, std::span<PageLine>(&standing, 1)));
  const float on_its_side = TextEvidence(line->reading.text);
  if (evidence > std::max(kWellRead, kUprightPart * on_its_side))
    *line = std::move(standing);
  return Status();
}

// Drops lines that lie over others with more evidence.
void DropCovered(std::vector<PageLine>* lines) {
  struct Placed {
    geometry::Rect<float> bounds;
    float evidence;
  };
  std::vector<Placed> placed;
  for (const PageLine& line : *lines)
    placed.push_back(
        {geometry::BoundsOf(line.box.quad), TextEvidence(line.reading.text)});
  const auto is_covered = [&](size_t i) {
    for (size_t j = 0; j < placed.size(); ++j) {
      const float evidence = placed[j].evidence;
      if (j == i || evidence < placed[i].evidence ||
          (evidence == placed[i].evidence && j > i))
        continue;
      const auto shared = Intersection(placed[i].bounds, placed[j].bounds);
      if (shared.area() > kCovered * placed[i].bounds.area()) return true;
    }
    return false;
  };
  size_t i = 0;
  std::erase_if(*lines, [&](const PageLine&) { return is_covered(i++); });
}

}  // namespace

Stack StackIn(const LineImage& line) {
  std::vector<InkRun> runs = InkRuns(line);
  const float typical = MedianLength(runs);
  std::erase_if(
      runs, [&](const InkRun& r) { return r.length() < kThinInk * typical; });
  std::vector<InkRun> cells;
  for (const InkRun& run : runs) {
    if (!cells.empty() && run.begin - cells.back().end < kNarrowGap * typical)
      cells.back().end = run.end;
    else
      cells.push_back(run);
  }
  const auto width = static_cast<float>(line.pixels.width());
  const auto height = static_cast<float>(line.pixels.height());
  const Point start = line.polygon[0];
  const Point along = (line.polygon[1] - start) * (1 / width);
  const Point down = (line.polygon[3] - start) * (1 / height);
  Stack stack;
  std::vector<float> gaps;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) gaps.push_back(cells[i].begin - cells[i - 1].end);
    const float margin = kCellMargin * cells[i].length();
    const float before = i == 0 ? 0 : cells[i - 1].end;
    const float after = i + 1 == cells.size() ? width : cells[i + 1].begin;
    const float left =
        std::max(cells[i].begin - margin, (before + cells[i].begin) / 2);
    const float right =
        std::min(cells[i].end + margin, (after + cells[i].end) / 2);
    const float beyond =
        std::max((right - left) / kHighCell - height, 0.0f) / 2;
    const auto at = [&](float x, float y) {
      return start + along * x + down * y;
    };
    stack.cells.push_back({at(left, height + beyond), at(left, -beyond),
                           at(right, -beyond), at(right, height + beyond)});
  }
  stack.is_spaced = Median(gaps) >= kSpaced * MedianLength(cells);
  return stack;
}

namespace {

// The short lines of a line that may be a stack of them, or none: the line may
// then be another one.
Result<std::vector<PageLine>> Split(LineReaders& readers,
                                    const image::ImageView& page, bool do_lie,
                                    PageLine* line) {
  if (!line->is_read || line->box.is_low_score ||
      !IsVertical(line->box.quad, readers.config()))
    return std::vector<PageLine>();
  MUNJA_ASSIGN_OR_RETURN(std::vector<PageLine> cells,
                         LinesOfStack(readers, page, *line));
  if (cells.empty() && do_lie && MayBeOneLetter(*line))
    MUNJA_RETURN_IF_ERROR(ReadStanding(readers, page, line));
  return cells;
}

}  // namespace

Status SplitStacks(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines) {
  const RecognizerConfig& config = readers.config();
  if (!config.rules.Has(Rule::kStacks)) return Status();
  std::vector<PageLine> split;
  bool is_any = false, has_memory = true;
  const bool do_lie = DoLinesLie(*lines, config);
  for (PageLine& line : *lines) {
    Result<std::vector<PageLine>> cells = std::vector<PageLine>();
    if (has_memory) cells = Split(readers, page, do_lie, &line);
    if (!cells.ok()) {
      Status status = std::move(cells).TakeStatus();
      if (!IsSkippedForMemory(status, "tall lines are not all split"))
        return status;
      has_memory = false;
      cells = std::vector<PageLine>();
    }
    if (cells->empty())
      split.push_back(std::move(line));
    else
      std::move(cells->begin(), cells->end(), std::back_inserter(split));
    is_any = is_any || !cells->empty();
  }
  *lines = std::move(split);
  if (!is_any) return Status();
  DropCovered(lines);
  PutInReadingOrder(lines);
  return Status();
}

}  // namespace munja::ocr
