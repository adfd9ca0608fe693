#include "reading/find/page_tiles.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// A page is seen in tiles if its longer side is at least so many times the
// shorter one, and if the high-resolution pass, too, would bring it to less
// than half its size.
constexpr int kLongFor = 4;
constexpr int kShrinks = 2;
// A tile, in shorter sides, and what two of them share of it.
constexpr int kTileSides = 2;
constexpr double kOverlap = 0.5;

// Two boxes show the same line if they share so much of the smaller one's
// extent, along and across the page.
constexpr float kSameLine = 0.5f;
// One shows all that the other does if it has so much of its extent.
constexpr float kWholeLine = 0.9f;

struct AxisRange {
  float begin = 0, end = 0;
  float size() const { return end - begin; }
};

float At(Point p, bool is_y) { return is_y ? p.y : p.x; }

AxisRange RangeOf(const Quad& quad, bool is_y) {
  const auto [low, high] = std::minmax({At(quad[0], is_y), At(quad[1], is_y),
                                        At(quad[2], is_y), At(quad[3], is_y)});
  return {low, high};
}

float Shared(AxisRange a, AxisRange b) {
  return std::min(a.end, b.end) - std::max(a.begin, b.begin);
}

bool IsSameLine(const TextBox& a, const TextBox& b, AxisRange overlap,
                bool is_tall) {
  const auto within = [&](const TextBox& box) {
    const AxisRange all = RangeOf(box.quad, is_tall);
    return AxisRange{std::max(all.begin, overlap.begin),
                     std::min(all.end, overlap.end)};
  };
  const AxisRange along_a = within(a), along_b = within(b);
  const float along = std::min(along_a.size(), along_b.size());
  if (along <= 0 || Shared(along_a, along_b) < kSameLine * along) return false;
  const AxisRange across_a = RangeOf(a.quad, !is_tall),
                  across_b = RangeOf(b.quad, !is_tall);
  return Shared(across_a, across_b) >=
         kSameLine * std::min(across_a.size(), across_b.size());
}

// The corners of the end that comes first along the page are those of `first`,
// the others are those of `last`.
Quad Span(const Quad& first, const Quad& last, bool is_tall) {
  std::array<size_t, 4> order = {0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    return At(first[i], is_tall) < At(first[j], is_tall);
  });
  Quad span = last;
  for (const size_t i : {order[0], order[1]}) span[i] = first[i];
  return span;
}

TextBox Joined(const TextBox& a, const TextBox& b, bool is_tall) {
  const AxisRange along_a = RangeOf(a.quad, is_tall),
                  along_b = RangeOf(b.quad, is_tall);
  const float shared = Shared(along_a, along_b);
  TextBox joined = along_a.size() >= along_b.size() ? a : b;
  if (shared < kWholeLine * std::min(along_a.size(), along_b.size())) {
    const bool is_a_first = along_a.begin <= along_b.begin;
    const TextBox& first = is_a_first ? a : b;
    const TextBox& last = is_a_first ? b : a;
    joined.quad = Span(first.quad, last.quad, is_tall);
    joined.outline = std::nullopt;
    if (a.outline || b.outline) {
      joined.outline = Span(first.outline.value_or(first.quad),
                            last.outline.value_or(last.quad), is_tall);
    }
  }
  joined.score = std::max(a.score, b.score);
  joined.is_low_score = a.is_low_score && b.is_low_score;
  return joined;
}

}  // namespace

std::vector<PageTile> PageTiles(int page_width, int page_height,
                                const DetectorConfig& config) {
  const int shorter = std::min(page_width, page_height);
  const int longer = std::max(page_width, page_height);
  const int seen = std::max(config.limit_side, config.dense_limit_side);
  if (config.limit_type != LimitType::kMax || longer / kLongFor < shorter ||
      longer / kShrinks < seen)
    return {};
  const int length = std::max(kTileSides * shorter, config.limit_side);
  const int most = length - std::max(1, static_cast<int>(kOverlap * shorter));
  const int steps = (longer - length + most - 1) / most;
  std::vector<PageTile> tiles;
  for (int i = 0; i <= steps; ++i) {
    const auto begin = static_cast<int>(int64_t{longer - length} * i / steps);
    tiles.push_back({begin, begin + length});
  }
  return tiles;
}

void JoinTile(PageTile overlap, bool is_tall, std::vector<TextBox> tile,
              std::vector<TextBox>* boxes) {
  const AxisRange shared = {static_cast<float>(overlap.begin),
                            static_cast<float>(overlap.end)};
  for (TextBox& box : tile) {
    // A box may join the pieces of several: those that are taken in leave.
    for (size_t i = 0; i < boxes->size();) {
      if (!IsSameLine((*boxes)[i], box, shared, is_tall)) {
        ++i;
        continue;
      }
      box = Joined((*boxes)[i], box, is_tall);
      boxes->erase(boxes->begin() + static_cast<std::ptrdiff_t>(i));
    }
    boxes->push_back(box);
  }
}

}  // namespace munja::ocr
