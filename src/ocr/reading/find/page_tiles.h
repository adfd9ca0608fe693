// Pages much longer than they are wide, such as scrolled screenshots and
// panoramas, are searched for lines in overlapping tiles: brought to the
// detector's size as a whole, nothing would be left of their text.
#ifndef MUNJA_READING_FIND_PAGE_TILES_H_
#define MUNJA_READING_FIND_PAGE_TILES_H_

#include <vector>

#include "reading/find/boxes.h"
#include "reading/network/config.h"

namespace munja::ocr {

// A part of a page along its longer side, in pixels.
struct PageTile {
  int begin = 0, end = 0;
  friend bool operator==(const PageTile&, const PageTile&) = default;
};

// Empty for a page that the detector sees as a whole. Else the tiles cover the
// page, are equally long, and each overlaps the next one.
std::vector<PageTile> PageTiles(int page_width, int page_height,
                                const DetectorConfig& config);

// Adds the boxes of a tile, in pixels of the page, to those of the tiles before
// it. A line that both show counts once; the pieces of one that the edges of
// both tiles cut become one box. `overlap`: the part of the page that both
// show. `is_tall`: the tiles lie one below the other.
void JoinTile(PageTile overlap, bool is_tall, std::vector<TextBox> tile,
              std::vector<TextBox>* boxes);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_PAGE_TILES_H_
