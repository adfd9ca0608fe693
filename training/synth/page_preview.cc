#include "synth/page_preview.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "image/draw.h"
#include "image/resize.h"

namespace munja::train {

void DrawOutlines(PageSample& sample) {
  for (const PageLine& line : sample.lines) {
    std::vector<std::array<float, 2>> points;
    for (const geometry::Point& p : line.outline)
      points.push_back({p.x - 0.5f, p.y - 0.5f});
    image::LineStyle style;
    style.rgb = line.ignore ? std::array<uint8_t, 3>{255, 140, 0}
                            : std::array<uint8_t, 3>{0, 200, 0};
    style.thickness = 1;
    image::DrawPolyline(sample.picture, points, true, style);
    points.resize(points.size() / 2);
    style.thickness = 2;
    style.rgb = {230, 0, 200};
    image::DrawPolyline(sample.picture, points, false, style);
  }
}

Result<image::Image> PageContactSheet(const PageSource& source, uint64_t first,
                                      int columns, int rows, int cell,
                                      bool plain) {
  if (columns < 1 || rows < 1 || cell < 8)
    return InvalidArgument(
        "a contact sheet wants at least one cell of 8 pixels");
  MUNJA_ASSIGN_OR_RETURN(image::Image sheet,
                         image::Image::Create(columns * cell, rows * cell));
  for (int y = 0; y < sheet.height(); ++y)
    std::memset(sheet.row(y), 40, sheet.stride());
  for (int i = 0; i < columns * rows; ++i) {
    MUNJA_ASSIGN_OR_RETURN(PageSample sample,
                           source.Make(first + static_cast<uint64_t>(i)));
    if (!plain) DrawOutlines(sample);
    const int w = sample.picture.width(), h = sample.picture.height(),
              longer = std::max(w, h);
    MUNJA_ASSIGN_OR_RETURN(
        image::Image small,
        image::Image::Create(std::max(1, w * (cell - 2) / longer),
                             std::max(1, h * (cell - 2) / longer)));
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(sample.picture.view(), small));
    for (int y = 0; y < small.height(); ++y)
      std::memcpy(sheet.row(i / columns * cell + y) + 3 * (i % columns * cell),
                  small.row(y), small.stride());
  }
  return sheet;
}

}  // namespace munja::train
