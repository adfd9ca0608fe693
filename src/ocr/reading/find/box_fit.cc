#include "reading/find/box_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "image/gray.h"

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Point;
using geometry::Quad;
using geometry::Unit;

// How far around the box to look, in its heights: above and below, and beyond
// the ends.
constexpr float kAround = 0.35f;
constexpr float kBeyond = 0.6f;
// How far a side may move inward, as a part of the height. Ink that is further
// inside is a dash, or was not told from the background.
constexpr float kMaxInward = 0.4f;
constexpr float kMaxShorter = 0.8f;
// Samples over the height of a box, at most: large print needs no more.
constexpr float kRows = 48;
// Least difference of ink and ground, of 255.
constexpr int kContrast = 24;
// The outline stands off the ink by this part of its height: pixels at the
// rims of letters are half ink, half ground.
constexpr float kMargin = 0.06f;
// At most this part of the margin of the detector's box is kept.
constexpr float kMaxMargin = 0.2f;

// Marks through these parts of the box's height are letters of its line.
constexpr float kMiddleTop = 0.35f, kMiddleBottom = 0.65f;

uint8_t Gray(const uint8_t* p) {
  return static_cast<uint8_t>((p[0] + 2 * p[1] + p[2]) / 4);
}

// `count` pixels of a row of `width` from the left-th on; those beside the row
// are as its ends are.
void GrayRow(const uint8_t* row, int width, int left, int count, uint8_t* out) {
  const int from = std::clamp(-left, 0, count);
  const int to = std::clamp(width - left, from, count);
  std::fill_n(out, from, Gray(row));
  if (to > from) {
    image::ToGray(row + (static_cast<ptrdiff_t>(left) + from) * 3,
                  static_cast<size_t>(to - from), out + from);
  }
  std::fill_n(out + to, count - to,
              Gray(row + static_cast<size_t>(width - 1) * 3));
}

}  // namespace

bool BoxFitter::Sample(const image::ImageView& page, const Quad& quad) {
  const Point along = (quad[1] - quad[0]) + (quad[2] - quad[3]);
  const Point down = (quad[3] - quad[0]) + (quad[2] - quad[1]);
  const float width = Length(along) / 2, height = Length(down) / 2;
  if (!(width >= 2) || !(height >= 2) || !(width < 65536) || !(height < 65536))
    return false;
  Frame& f = frame_;
  f = Frame();
  f.along = Unit(along, {1, 0});
  f.down = Unit({-f.along.y, f.along.x});
  f.step = std::max(1.0f, height / kRows);
  const Point middle = (quad[0] + quad[1] + quad[2] + quad[3]) * 0.25f;
  Point corner = middle - f.along * (width / 2 + kBeyond * height) -
                 f.down * (height / 2 + kAround * height);
  // Upright boxes are looked at pixel by pixel.
  const auto is_along = [](float v) { return std::abs(v) < 1e-3f; };
  if (is_along(f.along.x) || is_along(f.along.y)) {
    f.along = {std::round(f.along.x), std::round(f.along.y)};
    f.down = {-f.along.y, f.along.x};
    corner = {std::round(corner.x), std::round(corner.y)};
  }
  f.corner = corner;
  const Point start = middle - corner;
  const float x = (start.x * f.along.x + start.y * f.along.y) / f.step;
  const float y = (start.x * f.down.x + start.y * f.down.y) / f.step;
  f.left = x - width / 2 / f.step;
  f.right = x + width / 2 / f.step;
  f.top = y - height / 2 / f.step;
  f.bottom = y + height / 2 / f.step;
  f.width = static_cast<int>(std::ceil(f.right + kBeyond * height / f.step));
  f.height = static_cast<int>(std::ceil(f.bottom + kAround * height / f.step));

  gray_.resize(static_cast<size_t>(f.width) * static_cast<size_t>(f.height));
  uint8_t* out = gray_.data();
  const Point across = f.along * f.step;
  const bool is_by_rows = f.along == Point{1, 0} && f.step == 1;
  for (int j = 0; j < f.height; ++j) {
    Point p = f.corner + f.down * ((static_cast<float>(j) + 0.5f) * f.step) +
              across * 0.5f;
    if (is_by_rows) {
      const int py = std::clamp(static_cast<int>(p.y), 0, page.height - 1);
      GrayRow(page.row(py), page.width, static_cast<int>(f.corner.x), f.width,
              out);
      out += f.width;
      continue;
    }
    for (int i = 0; i < f.width; ++i, p = p + across) {
      const int px = std::clamp(static_cast<int>(p.x), 0, page.width - 1);
      const int py = std::clamp(static_cast<int>(p.y), 0, page.height - 1);
      *out++ = Gray(page.row(py) + static_cast<size_t>(px) * 3);
    }
  }
  return true;
}

