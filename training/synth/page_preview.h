// Contact sheets: pages with their outlines, to be looked at.
#ifndef MUNJA_SYNTH_PAGE_PREVIEW_H_
#define MUNJA_SYNTH_PAGE_PREVIEW_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "image/image.h"
#include "synth/page_source.h"

namespace munja::train {

// Draws the outlines into the picture: green, ignored ones orange, the first
// side (top of the text) thicker.
void DrawOutlines(PageSample& sample);

// Pages [first, first + columns * rows) of a source, each scaled to fit `cell`
// x `cell` pixels, with outlines unless `plain`.
Result<image::Image> PageContactSheet(const PageSource& source, uint64_t first,
                                      int columns, int rows, int cell,
                                      bool plain);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_PREVIEW_H_
