// Searchable PDF: the image of each page, and over it its text, invisible,
// word by word.
#ifndef MUNJA_DOCUMENT_WRITERS_PDF_H_
#define MUNJA_DOCUMENT_WRITERS_PDF_H_

#include <memory>

#include "document/writers/writer.h"

namespace munja::document {

enum class PdfContents {
  kAll,
  // No images, and the codes of the text mean the same in all files: programs
  // lay it over an image of theirs and join pages of several files.
  kTextAlone,
  // As kAll, by the rules of PDF/A-2b: with its colors and its kind in the
  // file.
  kArchive
};
std::unique_ptr<PageWriter> MakePdf(PdfContents contents);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_PDF_H_
