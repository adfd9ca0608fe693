// Which columns of a line hold ink.
#ifndef MUNJA_READING_READ_INK_COLUMNS_H_
#define MUNJA_READING_READ_INK_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "image/image.h"

namespace munja::ocr {

// Keeps its memory from line to line; one caller at a time.
class InkColumns {
 public:
  // `line`: an upright RGB or BGR line of one height. Sets for each column
  // whether it is without ink; nothing for a line without ink, which tells
  // nothing.
  void FindEmpty(const image::ImageView& line, std::vector<bool>* is_empty);

 private:
  std::vector<uint8_t> gray_, samples_, low_, high_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_INK_COLUMNS_H_
