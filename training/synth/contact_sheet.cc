#include "synth/contact_sheet.h"

#include <algorithm>
#include <cstring>

namespace munja::train {
namespace {

constexpr int kGap = 6;
constexpr int kMostRows = 20000;

void Paste(const image::Image& from, int left, int top, image::Image& sheet) {
  const int columns = std::min(from.width(), sheet.width() - left);
  for (int y = 0; y < from.height() && top + y < sheet.height(); ++y)
    std::memcpy(sheet.row(top + y) + 3 * left, from.row(y),
                static_cast<size_t>(columns) * 3);
}

}  // namespace

Result<image::Image> MakeContactSheet(const std::vector<SheetItem>& items,
                                      int width) {
  struct Place {
    int left, top;
  };
  std::vector<Place> places;
  int left = 0, top = 0, row_height = 0, bottom = 1;
  for (const SheetItem& item : items) {
    const int w =
        std::min(std::max(item.picture.width(), item.caption.width()), width);
    const int h = item.picture.height() + item.caption.height();
    if (left > 0 && left + w > width) {
      left = 0;
      top += row_height + kGap;
      row_height = 0;
    }
    if (top + h > kMostRows) break;
    places.push_back({left, top});
    left += w + kGap;
    row_height = std::max(row_height, h);
    bottom = top + row_height;
  }
  MUNJA_ASSIGN_OR_RETURN(image::Image sheet,
                         image::Image::Create(width, bottom));
  for (int y = 0; y < bottom; ++y)
    std::memset(sheet.row(y), 235, sheet.stride());
  for (size_t i = 0; i < places.size(); ++i) {
    Paste(items[i].picture, places[i].left, places[i].top, sheet);
    Paste(items[i].caption, places[i].left,
          places[i].top + items[i].picture.height(), sheet);
  }
  return sheet;
}

}  // namespace munja::train
