#include "reading/find/join_pieces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Point;
using geometry::Quad;

// How many times longer than high a box is that says which way its line runs.
constexpr float kElongated = 1.5f;
// Lines that run within so many degrees of each other may be one: the sine.
constexpr float kSameWay = 0.06f;
// Both share at least this part of the lower one's height; the higher one is at
// most this many times as high.
constexpr float kShared = 0.6f;
constexpr float kHigher = 1.9f;
// The joined box may be so many times as high as its parts: no line is made of
// steps.
constexpr float kSteps = 1.35f;
// The angle of short pieces is as rough as the rims of their letters.
constexpr float kRoughness = 0.35f;
float Dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
float Cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

// A box in words of its line.
struct Piece {
  Point along, down;  // Unit vectors.
  float length, height;
  Point middle;
  float reach;  // Distance of the farthest corner from the middle.
};

Piece PieceOf(const TextBox& box) {
  Quad q = box.outline.value_or(box.quad);
  Point along = (q[1] - q[0]) + (q[2] - q[3]);
  Point down = (q[3] - q[0]) + (q[2] - q[1]);
  if (Length(down) > Length(along)) {
    // On end: from top to bottom.
    std::swap(along, down);
    down = down * -1.0f;
  }
  Piece piece;
  piece.length = Length(along) / 2;
  piece.height = Length(down) / 2;
  piece.along = piece.length > 0 ? along * (0.5f / piece.length) : Point{1, 0};
  piece.down = {-piece.along.y, piece.along.x};
  piece.middle = (q[0] + q[1] + q[2] + q[3]) * 0.25f;
  piece.reach = std::hypot(piece.length, piece.height) / 2;
  return piece;
}

struct Extent {
  float from = 0, to = 0;
  float length() const { return to - from; }
};

Extent Along(const Quad& quad, Point direction) {
  Extent extent = {Dot(quad[0], direction), Dot(quad[0], direction)};
  for (const Point& p : quad) {
    extent.from = std::min(extent.from, Dot(p, direction));
    extent.to = std::max(extent.to, Dot(p, direction));
  }
  return extent;
}

Extent Union(Extent a, Extent b) {
  return {std::min(a.from, b.from), std::max(a.to, b.to)};
}

// The rectangle around both, as `a` runs and starting where `a` does.
Quad Around(const Quad& a, const Quad& b) {
  const Point side = a[1] - a[0];
  const float length = Length(side);
  const Point x = length > 0 ? side * (1 / length) : Point{1, 0};
  const Point y = {-x.y, x.x};
  const Extent across = Union(Along(a, x), Along(b, x));
  const Extent down = Union(Along(a, y), Along(b, y));
  const auto at = [&](float u, float v) { return x * u + y * v; };
  return {at(across.from, down.from), at(across.to, down.from),
          at(across.to, down.to), at(across.from, down.to)};
}

class Joiner {
 public:
  Joiner(float most_gap, std::vector<TextBox>& boxes)
      : most_gap_(most_gap), boxes_(boxes), order_(boxes.size()) {
    for (const TextBox& box : boxes) {
      pieces_.push_back(PieceOf(box));
      highest_ = std::max(highest_, pieces_.back().height);
    }
    std::iota(order_.begin(), order_.end(), size_t{0});
    Sort();
  }

  void Run() {
    std::vector<bool> is_gone(boxes_.size(), false);
    // Each pass joins what the one before it made.
    for (bool is_any = true; is_any;) {
      is_any = false;
      for (size_t a = 0; a < order_.size(); ++a) {
        for (size_t b = a + 1; b < order_.size() && IsNear(a, b); ++b) {
          size_t i = order_[a], j = order_[b];
          if (is_gone[i]) break;
          if (is_gone[j]) continue;
          if (pieces_[i].length < pieces_[j].length) std::swap(i, j);
          if (!IsOneLine(i, j)) continue;
          Join(i, j);
          is_gone[j] = true;
          is_any = true;
        }
      }
      std::erase_if(order_, [&](size_t i) { return is_gone[i]; });
      Sort();
    }
    size_t kept = 0;
    for (size_t i = 0; i < boxes_.size(); ++i)
      if (!is_gone[i]) boxes_[kept++] = boxes_[i];
    boxes_.resize(kept);
  }

 private:
  void Sort() {
    std::sort(order_.begin(), order_.end(), [this](size_t i, size_t j) {
      const float a = Top(i), b = Top(j);
      return a != b ? a < b : i < j;
    });
  }
  float Top(size_t i) const { return pieces_[i].middle.y - pieces_[i].reach; }
  // Whether boxes from the b-th on may meet the a-th.
  bool IsNear(size_t a, size_t b) const {
    const Piece& piece = pieces_[order_[a]];
    return Top(order_[b]) <=
           piece.middle.y + piece.reach + most_gap_ * highest_;
  }

  const Quad& OutlineAt(size_t i) const {
    return boxes_[i].outline ? *boxes_[i].outline : boxes_[i].quad;
  }

  // `i` is the longer one.
  bool IsOneLine(size_t i, size_t j) const {
    const Piece& a = pieces_[i];
    const Piece& b = pieces_[j];
    const float higher = std::max(a.height, b.height);
    const float lower = std::min(a.height, b.height);
    const Point apart = b.middle - a.middle;
    if (Length(apart) > a.reach + b.reach + most_gap_ * higher) return false;
    if (a.length < kElongated * a.height) return false;
    if (b.length >= kElongated * b.height &&
        std::abs(Cross(a.along, b.along)) >
            std::max(kSameWay, kRoughness * b.height / b.length)) {
      return false;
    }
    const Extent across_a = Along(OutlineAt(i), a.along);
    const Extent across_b = Along(OutlineAt(j), a.along);
    const Extent down_a = Along(OutlineAt(i), a.down);
    const Extent down_b = Along(OutlineAt(j), a.down);
    const float shared =
        std::min(down_a.to, down_b.to) - std::max(down_a.from, down_b.from);
    if (!(lower > 0) || shared < kShared * lower) return false;
    if (higher > kHigher * lower) return false;
    if (Union(down_a, down_b).length() > kSteps * higher) return false;
    const float gap = std::max(across_a.from, across_b.from) -
                      std::min(across_a.to, across_b.to);
    return gap <= most_gap_ * higher;
  }

  void Join(size_t i, size_t j) {
    TextBox& a = boxes_[i];
    const TextBox& b = boxes_[j];
    const float both = pieces_[i].length + pieces_[j].length;
    if (both > 0) {
      a.score =
          (a.score * pieces_[i].length + b.score * pieces_[j].length) / both;
    }
    if (a.outline || b.outline)
      a.outline =
          Around(a.outline.value_or(a.quad), b.outline.value_or(b.quad));
    a.quad = Around(a.quad, b.quad);
    pieces_[i] = PieceOf(a);
  }

  float most_gap_;
  std::vector<TextBox>& boxes_;
  std::vector<Piece> pieces_;
  std::vector<size_t> order_;  // By their tops; without those joined to others.
  float highest_ = 0;
};

}  // namespace

void JoinPieces(float most_gap, std::vector<TextBox>* boxes) {
  if (most_gap > 0) Joiner(most_gap, *boxes).Run();
}

}  // namespace munja::ocr
