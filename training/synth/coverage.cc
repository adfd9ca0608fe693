#include "synth/coverage.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

// Sutherland and Hodgman's clipping ("Reentrant polygon clipping", 1974)
// against one side of a rectangle: keeps sign * coordinate >= sign * bound.
template <float Point::*kCoordinate>
void ClipSide(const std::vector<Point>& in, float bound, float sign,
              std::vector<Point>& out) {
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    const Point a = in[i], b = in[(i + 1) % in.size()];
    const float da = sign * (a.*kCoordinate - bound),
                db = sign * (b.*kCoordinate - bound);
    if (da >= 0) out.push_back(a);
    if ((da >= 0) != (db >= 0)) out.push_back(a + (b - a) * (da / (da - db)));
  }
}

// How many straight pieces stand for a curve whose control polygon is `length`
// pixels long.
int Pieces(float length) {
  return std::clamp(static_cast<int>(0.7f * std::sqrt(length) + 1.5f), 2, 24);
}

}  // namespace

void CoverageBuilder::Add(const Path& path, float scale, Point offset,
                          const Placement* place, const PageMap& map) {
  const auto map_point = [&](Point p) {
    p = p * scale + offset;
    if (place != nullptr) p = (*place)(p);
    return map(p);
  };
  const bool bent =
      !map.straight() || (place != nullptr && place->curvature != 0);
  const Point* next = path.points().data();
  Point last, last_source, first, first_source;
  const auto line_to = [&](Point source, Point end) {
    if (bent) {  // Straight lines of the page are curves in the picture.
      const int pieces = std::clamp(
          static_cast<int>(geometry::Length(end - last) / 12), 1, 64);
      for (int i = 1; i < pieces; ++i) {
        const float t = static_cast<float>(i) / static_cast<float>(pieces);
        contour_.push_back(map_point(last_source + (source - last_source) * t));
      }
    }
    contour_.push_back(end);
    last = end;
    last_source = source;
  };
  const auto close = [&] {
    if (bent && !contour_.empty() && last_source != first_source)
      line_to(first_source, first);
    Close();
  };
  for (Path::Verb verb : path.verbs()) {
    switch (verb) {
      case Path::Verb::kMove:
        close();
        last_source = first_source = *next;
        last = first = map_point(*next++);
        contour_.push_back(last);
        break;
      case Path::Verb::kLine: {
        const Point source = *next++;
        line_to(source, map_point(source));
        break;
      }
      case Path::Verb::kQuadratic: {
        const Point c = map_point(next[0]), end = map_point(next[1]);
        const int pieces =
            Pieces(geometry::Length(c - last) + geometry::Length(end - c));
        for (int i = 1; i <= pieces; ++i) {
          const float t = static_cast<float>(i) / static_cast<float>(pieces),
                      u = 1 - t;
          contour_.push_back(last * (u * u) + c * (2 * u * t) + end * (t * t));
        }
        last = end;
        last_source = next[1];
        next += 2;
        break;
      }
      case Path::Verb::kCubic: {
        const Point c1 = map_point(next[0]), c2 = map_point(next[1]),
                    end = map_point(next[2]);
        const int pieces =
            Pieces(geometry::Length(c1 - last) + geometry::Length(c2 - c1) +
                   geometry::Length(end - c2)) +
            1;
        for (int i = 1; i <= pieces; ++i) {
          const float t = static_cast<float>(i) / static_cast<float>(pieces),
                      u = 1 - t;
          contour_.push_back(last * (u * u * u) + c1 * (3 * u * u * t) +
                             c2 * (3 * u * t * t) + end * (t * t * t));
        }
        last = end;
        last_source = next[2];
        next += 3;
        break;
      }
    }
  }
  close();
}

void CoverageBuilder::Close() {
  const float w = static_cast<float>(width_), h = static_cast<float>(height_);
  bool inside = true;
  for (Point p : contour_)
    inside = inside && p.x >= 0 && p.y >= 0 && p.x <= w && p.y <= h;
  if (!inside) {
    ClipSide<&Point::x>(contour_, 0, 1, clipped_);
    ClipSide<&Point::x>(clipped_, w, -1, contour_);
    ClipSide<&Point::y>(contour_, 0, 1, clipped_);
    ClipSide<&Point::y>(clipped_, h, -1, contour_);
  }
  if (contour_.size() >= 3) {
    for (size_t i = 0; i < contour_.size(); ++i) {
      edges_.push_back(contour_[i]);
      edges_.push_back(contour_[(i + 1) % contour_.size()]);
    }
  }
  contour_.clear();
}

