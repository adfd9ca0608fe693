// The text of a searchable PDF without its images, as Tesseract's
// textonly_pdf writes it for programs that have the images.
#include "document/writers/pdf.h"

namespace munja::document {

std::unique_ptr<PageWriter> MakePdf_textWriter() {
  return MakePdf(PdfContents::kTextAlone);
}

}  // namespace munja::document
