#include "reading/orient/upright_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/median.h"
#include "image/gray.h"
#include "reading/find/line_place.h"
#include "reading/orient/syllable_columns.h"
#include "reading/read/text_evidence.h"
#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// A box in line with a tall one, in widths of that: so far aside, so wide, and
// so far from it or over it.
constexpr float kAsideOfColumn = 0.3f, kLeastWidth = 0.2f, kMostWidth = 1.3f,
                kApart = 1.2f, kOver = 0.6f;
// A box that is so much wider than high is a line of print.
constexpr float kWideBox = 1.6f;
// The evidence of the column, for each part of that of its lines and for each
// of its characters, at least.
constexpr float kMoreEvidence = 1.1f, kLeastOfCharacter = 0.4f;

// Pixels are cut so many times as high as the recognizer's lines, since they
// are cut again.
constexpr int kFiner = 2;
// A pixel is ink if it differs from the paper by this part of what the 3 % that
// differ most do.
constexpr float kInkContrast = 0.4f;
constexpr int kLeastContrast = 24;
// In widths of the column: pieces of a character are shorter.
constexpr float kLongPiece = 1.5f;
// Sizes in that of the characters. Ink that is higher holds several; it is cut
// where there is least ink, so far at most from equal parts.
constexpr float kHighInk = 1.35f, kCharacterPitch = 1.1f, kCutReach = 0.2f;
// The cost of a character's cell, of what makes it higher than characters are,
// and of gaps within it.
constexpr float kCell = 1, kTooHigh = 60, kHighest = 1.05f, kGapCost = 3,
                kFreeGap = 0.1f;
// Where the row is drawn: margins, and the gaps between characters that touch.
constexpr float kRowMargin = 0.2f, kLeastGap = 0.06f;
// Columns may be loosely set, rows are not: the usual gap.
constexpr float kUsualGap = 0.12f;
// Points and commas are smaller than this and stand low.
constexpr float kPoint = 0.35f;

struct Run {
  int begin = 0, end = 0;
  int length() const { return end - begin; }
};

// The ink of a column on its side.
class ColumnInk {
 public:
  explicit ColumnInk(const image::ImageView& column)
      : width_(column.width), height_(column.height) {
    gray_.resize(static_cast<size_t>(width_) * static_cast<size_t>(height_));
    std::array<uint32_t, 256> counts{};
    for (int y = 0; y < height_; ++y)
      image::ToGray(column.row(y), static_cast<size_t>(width_),
                    gray_.data() + At(0, y));
    image::CountLevels(gray_, counts);
    // Most of a column is paper.
    paper_ = image::LevelOfRank(counts, gray_.size() / 2);
    const size_t few = gray_.size() * 3 / 100;
    const int dark = paper_ - image::LevelOfRank(counts, few);
    const int light =
        image::LevelOfRank(counts, gray_.size() - 1 - few) - paper_;
    const int contrast = std::max(dark, light);
    if (contrast < kLeastContrast) return;
    is_dark_ = dark >= light;
    limit_ = std::max(
        1, static_cast<int>(kInkContrast * static_cast<float>(contrast)));
    FindInk();
    along_.assign(static_cast<size_t>(width_), 0);
    std::vector<int> across(static_cast<size_t>(height_), 0);
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        if (!IsInk(x, y)) continue;
        ++along_[static_cast<size_t>(x)];
        ++across[static_cast<size_t>(y)];
      }
    }
    // Without what reaches in from neighbors.
    const int least = std::max(1, width_ / 100);
    int top = 0, bottom = height_;
    while (top < bottom && across[static_cast<size_t>(top)] < least) ++top;
    while (bottom > top && across[static_cast<size_t>(bottom - 1)] < least)
      --bottom;
    size_ = static_cast<float>(bottom - top);
  }

  // How large characters are: as wide as the column's ink.
  float size() const { return size_; }

  bool IsInk(int x, int y) const { return is_ink_[At(x, y)] != 0; }
  bool IsPaper(int x, int y) const {
    return std::abs(gray_[At(x, y)] - paper_) <= 2;
  }

  // Stretches of ink from the column's top down. What is too high for one
  // character is cut.
  std::vector<Run> Runs() const {
    std::vector<Run> runs;
    for (int x = 0; x < width_; ++x) {
      if (along_[static_cast<size_t>(x)] == 0) continue;
      if (runs.empty() || runs.back().end < x) runs.push_back({x, x});
      runs.back().end = x + 1;
    }
    std::vector<Run> cut;
    for (const Run& run : runs) AddCut(run, &cut);
    return cut;
  }

 private:
  size_t At(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) +
           static_cast<size_t>(x);
  }
  // Pixels that differ from the paper, without another background that lies
  // along the column: it reaches in from a long side and is longer than
  // characters are.
  void FindInk() {
    is_ink_.resize(gray_.size());
    for (size_t i = 0; i < gray_.size(); ++i) {
      const int difference = gray_[i] - paper_;
      is_ink_[i] = (is_dark_ ? -difference : difference) >= limit_;
    }
    std::vector<uint8_t> is_seen(gray_.size());
    std::vector<std::pair<int, int>> piece;
    for (const int side : {0, height_ - 1}) {
      for (int start = 0; start < width_; ++start) {
        piece.clear();
        const auto add = [&](int x, int y) {
          if (x < 0 || y < 0 || x >= width_ || y >= height_ || !IsInk(x, y) ||
              std::exchange(is_seen[At(x, y)], uint8_t{1}) != 0)
            return;
          piece.emplace_back(x, y);
        };
        add(start, side);
        Run extent = {start, start};
        for (size_t i = 0; i < piece.size(); ++i) {
          const auto [x, y] = piece[i];
          extent = {std::min(extent.begin, x), std::max(extent.end, x)};
          add(x - 1, y);
          add(x + 1, y);
          add(x, y - 1);
          add(x, y + 1);
        }
        if (static_cast<float>(extent.length()) <=
            kLongPiece * static_cast<float>(height_))
          continue;
        for (const auto& [x, y] : piece) is_ink_[At(x, y)] = 0;
      }
    }
  }
  void AddCut(const Run& run, std::vector<Run>* cut) const {
    const auto length = static_cast<float>(run.length());
    const int parts =
        length <= kHighInk * size_
            ? 1
            : std::max(2, static_cast<int>(
                              std::lround(length / (kCharacterPitch * size_))));
    int begin = run.begin;
    for (int i = 1; i < parts; ++i) {
      const float at =
          static_cast<float>(run.begin) +
          length * static_cast<float>(i) / static_cast<float>(parts);
      const float reach = kCutReach * size_;
      const auto first = along_.begin() + static_cast<int>(at - reach);
      const auto last = along_.begin() + static_cast<int>(at + reach) + 1;
      const auto x =
          static_cast<int>(std::min_element(first, last) - along_.begin());
      cut->push_back({begin, x});
      begin = x;
    }
    cut->push_back({begin, run.end});
  }

  const int width_, height_;
  std::vector<uint8_t> gray_, is_ink_;
  std::vector<int> along_;  // How much ink each column of pixels has.
  int paper_ = 0, limit_ = 1;
  bool is_dark_ = true;
  float size_ = 0;
};