// Otsu's threshold over the box ("A threshold selection method from gray-level
// histograms", 1979); the ground is what most of the box's rim is.
bool BoxFitter::Separate() {
  const Frame& f = frame_;
  const int x0 = std::max(static_cast<int>(f.left), 0);
  const int y0 = std::max(static_cast<int>(f.top), 0);
  const int x1 = std::min(static_cast<int>(std::ceil(f.right)), f.width);
  const int y1 = std::min(static_cast<int>(std::ceil(f.bottom)), f.height);
  int counts[256] = {};
  int rim[256] = {};
  for (int y = y0; y < y1; ++y) {
    const uint8_t* row = gray_.data() + static_cast<size_t>(y) * f.width;
    for (int x = x0; x < x1; ++x) ++counts[row[x]];
    ++rim[row[x0]];
    ++rim[row[x1 - 1]];
    if (y != y0 && y != y1 - 1) continue;
    for (int x = x0; x < x1; ++x) ++rim[row[x]];
  }
  double all = 0, sum = 0;
  for (int v = 0; v < 256; ++v) {
    all += counts[v];
    sum += static_cast<double>(v) * counts[v];
  }
  double below = 0, sum_below = 0, best = 0, dark = 0, light = 0;
  for (int v = 0; v < 255; ++v) {
    below += counts[v];
    sum_below += static_cast<double>(v) * counts[v];
    if (below == 0 || below == all) continue;
    const double a = sum_below / below, b = (sum - sum_below) / (all - below);
    const double between = below * (all - below) * (b - a) * (b - a);
    if (between <= best) continue;
    best = between;
    dark = a;
    light = b;
  }
  if (light - dark < kContrast) return false;
  threshold_ = static_cast<int>((dark + light) / 2);
  int dark_rim = 0, whole_rim = 0;
  for (int v = 0; v < 256; ++v) {
    whole_rim += rim[v];
    if (v <= threshold_) dark_rim += rim[v];
  }
  is_light_ = 2 * dark_rim > whole_rim;
  return true;
}

int BoxFitter::Root(int mark) {
  while (marks_[static_cast<size_t>(mark)].parent != mark) {
    Mark& m = marks_[static_cast<size_t>(mark)];
    m.parent = marks_[static_cast<size_t>(m.parent)].parent;
    mark = m.parent;
  }
  return mark;
}

void BoxFitter::FindMarks() {
  const Frame& f = frame_;
  const int width = f.width, threshold = threshold_;
  const bool is_light = is_light_;
  const auto is_ink = [=](uint8_t level) {
    return (level > threshold) == is_light;
  };
  marks_.clear();
  above_.clear();
  for (int y = 0; y < f.height; ++y) {
    const uint8_t* row = gray_.data() + static_cast<size_t>(y) * f.width;
    here_.clear();
    size_t over = 0;
    for (int x = 0; x < width;) {
      if (!is_ink(row[x])) {
        ++x;
        continue;
      }
      const int left = x;
      while (x < width && is_ink(row[x])) ++x;
      int mark = -1;
      // Runs of the row above that touch, also at a corner.
      while (over < above_.size() && above_[over].right < left) ++over;
      for (size_t i = over; i < above_.size() && above_[i].left <= x; ++i) {
        const int other = Root(above_[i].mark);
        if (mark < 0) {
          mark = other;
        } else if (other != mark) {
          Mark& to = marks_[static_cast<size_t>(mark)];
          Mark& from = marks_[static_cast<size_t>(other)];
          from.parent = mark;
          to.left = std::min(to.left, from.left);
          to.right = std::max(to.right, from.right);
          to.top = std::min(to.top, from.top);
          to.bottom = std::max(to.bottom, from.bottom);
          to.pixels += from.pixels;
        }
      }
      if (mark < 0) {
        mark = static_cast<int>(marks_.size());
        marks_.push_back({{left, y, x, y + 1}, 0, mark});
      }
      Mark& m = marks_[static_cast<size_t>(mark)];
      m.left = std::min(m.left, left);
      m.right = std::max(m.right, x);
      m.bottom = y + 1;
      m.pixels += x - left;
      here_.push_back({left, x, mark});
    }
    std::swap(above_, here_);
  }
  std::erase_if(marks_, [this](const Mark& m) {
    return m.parent != static_cast<int>(&m - marks_.data());
  });
}

