// PDF files for tests.
#ifndef MUNJA_DOCUMENT_PDF_TESTING_H_
#define MUNJA_DOCUMENT_PDF_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "image/codecs/pdf_testing.h"

namespace munja::document::pdf {

using image::codecs::PdfOf;
using image::codecs::TenDigits;

// The same objects in a stream of objects, and the table in another: as new
// programs write files.
inline std::string PackedFileOf(const std::vector<std::string>& objects,
                                const std::string& trailer = "") {
  const auto stream = [](size_t number, const std::string& entries,
                         std::string_view bytes) {
    return std::to_string(number) + " 0 obj\n<< " + entries + " /Length " +
           std::to_string(bytes.size()) + " >>\nstream\n" + std::string(bytes) +
           "\nendstream\nendobj\n";
  };
  std::string head, bodies;
  for (size_t i = 0; i < objects.size(); ++i) {
    head += std::to_string(i + 1) + ' ' + std::to_string(bodies.size()) + ' ';
    bodies += objects[i] + '\n';
  }
  const size_t packed = objects.size() + 1, table = packed + 1;
  std::string out = "%PDF-1.5\n";
  std::string rows(4, '\0');
  const auto row = [&](int kind, size_t at, size_t index) {
    rows += static_cast<char>(kind);
    rows += static_cast<char>(at >> 8);
    rows += static_cast<char>(at & 0xFF);
    rows += static_cast<char>(index);
  };
  for (size_t i = 0; i < objects.size(); ++i) row(2, packed, i);
  row(1, out.size(), 0);
  out += stream(packed,
                "/Type /ObjStm /N " + std::to_string(objects.size()) +
                    " /First " + std::to_string(head.size()),
                head + bodies);
  row(1, out.size(), 0);
  const std::string start = std::to_string(out.size());
  out += stream(table,
                "/Type /XRef /W [1 2 1] /Size " + std::to_string(table + 1) +
                    " /Root 1 0 R " + trailer,
                rows);
  return out + "startxref\n" + start + "\n%%EOF\n";
}

// Two pages of 200 x 100 points, which inherit their size; the first has a
// link and a bookmark to it.
inline std::vector<std::string> TwoPagesWithLinks() {
  return {
      "<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels << /Nums "
      "[0 << /P (A\\)-) >>] >> >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 "
      "100] /Resources 5 0 R >>",
      "<< /Type /Page /Parent 2 0 R /Annots [<< /Type /Annot /Subtype "
      "/Link /Rect [0 0 9 9] /A << /S /URI /URI (http://a.b) >> >>] >>",
      "<< /Type /Page /Parent 2 0 R /Rotate 90 /UserUnit 2 >>",
      "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont "
      "/Helvetica >> >> >>",
      "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>",
      "<< /Title (One) /Parent 6 0 R /Dest [3 0 R /Fit] >>"};
}

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_TESTING_H_
