// Metadata of an image file.
#ifndef MUNJA_IMAGE_FILE_INFO_H_
#define MUNJA_IMAGE_FILE_INFO_H_

#include <cstdint>
#include <span>

namespace munja::image {

struct FileInfo {
  double dpi = 0;  // Across, as stored; 0: it does not say.
  // Height of a pixel in widths, as stored; faxes have pixels twice as high as
  // wide.
  double aspect = 1;
  // A JPEG that other programs show as Decode() does, once it is turned: 8 bit
  // samples, baseline or progressive; gray, RGB or CMYK.
  bool is_jpeg = false;
  int width = 0, height = 0;  // Size of the JPEG before rotation.
  int components = 0;         // 1, 3 or 4.
  bool is_inverted = false;   // CMYK as Adobe's programs write it.
  int orientation = 1;        // EXIF.
};

// Accepts any file and leaves out what it does not understand. Resolutions are
// those of JPEG (JFIF) and PNG.
FileInfo ReadFileInfo(std::span<const uint8_t> bytes);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_FILE_INFO_H_
