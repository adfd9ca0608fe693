// PNG files and bytes from pixels.
#ifndef MUNJA_IMAGE_ENCODE_H_
#define MUNJA_IMAGE_ENCODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace munja::image {

// 8-bit RGB PNG. kInvalidArgument for an empty view, kOutOfMemory.
Result<std::vector<uint8_t>> EncodePng(const ImageView& view);
// 8-bit gray PNG of `width` x `height` dense bytes.
Result<std::vector<uint8_t>> EncodeGrayPng(const uint8_t* gray, int width,
                                           int height);

// As above, to a file that is there whole or not at all; also kIo.
Status WritePng(const std::string& path, const ImageView& view);
Status WriteGrayPng(const std::string& path, const uint8_t* gray, int width,
                    int height);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_ENCODE_H_
