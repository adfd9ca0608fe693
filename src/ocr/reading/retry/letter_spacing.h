// Letters that stand wide apart, as typewriters and headings set them. The
// detector finds pieces of words, and the recognizer, which never sees two
// letters at once, misreads their case and loses some.
#ifndef MUNJA_READING_RETRY_LETTER_SPACING_H_
#define MUNJA_READING_RETRY_LETTER_SPACING_H_

#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// A line with its letters moved together.
struct ClosedLine {
  image::Image pixels;
  // Columns that were kept, from left to right: pixels [begin, end) of the
  // line start at `x` here.
  struct Piece {
    int begin = 0, end = 0, x = 0;
  };
  std::vector<Piece> pieces;
};

// `line`: upright RGB. Without pieces where its letters do not stand wide
// apart. kOutOfMemory.
Result<ClosedLine> CloseLetters(const image::ImageView& line);

// Re-reads lines whose letters stand wide apart with the letters moved
// together, and takes what is read with more evidence. With `joined`, boxes are
// pieces of lines: those that follow each other on one line are re-read as one,
// which stands in `joined` instead of them; others stay as they are. Where
// memory runs out the readings stay, with a warning.
Status ReadSpacedLetters(LineReaders& readers, const image::ImageView& page,
                         std::vector<PageLine>* lines,
                         std::vector<PageLine>* joined);

}  // namespace munja::ocr

#endif  // MUNJA_READING_RETRY_LETTER_SPACING_H_
