// PDF files for tests.
#ifndef MUNJA_IMAGE_CODECS_PDF_TESTING_H_
#define MUNJA_IMAGE_CODECS_PDF_TESTING_H_

#include <string>
#include <vector>

namespace munja::image::codecs {

inline std::string TenDigits(size_t value) {
  const std::string digits = std::to_string(value);
  return std::string(10 - digits.size(), '0') + digits;
}

// A file of objects, numbered from 1 on; the first is the catalog.
inline std::string PdfOf(const std::vector<std::string>& objects,
                         const std::string& trailer = "") {
  std::string out = "%PDF-1.4\n";
  std::vector<size_t> places;
  for (size_t i = 0; i < objects.size(); ++i) {
    places.push_back(out.size());
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string size = std::to_string(objects.size() + 1);
  const std::string table = std::to_string(out.size());
  out += "xref\n0 " + size + "\n0000000000 65535 f \n";
  for (const size_t place : places) out += TenDigits(place) + " 00000 n \n";
  return out + "trailer\n<< /Size " + size + " /Root 1 0 R " + trailer +
         ">>\nstartxref\n" + table + "\n%%EOF\n";
}

}  // namespace munja::image::codecs

#endif  // MUNJA_IMAGE_CODECS_PDF_TESTING_H_
