// A picture of text for trying networks out without any file.
#ifndef MUNJA_TOOLS_SAMPLES_TEXT_PICTURE_H_
#define MUNJA_TOOLS_SAMPLES_TEXT_PICTURE_H_

#include "base/status.h"
#include "image/image.h"

namespace munja::tools {

// Dark letters and digits in lines on light, slightly uneven paper, as many as
// fit. The same pixels on every call. kInvalidArgument, kOutOfMemory.
Result<image::Image> TextPicture(int width, int height);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_SAMPLES_TEXT_PICTURE_H_
