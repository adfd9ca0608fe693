// Images in which text differs from its ground by color, hardly by brightness.
#ifndef MUNJA_READING_FIND_COLOR_CONTRAST_H_
#define MUNJA_READING_FIND_COLOR_CONTRAST_H_

#include <optional>

#include "base/status.h"
#include "image/image.h"

namespace munja::ocr {

// If the brightness of an image varies little and another measure of its pixels
// clearly more (a channel, the difference of two), a gray image of that, on
// which most is light; nothing for all others, which a sample of their pixels
// tells. kOutOfMemory.
Result<std::optional<image::Image>> ContrastByColor(
    const image::ImageView& page);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_COLOR_CONTRAST_H_
