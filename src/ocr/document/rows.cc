#include "document/rows.h"

#include <algorithm>
#include <tuple>

namespace munja::document {
namespace {

// The part of the lower box's height that two boxes of one row share.
constexpr double kSharedHeight = 0.5;
// The part of the narrower box's width, or of the higher one's height, that
// they may share across: boxes grow a little over their neighbors as they are
// found, which is much of the width of a narrow one.
constexpr double kSharedWidth = 0.3;
constexpr double kSharedEnds = 0.35;
// Rows start so close to each other only on pages without rows at all; beyond
// these the search for a box's row gives up.
constexpr size_t kRowsLookedAt = 64;

// Distance along the row; negative where they overlap.
double Distance(const UprightBox& a, const UprightBox& b) {
  return std::max(a.left, b.left) - std::min(a.right, b.right);
}

// How much of the lower one's height both share, from 0 to 1.
double SharedHeight(const UprightBox& a, const UprightBox& b) {
  const double shared = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double lower = std::min(a.height(), b.height());
  if (!(lower > 0)) return shared >= 0 ? 1 : 0;
  return std::max(shared, 0.0) / lower;
}

// SharedHeight() with the row's nearest box; 0 when the box is not beside it.
double Fit(const Row& row, const UprightBox& box) {
  const UprightBox* nearest = nullptr;
  for (const UprightBox& other : row.boxes) {
    const double distance = Distance(other, box);
    if (-distance >
        std::max(kSharedWidth * std::min(other.width(), box.width()),
                 kSharedEnds * std::max(other.height(), box.height()))) {
      return 0;
    }
    if (nearest == nullptr || distance < Distance(*nearest, box))
      nearest = &other;
  }
  return SharedHeight(*nearest, box);
}

}  // namespace

std::vector<Row> GroupRows(std::span<const UprightBox> boxes) {
  std::vector<Row> rows;
  for (const UprightBox& box : boxes) {
    Row* best = nullptr;
    double best_fit = kSharedHeight;
    const size_t oldest =
        rows.size() > kRowsLookedAt ? rows.size() - kRowsLookedAt : 0;
    for (size_t i = rows.size(); i-- > oldest;) {
      if (rows[i].bottom <= box.top) continue;
      const double fit = Fit(rows[i], box);
      if (fit > best_fit || (fit == best_fit && best == nullptr)) {
        best_fit = fit;
        best = &rows[i];
      }
    }
    if (best == nullptr) {
      rows.push_back({{box}, box.left, box.right, box.top, box.bottom});
      continue;
    }
    best->boxes.push_back(box);
    best->left = std::min(best->left, box.left);
    best->right = std::max(best->right, box.right);
    best->top = std::min(best->top, box.top);
    best->bottom = std::max(best->bottom, box.bottom);
  }
  for (Row& row : rows) {
    std::sort(row.boxes.begin(), row.boxes.end(), IsLeftOf);
    double sum = 0;
    for (const UprightBox& box : row.boxes) sum += box.middle();
    row.middle = sum / static_cast<double>(row.boxes.size());
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const size_t index_a = a.boxes[0].index, index_b = b.boxes[0].index;
    return std::tie(a.middle, a.left, a.right, index_a) <
           std::tie(b.middle, b.left, b.right, index_b);
  });
  return rows;
}

}  // namespace munja::document