bool BoxFitter::Bounds(Frame* bounds) const {
  const Frame& f = frame_;
  const float h = f.bottom - f.top;
  const auto is_rule = [&](const Mark& m) {
    const auto height = static_cast<float>(m.height());
    const auto width = static_cast<float>(m.width());
    // A frame, what stands beside the line, the lines of a table.
    if (m.top == 0 && m.bottom == f.height) return true;
    if (width > 4 * height && height < 0.15f * h) return true;
    return width > 3 * h &&
           static_cast<float>(m.pixels) < 0.1f * width * height;
  };
  const auto middle_x = [](const Mark& m) {
    return 0.5f * static_cast<float>(m.left + m.right);
  };
  const auto is_inside = [&](const Mark& m) {
    return middle_x(m) > f.left && middle_x(m) < f.right;
  };
  // The line's letters tell how high it is.
  float top = f.bottom, bottom = f.top;
  for (const Mark& m : marks_) {
    if (static_cast<float>(m.bottom) <= f.top + kMiddleTop * h ||
        static_cast<float>(m.top) >= f.top + kMiddleBottom * h ||
        !is_inside(m) || is_rule(m)) {
      continue;
    }
    // Not those that hang together with the next line.
    if (m.top > 0) top = std::min(top, static_cast<float>(m.top));
    if (m.bottom < f.height)
      bottom = std::max(bottom, static_cast<float>(m.bottom));
  }
  if (!(bottom > top)) return false;
  const float line = bottom - top;
  const float near = 0.25f * line;
  // Then points, accents and commas, and letters at the ends.
  float left = f.right, right = f.left, high = top, low = bottom;
  const auto is_of_line = [&](const Mark& m) {
    if (is_rule(m) || m.left == 0 || m.right == f.width || m.top == 0 ||
        m.bottom == f.height || m.pixels < 2) {
      return false;
    }
    const auto y0 = static_cast<float>(m.top),
               y1 = static_cast<float>(m.bottom);
    if (y1 > top && y0 < bottom)
      return y0 + y1 > 2 * f.top && y0 + y1 < 2 * f.bottom;
    return (y0 + y1) > 2 * f.top && (y0 + y1) < 2 * f.bottom &&
           y1 - y0 < 0.4f * line && y1 > top - near && y0 < bottom + near;
  };
  for (const Mark& m : marks_) {
    if (!is_inside(m) || !is_of_line(m)) continue;
    left = std::min(left, static_cast<float>(m.left));
    right = std::max(right, static_cast<float>(m.right));
    high = std::min(high, static_cast<float>(m.top));
    low = std::max(low, static_cast<float>(m.bottom));
  }
  if (!(right > left)) return false;
  // A letter that the box cuts off or leaves out, not the next word.
  const float letter_gap = 0.2f * line;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Mark& m : marks_) {
      if (is_inside(m) || !is_of_line(m)) continue;
      const auto x0 = static_cast<float>(m.left),
                 x1 = static_cast<float>(m.right);
      if (x0 > right + letter_gap || x1 < left - letter_gap ||
          (x0 >= left && x1 <= right)) {
        continue;
      }
      left = std::min(left, x0);
      right = std::max(right, x1);
      grows = true;
    }
  }
  *bounds = f;
  if (high - f.top < kMaxInward * h) bounds->top = high;
  if (f.bottom - low < kMaxInward * h) bounds->bottom = low;
  if (left - f.left < kMaxShorter * h) bounds->left = left;
  if (f.right - right < kMaxShorter * h) bounds->right = right;
  return true;
}

std::optional<Quad> BoxFitter::FitToInk(const image::ImageView& page,
                                        const Quad& quad) {
  // Along the line, which may be vertical.
  const bool is_tall = Length(quad[3] - quad[0]) > Length(quad[1] - quad[0]);
  Quad box = quad;
  if (is_tall) std::rotate(box.begin(), box.begin() + 1, box.end());
  if (page.width < 1 || page.height < 1 || !Sample(page, box) || !Separate())
    return std::nullopt;
  FindMarks();
  Frame ink;
  if (!Bounds(&ink)) return std::nullopt;
  const auto rectangle = [&](float left, float top, float right, float bottom) {
    const auto at = [&](float x, float y) {
      return ink.corner + ink.along * (x * ink.step) +
             ink.down * (y * ink.step);
    };
    Quad q = {at(left, top), at(right, top), at(right, bottom),
              at(left, bottom)};
    if (is_tall) std::rotate(q.begin(), q.begin() + 3, q.end());
    return geometry::CutTo(q, page.width, page.height);
  };
  const float height = ink.bottom - ink.top;
  // Sides that stayed need no margin.
  const auto outward = [&](float side, float box_side, float sign) {
    if (side == box_side) return side;
    return side + sign * std::clamp(sign * (box_side - side), kMargin * height,
                                    kMaxMargin * height);
  };
  return rectangle(outward(ink.left, frame_.left, -1),
                   outward(ink.top, frame_.top, -1),
                   outward(ink.right, frame_.right, 1),
                   outward(ink.bottom, frame_.bottom, 1));
}

}  // namespace munja::ocr
