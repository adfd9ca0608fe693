// The region and the boxes of munja_read_options.
#ifndef MUNJA_CAPI_READING_READ_REGION_H_
#define MUNJA_CAPI_READING_READ_REGION_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "document/document.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "munja/ocr.h"

namespace munja::capi {

// The part of the image that is read; all zeros: the whole image.
Result<image::ImageView> RegionOf(image::ImageView image,
                                  const int32_t* region);

// The boxes of MUNJA_TASK_BOXES, in pixels of the region.
Result<std::vector<geometry::Quad>> QuadsOf(const munja_read_options& o);

// Moves all outlines, from pixels of a region to pixels of the image.
void MoveBy(int32_t x, int32_t y, document::Document* document);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_READ_REGION_H_
