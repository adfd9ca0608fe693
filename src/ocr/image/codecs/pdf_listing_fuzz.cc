// Whatever poppler's programs may say: an answer within its limits, never a
// crash. The first byte says which of them speaks.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/codecs/pdf_listing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace pdf = munja::image::codecs::pdf;
  if (size == 0) return 0;
  const std::string_view said(reinterpret_cast<const char*>(data + 1),
                              size - 1);
  if (data[0] == 'i') {
    const auto page = pdf::ReadPdfInfo(said);
    if (!page.ok()) return 0;
    const bool has_size = page->width > 0 && page->height > 0 &&
                          std::isfinite(page->width) &&
                          std::isfinite(page->height);
    const bool has_none = page->width == 0 && page->height == 0;
    if (page->pages < 1 || has_size == has_none) std::abort();
    return 0;
  }
  if (data[0] == 'w') {
    for (const auto& word : pdf::ReadPdfWords(said))
      if (!std::isfinite(word.left) || !std::isfinite(word.top) ||
          !std::isfinite(word.right) || !std::isfinite(word.bottom))
        std::abort();
    return 0;
  }
  const pdf::PdfPage page = {.pages = 1, .width = 595, .height = 842};
  const pdf::PdfScan scan = pdf::ReadPdfPictures(said, page);
  if (!(scan.dpi >= 0 && scan.dpi <= 1201)) std::abort();
  return 0;
}
