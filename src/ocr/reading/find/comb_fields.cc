#include "reading/find/comb_fields.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "base/median.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// Ink is so many levels darker than the paper around it.
constexpr int kDarker = 48;
// Boxes whose upper side falls by more than this part of its length, or that
// are less high, are none of a field.
constexpr float kLevel = 0.02f;
constexpr float kLeastHeight = 8;
// The rule lies between the middle of a box and so many heights below it.
constexpr float kRuleBelow = 0.7f;
// Rules and ticks are at most so thick, in heights of the box.
constexpr float kThin = 0.15f;
// Gaps in a rule are at most so wide, in the same measure; where one lies below
// the middle of a box, the rule is found so far to its side.
constexpr float kGapInRule = 0.5f, kAside = 0.4f;
// The part of its length in which nothing rises from a rule, at least.
constexpr float kRulePart = 0.5f;
constexpr int kNoRule = std::numeric_limits<int>::min();
// Ticks rise so far at least, and boxes so far, in widths of a cell.
constexpr float kTick = 0.1f, kWall = 0.6f;
// The width of a cell, in heights of the box.
constexpr float kNarrowest = 0.5f, kWidest = 3;
constexpr float kPitchTolerance = 0.1f;
// The part of that which is there of the first and the last cell, at least.
constexpr float kOuterCell = 0.7f;
constexpr size_t kLeastCells = 4;
// The room for characters above a rule without walls, in widths of a cell.
constexpr float kRoomAbove = 1.5f;
// A cell with ink that is wider than this times its height, in more than one
// piece, holds more than a character; so may one of so many.
constexpr float kTwoCharacters = 1.05f;
constexpr size_t kOneOfCells = 5;
// Characters drawn side by side: gaps and margins, in their height.
constexpr float kGap = 0.15f, kSpace = 0.6f, kAroundCells = 0.3f;

// Four times the level of a pixel.
int LightOf(const uint8_t* p) { return p[0] + 2 * p[1] + p[2]; }

int Level(const image::ImageView& page, int x, int y) {
  return LightOf(page.row(y) + 3 * static_cast<size_t>(x)) / 4;
}

class Search {
 public:
  Search(const image::ImageView& page, const Rect& box)
      : page_(page), box_(box), height_(box.height()) {}

  std::optional<CombField> Find() {
    SetDark();
    for (const float aside : {0.0f, kAside}) {
      const int x =
          Clamp((box_.left + box_.right) / 2 + aside * height_, page_.width);
      const int first = Clamp((box_.top + box_.bottom) / 2, page_.height);
      const int last = Clamp(box_.bottom + kRuleBelow * height_, page_.height);
      for (int y = last; y > first; --y) {
        if (!IsDark(x, y) || IsDark(x, std::min(y + 1, last))) continue;
        if (!FollowRule(x, y)) continue;
        std::optional<CombField> field = FieldOnRule();
        if (field) return field;
      }
    }
    return std::nullopt;
  }

 private:
  static int Clamp(float at, int size) {
    return std::clamp(static_cast<int>(std::lround(at)), 0, size - 1);
  }
  int Thin() const { return std::max(2, static_cast<int>(kThin * height_)); }
  bool IsDark(int x, int y) const {
    return x >= 0 && y >= 0 && x < page_.width && y < page_.height &&
           Level(page_, x, y) < dark_;
  }

  // Sets the limit of dark pixels; the lightest of some around the box is its
  // paper.
  void SetDark() {
    int paper = 0;
    const int center = Clamp((box_.left + box_.right) / 2, page_.width);
    const int top = Clamp(box_.top, page_.height);
    const int bottom = Clamp(box_.bottom, page_.height);
    for (int y = top; y <= bottom; ++y)
      paper = std::max(paper, Level(page_, center, y));
    dark_ = paper - kDarker;
  }

