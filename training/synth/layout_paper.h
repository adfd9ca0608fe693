// Sheets of paper and type for them, shared by the layouts of documents,
// tables, forms and receipts.
#ifndef MUNJA_SYNTH_LAYOUT_PAPER_H_
#define MUNJA_SYNTH_LAYOUT_PAPER_H_

#include "synth/page_builder.h"

namespace munja::train {

struct Paper {
  float width = 0, height = 0;  // Page units, about one pixel.
  Color color, ink;
};

// Paints what the sheet lies on and the sheet, and sets page.map and
// page.capture. `aspect` is width / height; `fill` how much of the picture it
// fills in the tighter direction (above 1: only a part of it is seen).
Paper LayPaper(PageBuilder& page, float aspect, float fill, bool flat_scan);

// A font for a language, with variations.
TextLook PrintLook(PageBuilder& page, int language, float size, Color ink,
                   Scenery scenery);
// The same size or larger, in another weight or font: headings.
TextLook HeadingLook(PageBuilder& page, const TextLook& body,
                     std::u32string_view text, float scale);

// The em of running text by the recipe, for pages of this kind.
float BodySize(PageBuilder& page);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LAYOUT_PAPER_H_
