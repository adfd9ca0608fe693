// Searchable PDF for archives: PDF/A-2b.
#include "document/writers/pdf.h"

namespace munja::document {

std::unique_ptr<PageWriter> MakePdfaWriter() {
  return MakePdf(PdfContents::kArchive);
}

}  // namespace munja::document