  // Follows the lower edge of a rule, which may rise or fall and have gaps, to
  // both sides, and returns whether it is one: the feet of letters are none.
  bool FollowRule(int center, int y) {
    const int gap = static_cast<int>(kGapInRule * height_);
    rule_.assign(static_cast<size_t>(page_.width), kNoRule);
    left_ = center;
    end_ = center + 1;
    int thin = 0;
    const auto is_rule = [&] {
      return static_cast<float>(thin) >
             kRulePart * static_cast<float>(end_ - left_);
    };
    for (const int to : {-1, 1}) {
      for (int x = center, at = y, before = center;
           x >= 0 && x < page_.width && std::abs(x - before) <= gap; x += to) {
        for (const int next : {at, at - 1, at + 1}) {
          if (!IsDark(x, next) || IsDark(x, next + Thin())) continue;
          for (; before != x; before += to)
            if (rule_[static_cast<size_t>(before)] == kNoRule)
              rule_[static_cast<size_t>(before)] = ~next;
          rule_[static_cast<size_t>(x)] = at = next;
          left_ = std::min(left_, x);
          end_ = std::max(end_, x + 1);
          thin += !IsDark(x, next - Thin());
          break;
        }
        if (static_cast<float>(std::abs(x - center)) > height_ && !is_rule())
          return false;
      }
    }
    return is_rule();
  }

  bool IsGap(int x) const { return rule_[static_cast<size_t>(x)] < 0; }
  int RuleAt(int x) const {
    const int y = rule_[static_cast<size_t>(std::clamp(x, left_, end_ - 1))];
    return y < 0 ? ~y : y;
  }

  // How far ink rises above the rule.
  int Rise(int x) const {
    int y = RuleAt(x);
    while (IsDark(x, y)) --y;
    return RuleAt(x) - y;
  }

  // Thin strokes that rise from the rule, and gaps in it.
  void FindTicks() {
    ticks_.clear();
    thickness_ = Thin();
    for (int x = left_; x < end_; ++x)
      if (!IsGap(x)) thickness_ = std::min(thickness_, Rise(x));
    const int least =
        thickness_ + std::max(3, static_cast<int>(kTick * height_));
    const auto kind = [&](int x) {
      return IsGap(x)          ? Kind::kGap
             : Rise(x) < least ? Kind::kRule
                               : Kind::kTick;
    };
    for (int x = left_; x < end_;) {
      const int begin = x;
      int rise = 0;
      while (x < end_ && kind(x) == kind(begin))
        rise = std::max(rise, Rise(x++));
      if (kind(begin) == Kind::kGap && x - begin >= least - thickness_)
        ticks_.push_back({(begin + x) / 2, 0});
      else if (kind(begin) == Kind::kTick && x - begin <= Thin())
        ticks_.push_back({(begin + x) / 2, rise});
    }
  }

  enum class Kind { kRule, kTick, kGap };
  struct Tick {
    int x, rise;
  };

  // The longest run of ticks at one distance, in order.
  std::vector<Tick> Comb() const {
    std::vector<Tick> best;
    for (size_t i = 0; i + 1 < ticks_.size(); ++i) {
      for (size_t j = i + 1; j < ticks_.size(); ++j) {
        const auto pitch = static_cast<float>(ticks_[j].x - ticks_[i].x);
        if (pitch < kNarrowest * height_) continue;
        if (pitch > kWidest * height_) break;
        std::vector<Tick> comb = {ticks_[i], ticks_[j]};
        for (size_t k = j + 1; k < ticks_.size(); ++k) {
          const auto next = static_cast<float>(ticks_[k].x - comb.back().x);
          if (std::abs(next - pitch) <= std::max(kPitchTolerance * pitch, 1.5f))
            comb.push_back(ticks_[k]);
          else if (next > pitch)
            break;
        }
        if (comb.size() > best.size()) best = std::move(comb);
      }
    }
    return best;
  }

