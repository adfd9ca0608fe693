#include "document/pdf/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace munja::document::pdf {
namespace {

// Pages of more boxes have no rules: finding them takes the cube of these at
// worst.
constexpr size_t kMostBoxes = 600;
// Thickness of a rule, in heights of the lowest box.
constexpr double kThickness = 0.1;
// Its distance from boxes in its way.
constexpr double kMargin = 0.3;
// Its width in a gap between columns.
constexpr double kWidth = 0.25;
// A strip between columns is as high as so many lines at least: lower ones are
// taken for letters. Its parts are a little higher.
constexpr double kLeastLines = 3, kLines = 4, kMostParts = 100;

// Readers take for one size what differs by 0.05 above each other, by 0.2
// beside each other (natural logarithms of the ratios), and look so far, in
// heights.
constexpr double kOther = 0.06, kOtherBeside = 0.24, kReach = 1.1;
constexpr std::array<double, 10> kSizes = {1,    0.93, 1.07, 0.865, 1.14,
                                           0.78, 1.25, 0.72, 0.67,  0.62};

// Numbers in the file are rounded.
constexpr double kLeast = 0.01;

class Finder {
 public:
  Finder(std::span<const TextBox> boxes, const TextBox& page)
      : boxes_(boxes), page_(page) {
    lowest_ = page.bottom - page.top;
    first_ = page.bottom;
    last_ = page.top;
    for (const TextBox& box : boxes) {
      lowest_ = std::min(lowest_, box.bottom - box.top);
      first_ = std::min(first_, box.top);
      last_ = std::max(last_, box.bottom);
    }
  }

  std::vector<Rule> Find() {
    for (size_t k = 1; k < boxes_.size(); ++k) {
      for (const TextBox& part : Upright(k)) rules_.push_back({k, part});
      if (const auto level = Level(k)) rules_.push_back({k, *level});
    }
    return std::move(rules_);
  }

 private:
  // Whether readers would take box k for one before box i, which is above it
  // and comes first: it stands on its left, and nothing lies between them.
  bool IsTakenForFirst(size_t i, size_t k) const {
    const TextBox &upper = boxes_[i], &lower = boxes_[k];
    if (upper.left < lower.right || upper.top >= lower.top) return false;
    const auto parts = [&](const TextBox& box) {
      return box.top > upper.top && box.top < lower.top &&
             box.left < lower.right && box.right > upper.left;
    };
    for (size_t between = i + 1; between < k; ++between)
      if (parts(boxes_[between])) return false;
    for (const Rule& rule : rules_)
      if (parts(rule.box)) return false;
    return true;
  }

  // A rule above box k, as wide as it may be, if it would be taken for one
  // before a box that it follows.
  std::optional<TextBox> Level(size_t k) const {
    const TextBox& next = boxes_[k];
    double first = page_.right;
    for (size_t i = 0; i < k; ++i)
      if (IsTakenForFirst(i, k)) first = std::min(first, boxes_[i].left);
    if (first >= page_.right) return std::nullopt;
    // Boxes before it begin above it, those after it below.
    double above = page_.top, below = next.top;
    double left = page_.left, right = page_.right;
    for (const size_t i : Nearest(next)) {
      const TextBox& box = boxes_[i];
      if (box.right <= left || box.left >= right) continue;
      const double now_above = i < k ? std::max(above, box.top) : above;
      const double now_below = i < k ? below : std::min(below, box.top);
      if (now_below - now_above > 2 * kLeast) {
        above = now_above;
        below = now_below;
        continue;
      }
      // Not up to it.
      const double margin = kMargin * lowest_;
      if (box.left >= next.right)
        right = std::min(right, box.left - margin);
      else if (box.right <= next.left)
        left = std::max(left, box.right + margin);
      else
        return std::nullopt;
    }
    if (right <= first || left >= next.right) return std::nullopt;
    const double height = std::min(kThickness * lowest_, (below - above) / 2);
    return TextBox{left, below - height, right, below};
  }

  // A rule between the columns of which box k is the first of the next one, in
  // parts: as large letters two of them would be near each other.
  std::vector<TextBox> Upright(size_t k) const {
    const TextBox &last = boxes_[k - 1], &next = boxes_[k];
    if (next.top >= last.top || next.left <= last.right) return {};
    double left = last.right, right = next.left;
    double top = first_, bottom = last_;
    const double from = next.top, to = last.bottom;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const TextBox& box = boxes_[i];
      if (box.bottom <= from || box.top >= to) continue;
      if (i < k)
        left = std::max(left, box.right);
      else
        right = std::min(right, box.left);
    }
    if (right - left <= kLeast) return {};
    const double width = kWidth * (right - left);
    const double middle = (left + right) / 2;
    left = middle - width / 2;
    right = middle + width / 2;
    // As long as nothing is in its way, or on the wrong side of it.
    double highest = 0;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const TextBox& box = boxes_[i];
      if (box.bottom > from && box.top < to) {
        highest = std::max(highest, box.bottom - box.top);
        continue;
      }
      if (i < k ? box.right <= left : box.left >= right) continue;
      if (box.bottom <= from)
        top = std::max(top, box.bottom);
      else
        bottom = std::min(bottom, box.top);
    }
    const double height = bottom - top;
    if (height < kLeastLines * highest) return {};
    std::vector<TextBox> parts(static_cast<size_t>(
        std::clamp(height / (kLines * highest), 1.0, kMostParts)));
    const double each = height / static_cast<double>(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const double at = top + each * static_cast<double>(i);
      parts[i] = {left, at, right, at + each};
    }
    return parts;
  }

  // Boxes by their distance along the lines from `from`.
  std::vector<size_t> Nearest(const TextBox& from) const {
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const double distance = std::max(
          {boxes_[i].left - from.right, from.left - boxes_[i].right, 0.0});
      order.emplace_back(distance, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<size_t> nearest;
    for (const auto& [distance, i] : order) nearest.push_back(i);
    return nearest;
  }

  std::span<const TextBox> boxes_;
  TextBox page_;
  double lowest_ = 0, first_ = 0, last_ = 0;
  std::vector<Rule> rules_;
};

}  // namespace

std::vector<Rule> RulesBetween(std::span<const TextBox> boxes,
                               const TextBox& page) {
  if (boxes.size() > kMostBoxes) return {};
  return Finder(boxes, page).Find();
}

std::vector<double> SizesApart(std::span<const TextBox> boxes) {
  std::vector<double> sizes(boxes.size(), 1);
  if (boxes.size() > kMostBoxes) return sizes;
  for (size_t k = 1; k < boxes.size(); ++k) {
    const TextBox& box = boxes[k];
    const double height = box.bottom - box.top;
    size_t fewest = boxes.size();
    for (const double size : kSizes) {
      size_t alike = 0;
      for (size_t i = 0; i < k; ++i) {
        const TextBox& other = boxes[i];
        const double reach =
            kReach * std::max(height, other.bottom - other.top);
        const double beside =
            std::max(box.left - other.right, other.left - box.right);
        const double apart =
            std::max(box.top - other.bottom, other.top - box.bottom);
        if (beside > reach || apart > reach) continue;
        const double difference = std::abs(
            std::log(height * size / ((other.bottom - other.top) * sizes[i])));
        alike += difference < (beside >= 0 ? kOtherBeside : kOther);
      }
      if (alike >= fewest) continue;
      fewest = alike;
      sizes[k] = size;
      if (alike == 0) break;
    }
  }
  return sizes;
}

}  // namespace munja::document::pdf