// The cells of characters: each is one stretch of ink or several, as the lower
// half of a syllable stands apart from its upper one.
std::vector<Run> CellsOf(const std::vector<Run>& runs, float size) {
  constexpr float kNever = std::numeric_limits<float>::max();
  std::vector<float> costs(runs.size() + 1, kNever);
  std::vector<size_t> begins(runs.size() + 1);
  costs[0] = 0;
  for (size_t end = 1; end <= runs.size(); ++end) {
    float gaps = 0;
    for (size_t begin = end; begin-- > 0;) {
      const float height =
          static_cast<float>(runs[end - 1].end - runs[begin].begin) / size;
      if (begin + 1 < end && height > kHighInk) break;
      if (begin + 1 < end) {
        const float gap =
            static_cast<float>(runs[begin + 1].begin - runs[begin].end) / size;
        gaps += kGapCost * std::max(gap - kFreeGap, 0.0f);
      }
      const float above = std::max(height - kHighest, 0.0f);
      const float cost = costs[begin] + kCell + kTooHigh * above * above + gaps;
      if (cost >= costs[end]) continue;
      costs[end] = cost;
      begins[end] = begin;
    }
  }
  std::vector<Run> cells;
  for (size_t end = runs.size(); end > 0; end = begins[end])
    cells.push_back({runs[begins[end]].begin, runs[end - 1].end});
  std::reverse(cells.begin(), cells.end());
  return cells;
}

// Whether most letters are of a script that is written in columns.
bool IsOfColumnScript(std::string_view text) {
  int all = 0, of_columns = 0;
  while (!text.empty()) {
    const text::CharacterClass c = text::Classify(text::NextCodePoint(text));
    if (!c.IsLetter()) continue;
    ++all;
    of_columns += c.IsWrittenInColumns();
  }
  return 2 * of_columns > all;
}

// A column in the frame of its longest box.
class BoxColumn {
 public:
  BoxColumn(const std::vector<PageLine>& lines, size_t longest)
      : quad_(lines[longest].box.quad) {
    right_ = Unit(quad_[1] - quad_[0]);
    down_ = Unit(quad_[3] - quad_[0]);
    const Extent own = ExtentOf(quad_);
    left_ = own.left;
    width_ = own.right - own.left;
    top_ = own.top;
    bottom_ = own.bottom;
    members_.push_back(longest);
  }