  std::optional<CombField> FieldOnRule() {
    FindTicks();
    std::vector<Tick> comb = Comb();
    if (comb.size() < kLeastCells) return std::nullopt;
    const float pitch = static_cast<float>(comb.back().x - comb[0].x) /
                        static_cast<float>(comb.size() - 1);
    std::vector<int> rises;
    for (const Tick& tick : comb) rises.push_back(tick.rise);
    const int rise = Median(rises);
    // The first and the last cell may have no tick at their ends.
    const int least = static_cast<int>(kOuterCell * pitch);
    const int cell = static_cast<int>(pitch);
    if (end_ - comb.back().x > least)
      comb.push_back({std::min(end_, comb.back().x + cell), rise});
    if (comb[0].x - left_ > least)
      comb.insert(comb.begin(), {std::max(left_, comb[0].x - cell), rise});
    if (comb.size() <= kLeastCells) return std::nullopt;
    if (IsOfTable(comb, rise, pitch)) return std::nullopt;
    const bool has_walls = static_cast<float>(rise) > kWall * pitch;
    const int room = has_walls ? rise - 2 * thickness_ - 2
                               : static_cast<int>(kRoomAbove * pitch);
    return Cells(comb, room, has_walls ? rise : 0);
  }

  // Whether the strokes go on below the rule, or above the walls.
  bool IsOfTable(const std::vector<Tick>& comb, int rise, float pitch) const {
    const int beyond = std::max(3, static_cast<int>(kTick * pitch));
    size_t on = 0;
    for (const Tick& tick : comb) {
      const int y = RuleAt(tick.x);
      const auto goes_on = [&](int from, int to) {
        for (int x = tick.x - Thin(); x <= tick.x + Thin(); ++x) {
          int dark = 0;
          for (int at = from; at <= to; ++at) dark += IsDark(x, at);
          if (dark == to - from + 1) return true;
        }
        return false;
      };
      on += goes_on(y + 2, y + 2 + beyond) ||
            goes_on(y - rise - beyond, y - rise - 1);
    }
    return 2 * on >= comb.size();
  }

  std::optional<CombField> Cells(const std::vector<Tick>& comb, int room,
                                 int wall) const {
    const int edge = std::max(1, thickness_ / 2) + 1;
    // Boxes that stand apart have walls within what belongs to a cell.
    const auto is_wall = [&](int x) {
      return wall > 0 &&
             std::any_of(ticks_.begin(), ticks_.end(), [&](const Tick& tick) {
               return std::abs(x - tick.x) <= edge &&
                      tick.rise >= wall - thickness_ - 1;
             });
    };
    CombField field;
    field.bounds.top = page_.height;
    int empty = 0;
    size_t doubles = 0;
    for (size_t i = 0; i + 1 < comb.size(); ++i) {
      const int begin = comb[i].x + edge, end = comb[i + 1].x - edge;
      int left = -1, right = 0, pieces = 0, top = page_.height, bottom = 0;
      for (int x = begin, light = 1; x < end; ++x) {
        const int rule = RuleAt(x) - thickness_;
        const int ceiling = std::max(rule - room, wall > 0 ? 0 : Above());
        int dark = 0;
        for (int y = ceiling; y < rule; ++y) {
          if (!IsDark(x, y) || is_wall(x)) continue;
          ++dark;
          top = std::min(top, y);
          bottom = std::max(bottom, y + 1);
        }
        if (dark == 0) {
          light = 1;
          continue;
        }
        pieces += light;
        light = 0;
        if (left < 0) left = x;
        right = x + 1;
      }
      if (left < 0) {
        ++empty;
        continue;
      }
      field.cells.push_back({left, right, field.cells.empty() ? 0 : empty});
      empty = 0;
      field.bounds.top = std::min(field.bounds.top, top);
      field.bounds.bottom = std::max(field.bounds.bottom, bottom);
      doubles +=
          pieces > 1 && static_cast<float>(right - left) >
                            kTwoCharacters * static_cast<float>(bottom - top);
    }
    if (field.cells.size() < 2 || kOneOfCells * doubles > field.cells.size())
      return std::nullopt;
    field.bounds = {field.cells[0].left, field.bounds.top,
                    field.cells.back().right, field.bounds.bottom};
    return field;
  }

