// Short low-score lines that stand in company: a digit in a column of digits,
// a page number at the end of its row.
#ifndef MUNJA_READING_ORIENT_COMPANIONS_H_
#define MUNJA_READING_ORIENT_COMPANIONS_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// Reads low-score boxes for a character that were not read for being so small,
// where they stand in company, and those in which no letter was read around
// their ink. Those of one to three letters and digits, read
// with confidence, that do have no low score any more. Company are short lines
// in the row or column, for numbers other numbers, and dots that lead to them;
// signs beside the letters do not count.
Status KeepCompanions(LineReaders& readers, const image::ImageView& page,
                      std::vector<PageLine>* lines);

// The same for what has been read.
void KeepReadCompanions(const RecognizerConfig& config,
                        std::span<PageLine> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_COMPANIONS_H_
