// Many small pictures on a large one, each with its label below.
#ifndef MUNJA_SYNTH_CONTACT_SHEET_H_
#define MUNJA_SYNTH_CONTACT_SHEET_H_

#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace munja::train {

struct SheetItem {
  image::Image picture;
  image::Image caption;  // May be empty.
};

// Rows of a sheet `width` pixels wide, from left to right; wider pictures are
// cut off. At most 20000 pixels high: what does not fit is left out.
Result<image::Image> MakeContactSheet(const std::vector<SheetItem>& items,
                                      int width);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_CONTACT_SHEET_H_