  int Above() const {
    return std::max(0, static_cast<int>(box_.top - kThin * height_));
  }

  const image::ImageView& page_;
  Rect box_;
  float height_;
  int dark_ = 0;
  // The lower edge of the rule in each column from left_ to end_; in gaps, ~ of
  // that beside them.
  std::vector<int> rule_;
  int left_ = 0, end_ = 0;
  int thickness_ = 1;
  std::vector<Tick> ticks_;
};

bool LiesLevel(const TextBox& box) {
  const geometry::Quad& quad = box.quad;
  return std::abs(quad[1].y - quad[0].y) <=
             std::max(kLevel * std::abs(quad[1].x - quad[0].x), 1.0f) &&
         quad[1].x > quad[0].x;
}

}  // namespace

std::vector<CombField> FindCombFields(const image::ImageView& page,
                                      std::span<const TextBox> boxes) {
  std::vector<CombField> fields;
  for (const TextBox& box : boxes) {
    if (!LiesLevel(box)) continue;
    const Rect bounds = PlaceOf(box);
    if (bounds.height() < kLeastHeight) continue;
    const float x = (bounds.left + bounds.right) / 2;
    const float y = (bounds.top + bounds.bottom) / 2;
    const bool is_found =
        std::any_of(fields.begin(), fields.end(), [&](const CombField& field) {
          const geometry::Rect<int>& f = field.bounds;
          return x >= static_cast<float>(f.left) &&
                 x < static_cast<float>(f.right) &&
                 y >= static_cast<float>(f.top) &&
                 y < static_cast<float>(f.bottom);
        });
    if (is_found) continue;
    std::optional<CombField> field = Search(page, bounds).Find();
    if (field) fields.push_back(std::move(*field));
  }
  return fields;
}

Result<CombLine> DrawCombLine(const image::ImageView& page,
                              const CombField& field) {
  const int height = field.bounds.height();
  const auto share = [&](float of) {
    return std::max(1, static_cast<int>(of * static_cast<float>(height)));
  };
  const int gap = share(kGap), space = share(kSpace),
            margin = share(kAroundCells);
  CombLine line;
  int x = margin;
  for (const CombField::Cell& cell : field.cells) {
    if (!line.starts.empty()) x += cell.empty_before > 0 ? space : gap;
    line.starts.push_back(x);
    x += cell.right - cell.left;
  }
  MUNJA_RETURN_IF_ERROR(line.pixels.Resize(x + margin, height + 2 * margin));
  // The lightest pixel of the field is its paper.
  const uint8_t* paper = page.row(field.bounds.top);
  for (int y = field.bounds.top; y < field.bounds.bottom; ++y) {
    for (const CombField::Cell& cell : field.cells) {
      for (int at = cell.left; at < cell.right; ++at) {
        const uint8_t* p = page.row(y) + 3 * static_cast<size_t>(at);
        if (LightOf(p) > LightOf(paper)) paper = p;
      }
    }
  }
  for (int y = 0; y < line.pixels.height(); ++y) {
    uint8_t* row = line.pixels.row(y);
    for (int at = 0; at < line.pixels.width(); ++at)
      std::memcpy(row + 3 * static_cast<size_t>(at), paper, 3);
    const int from = y - margin + field.bounds.top;
    if (from < field.bounds.top || from >= field.bounds.bottom) continue;
    for (size_t i = 0; i < field.cells.size(); ++i) {
      const CombField::Cell& cell = field.cells[i];
      std::memcpy(row + 3 * static_cast<size_t>(line.starts[i]),
                  page.row(from) + 3 * static_cast<size_t>(cell.left),
                  3 * static_cast<size_t>(cell.right - cell.left));
    }
  }
  return line;
}

}  // namespace munja::ocr