  // Takes in the boxes in line with it.
  void Grow(const std::vector<PageLine>& lines, std::vector<bool>* is_taken) {
    for (bool is_growing = true; is_growing;) {
      is_growing = false;
      for (size_t i = 0; i < lines.size(); ++i) {
        if ((*is_taken)[i] || !IsInLine(lines[i].box.quad)) continue;
        const Extent other = ExtentOf(lines[i].box.quad);
        top_ = std::min(top_, other.top);
        bottom_ = std::max(bottom_, other.bottom);
        (*is_taken)[i] = is_growing = true;
        members_.push_back(i);
      }
    }
  }

  const std::vector<size_t>& members() const { return members_; }
  Quad quad() const {
    const auto at = [&](float x, float y) {
      return quad_[0] + right_ * x + down_ * y;
    };
    const float right = left_ + width_;
    return {at(left_, top_), at(right, top_), at(right, bottom_),
            at(left_, bottom_)};
  }

 private:
  struct Extent {
    float left, right, top, bottom;
  };
  Extent ExtentOf(const Quad& quad) const {
    Extent extent = {kFar, -kFar, kFar, -kFar};
    for (const Point& corner : quad) {
      const Point p = corner - quad_[0];
      const float x = p.x * right_.x + p.y * right_.y;
      const float y = p.x * down_.x + p.y * down_.y;
      extent = {std::min(extent.left, x), std::max(extent.right, x),
                std::min(extent.top, y), std::max(extent.bottom, y)};
    }
    return extent;
  }
  bool IsInLine(const Quad& quad) const {
    const Extent other = ExtentOf(quad);
    const float wide = other.right - other.left;
    const float aside = (other.left + other.right) / 2 - (left_ + width_ / 2);
    const float apart = std::max(other.top - bottom_, top_ - other.bottom);
    return std::abs(aside) <= kAsideOfColumn * width_ &&
           wide >= kLeastWidth * width_ && wide <= kMostWidth * width_ &&
           wide <= kWideBox * (other.bottom - other.top) &&
           apart <= kApart * width_ && apart >= -kOver * width_;
  }

  static constexpr float kFar = std::numeric_limits<float>::max();
  Quad quad_;
  Point right_, down_;
  float left_ = 0, width_ = 0, top_ = 0, bottom_ = 0;
  std::vector<size_t> members_;
};

// Puts the marks of a row where its characters stand in the column.
void PlaceInColumn(const RowOfColumn& row, int length, text::CtcLine* text) {
  const auto width = static_cast<float>(row.pixels.width());
  const auto share = [&](int y) {
    return static_cast<float>(y) / static_cast<float>(length);
  };
  for (text::CtcMark& mark : text->marks) {
    const float middle = (mark.left + mark.right) / 2 * width;
    const auto distance = [&](const RowOfColumn::Cell& cell) {
      return std::abs(static_cast<float>(cell.x) - middle);
    };
    const auto cell = std::min_element(row.cells.begin(), row.cells.end(),
                                       [&](const auto& a, const auto& b) {
                                         return distance(a) < distance(b);
                                       });
    mark.left = share(cell->begin);
    mark.right = share(cell->end);
    mark.top = 0;
    mark.bottom = 1;
  }
}

// The column, read; without text where it is none.
Result<PageLine> ReadColumn(LineReaders& readers, const image::ImageView& page,
                            const Quad& quad) {
  PageLine line;
  line.box = {quad, 1.0f};
  RecognizerConfig config = readers.config();
  config.height *= kFiner;
  MUNJA_ASSIGN_OR_RETURN(const LineImage column, CutLine(page, quad, config));
  MUNJA_ASSIGN_OR_RETURN(const RowOfColumn row,
                         DrawAsRow(column.pixels.view()));
  if (row.cells.size() < 2) return line;
  PageLine drawn = {{WholeImage(row.pixels.view()), 1.0f}};
  MUNJA_RETURN_IF_ERROR(
      readers.ReadAll(row.pixels.view(), std::span<PageLine>(&drawn, 1)));
  line.reading.text = std::move(drawn.reading.text);
  if (!IsOfColumnScript(line.reading.text.text) ||
      TextEvidence(line.reading.text) <
          kLeastOfCharacter * static_cast<float>(row.cells.size()))
    line.reading.text = {};
  PlaceInColumn(row, column.pixels.width(), &line.reading.text);
  line.reading.polygon = column.polygon;
  line.is_read = true;
  return line;
}

bool KnowsColumnScripts(const text::Dictionary& dictionary) {
  for (int cls = dictionary.classes(); --cls > kBlank;)
    if (IsOfColumnScript(dictionary.symbol(cls))) return true;
  return false;
}

}  // namespace

