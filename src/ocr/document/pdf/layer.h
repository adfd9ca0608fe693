// The invisible text of a page of a PDF file.
#ifndef MUNJA_DOCUMENT_PDF_LAYER_H_
#define MUNJA_DOCUMENT_PDF_LAYER_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "document/document.h"
#include "document/pdf/font.h"

namespace munja::document::pdf {

struct Scale {
  double points = 1;       // Per pixel.
  double page_height = 0;  // In points, which are counted upwards.
};

// Appends the operators that set the document's text, word by word: what
// readers search, select and copy. `font` is the page's of that name.
void AppendText(const Document& document, const Scale& scale, PdfFont* font,
                std::string_view font_name, std::string& out);

// With a blank behind each.
void AppendNumbers(std::initializer_list<double> values, std::string& out);

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_LAYER_H_
