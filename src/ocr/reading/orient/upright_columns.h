// Columns of upright characters: Korean, Chinese and Japanese prose that runs
// downwards, as newspapers, signs and spines of books have it. The detector
// finds tall boxes, which the recognizer, read on their sides, cannot read.
#ifndef MUNJA_READING_ORIENT_UPRIGHT_COLUMNS_H_
#define MUNJA_READING_ORIENT_UPRIGHT_COLUMNS_H_

#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/read/cropper.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// A column as a line of print: its characters side by side.
struct RowOfColumn {
  image::Image pixels;
  // Where each character stands in the column, from its top, and in the row.
  struct Cell {
    int begin = 0, end = 0;
    int x = 0;  // Its middle.
  };
  std::vector<Cell> cells;
};

// `column`: on its side, as CutLine() gives a tall box. Without cells where
// nothing of it looks like a column of characters. kOutOfMemory.
Result<RowOfColumn> DrawAsRow(const image::ImageView& column);

// Reads tall lines that are not read with confidence as columns, with the boxes
// in line above and below them. Lines that are read better so are moved from
// `lines` to `columns`, as one line for each column.
Status TakeUprightColumns(LineReaders& readers, const image::ImageView& page,
                          std::vector<PageLine>* lines,
                          std::vector<PageLine>* columns);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_UPRIGHT_COLUMNS_H_