Result<RowOfColumn> DrawAsRow(const image::ImageView& column) {
  RowOfColumn row;
  const ColumnInk ink(column);
  const float size = ink.size();
  if (size < 4) return row;
  const std::vector<Run> cells = CellsOf(ink.Runs(), size);
  const auto share = [&](float of) {
    return std::max(1, static_cast<int>(of * size));
  };
  const int margin = share(kRowMargin), least_gap = share(kLeastGap);
  struct Drawn {
    Run from;       // Rows of the page: columns of `column`.
    int low, high;  // Its ink in `column`, from the left on the page.
    int x;          // Where it starts in the row.
  };
  std::vector<int> gaps;
  for (size_t i = 1; i < cells.size(); ++i)
    gaps.push_back(cells[i].begin - cells[i - 1].end);
  const int too_wide = std::max(0, Median(gaps) - share(kUsualGap));
  std::vector<Drawn> characters;
  int x = margin, tallest = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    int low = column.height, high = -1;
    for (int y = 0; y < column.height; ++y) {
      for (int at = cells[i].begin; at < cells[i].end; ++at) {
        if (!ink.IsInk(at, y)) continue;
        low = std::min(low, column.height - 1 - y);
        high = std::max(high, column.height - 1 - y);
        break;
      }
    }
    if (high < low) continue;
    if (!characters.empty())
      x += std::max(cells[i].begin - characters.back().from.end - too_wide,
                    least_gap);
    characters.push_back({cells[i], low, high + 1, x});
    x += high + 1 - low;
    tallest = std::max(tallest, cells[i].length());
  }
  if (characters.empty()) return row;
  MUNJA_RETURN_IF_ERROR(row.pixels.Resize(x + margin, tallest + 2 * margin));
  const uint8_t* paper = column.row(0);
  for (int y = 0; y < column.height; ++y)
    for (int at = 0; at < column.width; ++at)
      if (ink.IsPaper(at, y))
        paper = column.row(y) + 3 * static_cast<size_t>(at);
  for (int y = 0; y < row.pixels.height(); ++y)
    for (int at = 0; at < row.pixels.width(); ++at)
      std::memcpy(row.pixels.row(y) + 3 * static_cast<size_t>(at), paper, 3);
  for (const Drawn& c : characters) {
    row.cells.push_back({c.from.begin, c.from.end, c.x + (c.high - c.low) / 2});
    const int height = c.from.length();
    const bool is_point =
        static_cast<float>(std::max(height, c.high - c.low)) < kPoint * size;
    const int top =
        margin + (is_point ? tallest - height : (tallest - height) / 2);
    for (int v = 0; v < height; ++v)
      for (int u = 0; u < c.high - c.low; ++u)
        std::memcpy(row.pixels.row(top + v) + 3 * static_cast<size_t>(c.x + u),
                    column.row(column.height - 1 - (c.low + u)) +
                        3 * static_cast<size_t>(c.from.begin + v),
                    3);
  }
  return row;
}

Status TakeUprightColumns(LineReaders& readers, const image::ImageView& page,
                          std::vector<PageLine>* lines,
                          std::vector<PageLine>* columns) {
  std::vector<size_t> tall;
  for (size_t i = 0; i < lines->size(); ++i) {
    const PageLine& line = (*lines)[i];
    if (IsVertical(line.box.quad, readers.config()) &&
        !(line.is_read && line.reading.text.confidence >= kReliable))
      tall.push_back(i);
  }
  if (tall.empty() || !KnowsColumnScripts(readers.dictionary()))
    return Status();
  std::stable_sort(tall.begin(), tall.end(), [&](size_t a, size_t b) {
    return geometry::LongerSide((*lines)[a].box.quad) >
           geometry::LongerSide((*lines)[b].box.quad);
  });
  std::vector<bool> is_taken(lines->size()), is_part(lines->size());
  Status status;
  for (const size_t longest : tall) {
    if (is_taken[longest]) continue;
    is_taken[longest] = true;
    BoxColumn boxes(*lines, longest);
    boxes.Grow(*lines, &is_taken);
    Result<PageLine> column = ReadColumn(readers, page, boxes.quad());
    if (!column.ok()) {
      status = std::move(column).TakeStatus();
      break;
    }
    float before = 0;
    for (const size_t member : boxes.members())
      before += TextEvidence((*lines)[member].reading.text);
    if (TextEvidence(column->reading.text) <= kMoreEvidence * before) continue;
    for (const size_t member : boxes.members()) is_part[member] = true;
    columns->push_back(std::move(*column));
  }
  size_t i = 0;
  std::erase_if(*lines, [&](const PageLine&) { return is_part[i++]; });
  return status;
}

}  // namespace munja::ocr
