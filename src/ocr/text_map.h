// TextMap: the detector's probability that a pixel belongs to text.
#ifndef MUNJA_OCR_TEXT_MAP_H_
#define MUNJA_OCR_TEXT_MAP_H_

#include <span>

namespace munja::ocr {

// Owns nothing. values[y * width + x] in [0, 1].
struct TextMap {
  std::span<const float> values;
  int width = 0, height = 0;
};

}  // namespace munja::ocr

#endif  // MUNJA_OCR_TEXT_MAP_H_
