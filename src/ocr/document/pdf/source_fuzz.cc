// Whatever a PDF file may say: its pages or an error, never a crash.
#include "document/pdf/source.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = munja::document::pdf::SourceFile::Open(
      {reinterpret_cast<const char*>(data), size});
  if (!file.ok()) return 0;
  if (file->pages() == 0 || file->table() >= size) std::abort();
  for (size_t i = 0; i < file->pages(); ++i) {
    const auto page = file->Page(i);
    // Open() has checked them.
    if (!page.ok() || !(page->view.width() > 0) || !(page->view.height() > 0) ||
        !munja::document::pdf::Dictionary::Parse(page->dictionary.Text()))
      std::abort();
  }
  return 0;
}
