#include "document/reading_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace munja::document {
namespace {

struct Box {
  size_t index;
  double left, right, top, bottom, middle;
};

}  // namespace

std::vector<size_t> ReadingOrder(std::span<const geometry::Quad> quads) {
  std::vector<Box> boxes;
  for (size_t i = 0; i < quads.size(); ++i) {
    const geometry::Quad& q = quads[i];
    const auto [x0, x1] = std::minmax({q[0].x, q[1].x, q[2].x, q[3].x});
    const auto [y0, y1] = std::minmax({q[0].y, q[1].y, q[2].y, q[3].y});
    boxes.push_back({i, x0, x1, y0, y1, (y0 + y1) / 2.0});
  }
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
    if (a.middle != b.middle) return a.middle < b.middle;
    return a.left != b.left ? a.left < b.left : a.index < b.index;
  });
  std::vector<size_t> order;
  for (size_t begin = 0; begin < boxes.size();) {
    // A row: boxes whose middle lies inside the row's first box.
    size_t end = begin + 1;
    while (end < boxes.size() && boxes[end].middle < boxes[begin].bottom &&
           boxes[end].top < boxes[begin].middle)
      ++end;
    std::sort(boxes.begin() + begin, boxes.begin() + end,
              [](const Box& a, const Box& b) {
                return a.left != b.left ? a.left < b.left : a.index < b.index;
              });
    for (; begin < end; ++begin) order.push_back(boxes[begin].index);
  }
  return order;
}

}  // namespace munja::document
