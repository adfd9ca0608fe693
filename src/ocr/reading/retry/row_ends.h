// Characters that stand alone at the ends of lines: the "4" of "4  ounces".
#ifndef MUNJA_READING_RETRY_ROW_ENDS_H_
#define MUNJA_READING_RETRY_ROW_ENDS_H_

#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// The detector misses single digits and signs that stand apart from their line.
// Ink as large as a letter that lies in a line's row, not far from its ends and
// in no other box, is read together with the line. It counts if the rest of the
// text stays as it was and the new characters are read with confidence. All
// lines must have been read.
Status ReadRowEnds(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_RETRY_ROW_ENDS_H_
