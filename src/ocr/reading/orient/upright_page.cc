#include "reading/orient/upright_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "image/homography.h"
#include "image/resize.h"
#include "image/transform.h"
#include "reading/find/line_place.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// A page brought upright has so many times the pixels, to a side, that the
// detector sees of it: of pages that are made smaller twice, by the size that
// it sees, it finds less.
constexpr float kFinerThanSeen = 1.5f;

// The size of a deskewed page, in whole pixels.
Point DeskewedSize(int width, int height, float skew) {
  const float c = std::abs(std::cos(skew)), s = std::abs(std::sin(skew));
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  return {std::round(w * c + h * s), std::round(w * s + h * c)};
}

}  // namespace

Result<UprightPage> UprightPage::Create(const image::ImageView& page,
                                        PageTurn turn, int seen_side,
                                        ThreadPool* pool) {
  const Point size = DeskewedSize(page.width, page.height, turn.skew);
  const float shrink = std::max(size.x, size.y) /
                       (kFinerThanSeen * static_cast<float>(seen_side));
  image::Image smaller;
  if (shrink > 1) {
    const auto shrunk = [&](int side) {
      return std::max(1, static_cast<int>(static_cast<float>(side) / shrink));
    };
    MUNJA_ASSIGN_OR_RETURN(
        smaller, image::Image::Create(shrunk(page.width), shrunk(page.height)));
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(page, smaller, pool));
  }
  MUNJA_ASSIGN_OR_RETURN(UprightPage upright,
                         Turn(shrink > 1 ? smaller.view() : page, turn, pool));
  upright.page_width_ = page.width;
  upright.page_height_ = page.height;
  return upright;
}

Result<UprightPage> UprightPage::Turn(const image::ImageView& page,
                                      PageTurn turn, ThreadPool* pool) {
  UprightPage upright;
  upright.turn_ = turn;
  upright.width_ = page.width;
  upright.height_ = page.height;
  image::ImageView source = page;
  image::Image deskewed;
  if (turn.skew != 0) {
    const Point size = DeskewedSize(page.width, page.height, turn.skew);
    MUNJA_ASSIGN_OR_RETURN(deskewed,
                           image::Image::Create(static_cast<int>(size.x),
                                                static_cast<int>(size.y)));
    const Quad whole = WholeImage(deskewed.view());
    UprightPage skewed;  // The way back from a page that is only skewed.
    skewed.turn_.skew = turn.skew;
    skewed.width_ = page.width;
    skewed.height_ = page.height;
    skewed.page_width_ = page.width;
    skewed.page_height_ = page.height;
    std::array<std::array<float, 2>, 4> corners;
    for (size_t i = 0; i < 4; ++i) {
      const Point corner = skewed.Back(whole[i]);
      corners[i] = {corner.x, corner.y};
    }
    MUNJA_ASSIGN_OR_RETURN(
        const image::Homography map,
        image::QuadToRectangle(corners, deskewed.width(), deskewed.height()));
    MUNJA_RETURN_IF_ERROR(image::WarpPerspective(
        page, map, deskewed, image::Interpolation::kBilinear, pool));
    source = deskewed.view();
  }
  if (turn.quarters == 0) {
    upright.pixels_ = std::move(deskewed);
  } else {
    MUNJA_ASSIGN_OR_RETURN(upright.pixels_,
                           image::Rotate(source, turn.quarters));
  }
  return upright;
}

// Between the centers of pixels, as lines are cropped: the first pixel of the
// page is the last one of the page turned around.
Point UprightPage::Back(Point p) const {
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  const float c = std::cos(turn_.skew), s = std::sin(turn_.skew);
  // The last pixels of the deskewed page.
  const Point last = DeskewedSize(width_, height_, turn_.skew) - Point{1, 1};
  const float right = last.x, bottom = last.y;
  switch (turn_.quarters) {
    case 1:
      p = {p.y, bottom - p.x};
      break;
    case 2:
      p = {right - p.x, bottom - p.y};
      break;
    case 3:
      p = {right - p.y, p.x};
      break;
    default:
      break;
  }
  if (turn_.skew != 0) {
    const Point d = p - Point{right / 2, bottom / 2};
    p = Point{c * d.x - s * d.y, s * d.x + c * d.y} +
        Point{(w - 1) / 2, (h - 1) / 2};
  }
  if (width_ == page_width_ && height_ == page_height_) return p;
  const auto larger = [](float at, int side, int small) {
    const float scale = static_cast<float>(side) / static_cast<float>(small);
    return (at + 0.5f) * scale - 0.5f;
  };
  return {larger(p.x, page_width_, width_), larger(p.y, page_height_, height_)};
}

bool UprightPage::MapBack(TextBox* box) const {
  Quad outline = box->outline.value_or(box->quad);
  for (Point& point : outline) point = Back(point);
  const auto inside = geometry::CutTo(outline, page_width_, page_height_);
  if (!inside) return false;
  // The crop stays a rectangle where the page ends within the line.
  for (Point& point : box->quad) point = Back(point);
  if (box->outline || *inside != box->quad) box->outline = inside;
  return true;
}

}  // namespace munja::ocr
