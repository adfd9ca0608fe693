// LineInk: paper and ink around a line, along the line.
#ifndef MUNJA_READING_FIND_LINE_INK_H_
#define MUNJA_READING_FIND_LINE_INK_H_

#include <optional>
#include <vector>

#include "geometry/quad.h"
#include "image/image.h"

namespace munja::ocr {

class LineInk {
 public:
  // `box` starts where the text does. The page must live as long.
  LineInk(const image::ImageView& page, const geometry::Quad& box);

  // False: nothing is told apart from the paper.
  bool has_contrast() const;
  float height() const { return height_; }
  // A point so many pixels along the line from its start, and at this part of
  // its height from its top.
  geometry::Point At(float x, float y) const;

  // In pixels from the box's end, or from its start.
  struct Piece {
    float begin, end;
  };
  // Ink as large as a letter that stands alone outside of the box, not far from
  // its end (else its start).
  std::optional<Piece> FindPiece(bool at_end) const;
  float PlaceOfPiece(const Piece& piece, bool at_end) const;

  // Rules that cross the box and go on above and below, as those between the
  // cells of a table do; in pixels from its start, in order.
  std::vector<Piece> FindRules() const;
  // From the first to the last ink in a part; none: there is none.
  std::optional<Piece> InkWithin(const Piece& part) const;

 private:
  // The rows of ink in a column across the line; none: top is below bottom.
  struct Extent {
    int top, bottom, count;
  };
  // `x`: as for At().
  Extent ExtentAt(float x, float contrast) const;
  bool IsInkAt(float x, float y, float contrast) const;
  bool IsRuleAt(float x) const;
  bool IsMostlyInk(float x) const;

  const image::ImageView page_;
  const geometry::Quad box_;
  geometry::Point along_{};
  float height_ = 0, length_ = 0;
  int paper_ = 0, contrast_ = 0;
  bool is_dark_ = true;
};

// The quad, so many pixels longer at its end or its start; shorter if negative.
geometry::Quad Lengthened(geometry::Quad quad, bool at_end, float pixels);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_INK_H_
