#include "image/image.h"

#include <string>
#include <utility>

namespace munja::image {

Result<Image> Image::Create(int width, int height) {
  if (width < 1 || height < 1 || width > 65535 || height > 65535) {
    return InvalidArgument("a picture of " + std::to_string(width) + " x " +
                           std::to_string(height) +
                           " pixels; a side is 1 to 65535");
  }
  Image image;
  // At most 65535 * 65535 * 3, which fits 64 bits.
  MUNJA_ASSIGN_OR_RETURN(image.pixels_,
                         Buffer::Allocate(static_cast<size_t>(width) *
                                          static_cast<size_t>(height) * 3));
  image.width_ = width;
  image.height_ = height;
  return image;
}

}  // namespace munja::image
