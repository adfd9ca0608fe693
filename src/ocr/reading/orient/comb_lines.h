// Comb fields (find/comb_fields.h) as lines of text.
#ifndef MUNJA_READING_ORIENT_COMB_LINES_H_
#define MUNJA_READING_ORIENT_COMB_LINES_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/find/comb_fields.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// Takes the lines that lie in a field out of `lines`.
std::vector<PageLine> TakeFieldLines(std::span<const CombField> fields,
                                     std::vector<PageLine>* lines);

// Reads each field as one line, with its characters side by side, and replaces
// the lines that were found in it where that shows no less text.
Status ReadCombFields(LineReaders& readers, const image::ImageView& page,
                      std::span<const CombField> fields,
                      std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_COMB_LINES_H_