// Signed area accumulation, as in Levien's font-rs: every edge adds, to the
// pixels it crosses, how much more is covered there and to the right of there;
// a running sum over the row gives the coverage.
void CoverageBuilder::AddEdge(Point from, Point to) {
  if (from.y == to.y) return;
  float direction = 1;
  if (from.y > to.y) {
    std::swap(from, to);
    direction = -1;
  }
  const float slope = (to.x - from.x) / (to.y - from.y);
  const size_t stride = static_cast<size_t>(width_);
  float x = from.x;
  for (int row = static_cast<int>(from.y);
       static_cast<float>(row) < to.y && row < height_; ++row) {
    float* line = area_.data() + static_cast<size_t>(row) * stride;
    const float y0 = std::max(from.y, static_cast<float>(row)),
                y1 = std::min(to.y, static_cast<float>(row + 1));
    const float dy = y1 - y0, x_next = x + slope * dy, d = dy * direction;
    const float x0 = std::min(x, x_next), x1 = std::max(x, x_next);
    x = x_next;
    const int first = std::max(static_cast<int>(x0), 0);
    const float first_x = static_cast<float>(first);
    const int end = static_cast<int>(std::ceil(x1));
    if (end <= first + 1) {  // Within one pixel.
      const float covered = d * (1 - (0.5f * (x0 + x1) - first_x));
      line[first] += covered;
      line[first + 1] += d - covered;
      continue;
    }
    const float per_pixel = 1 / (x1 - x0), into_first = 1 - (x0 - first_x);
    const float a0 = 0.5f * per_pixel * into_first * into_first;
    const float in_last = x1 - static_cast<float>(end) + 1;
    const float last_area = 0.5f * per_pixel * in_last * in_last;
    line[first] += d * a0;
    if (end == first + 2) {
      line[first + 1] += d * (1 - a0 - last_area);
    } else {
      const float a1 = per_pixel * (into_first + 0.5f);
      line[first + 1] += d * (a1 - a0);
      for (int i = first + 2; i < end - 1; ++i) line[i] += d * per_pixel;
      const float a2 = a1 + static_cast<float>(end - first - 3) * per_pixel;
      line[end - 1] += d * (1 - a2 - last_area);
    }
    line[end] += d * last_area;
  }
}

Coverage CoverageBuilder::Take(int grow) {
  Coverage out;
  if (edges_.empty()) return out;
  Point low = edges_[0], high = edges_[0];
  for (Point p : edges_) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const int picture_width = width_, picture_height = height_;
  out.left = std::max(static_cast<int>(low.x) - grow, 0);
  out.top = std::max(static_cast<int>(low.y) - grow, 0);
  out.width =
      std::min(static_cast<int>(std::ceil(high.x)) + grow, picture_width) -
      out.left;
  out.height =
      std::min(static_cast<int>(std::ceil(high.y)) + grow, picture_height) -
      out.top;
  if (out.width > 0 && out.height > 0) {
    // Two columns more than visible: an edge also writes right of the last
    // pixel it touches.
    width_ = out.width + 2;
    height_ = out.height;
    area_.assign(static_cast<size_t>(width_) * static_cast<size_t>(height_),
                 0.0f);
    const Point origin{static_cast<float>(out.left),
                       static_cast<float>(out.top)};
    for (size_t i = 0; i + 1 < edges_.size(); i += 2)
      AddEdge(edges_[i] - origin, edges_[i + 1] - origin);
    out.values.resize(static_cast<size_t>(out.width) *
                      static_cast<size_t>(out.height));
    for (int y = 0; y < out.height; ++y) {
      const float* line =
          area_.data() + static_cast<size_t>(y) * static_cast<size_t>(width_);
      uint8_t* row = out.row(y);
      float sum = 0;
      for (int x = 0; x < out.width; ++x) {
        sum += line[x];
        row[x] =
            static_cast<uint8_t>(std::min(std::abs(sum), 1.0f) * 255.0f + 0.5f);
      }
    }
    width_ = picture_width;
    height_ = picture_height;
  }
  edges_.clear();
  return out;
}

}  // namespace munja::train
