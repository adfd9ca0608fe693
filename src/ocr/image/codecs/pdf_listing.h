// Parsers for the output of poppler-utils about a PDF file: lists for people,
// which contain text of the file.
#ifndef MUNJA_IMAGE_CODECS_PDF_LISTING_H_
#define MUNJA_IMAGE_CODECS_PDF_LISTING_H_

#include <string_view>
#include <vector>

#include "base/status.h"
#include "image/decode.h"

namespace munja::image::codecs::pdf {

constexpr double kPointsPerInch = 72;

struct PdfPage {
  int pages = 0;                 // In the file, at least 1.
  double width = 0, height = 0;  // Points; both 0 where the page has no size.
};

// The image that is all there is on a page, or nearly so.
struct PdfScan {
  double dpi = 0;  // At this one a pixel is drawn for each of its. 0: no scan.
  bool has_masks = false;
};

// Parses `pdfinfo -f N -l N`. kMalformed when the file has no pages.
Result<PdfPage> ReadPdfInfo(std::string_view said);

// Parses `pdfimages -list -f N -l N` for a page that has a size.
PdfScan ReadPdfPictures(std::string_view said, const PdfPage& page);

// Parses `pdftotext -bbox`; what is no word there is skipped.
std::vector<WordPlace> ReadPdfWords(std::string_view said);

}  // namespace munja::image::codecs::pdf

#endif  // MUNJA_IMAGE_CODECS_PDF_LISTING_H_
