// Regions of the probability map, before boxes grow from them: bent ones are
// cut, and regions too short to have a reliable angle get that of their
// neighbors.
#ifndef MUNJA_READING_FIND_TEXT_REGIONS_H_
#define MUNJA_READING_FIND_TEXT_REGIONS_H_

#include <vector>

#include "base/status.h"
#include "geometry/contours.h"
#include "geometry/min_area_rect.h"
#include "geometry/quad.h"
#include "reading/find/probability_map.h"

namespace munja::ocr {

struct TextRegion {
  geometry::Polygon border;    // Map pixels.
  geometry::RotatedRect rect;  // Around it.
};

// The regions inside of `contours` of the map's pixels above the threshold, but
// for those whose rectangle's shorter side is below `min_side`.
std::vector<TextRegion> RegionsOf(const geometry::Contours& contours,
                                  float min_side);

// Around a long line on bent paper a rectangle holds half of the next lines.
// Such regions become pieces that are straight.
Status CutBent(const ProbabilityMap& map, float threshold,
               std::vector<TextRegion>* regions);

// The rectangle of least area around one to three letters depends on a few
// pixels of the map and is often skewed. Where the long lines nearest to such a
// region run alike, its rectangle is laid as they lie, unless that would make
// it much larger: then it is text at another angle. `has_cells`: regions of one
// character are also laid as the lines of a page lie that has too few of them
// for that.
void AlignShort(bool has_cells, std::vector<TextRegion>* regions);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_TEXT_REGIONS_H_
