// Writer: one output format of documents.
#ifndef MUNJA_DOCUMENT_WRITERS_WRITER_H_
#define MUNJA_DOCUMENT_WRITERS_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "document/document.h"

namespace munja::document {

// The image of a page, for formats that show it.
struct Picture {
  // Upright, of the document's width and height; three bytes RGB a pixel, rows
  // `stride` bytes apart. Null: there is none.
  const uint8_t* rgb = nullptr;
  size_t stride = 0;
  // The file, where it is a JPEG that a page can show as it is.
  std::string_view jpeg = {};
  int jpeg_width = 0, jpeg_height = 0;
  int jpeg_components = 3;   // 1, 3 or 4.
  bool is_inverted = false;  // CMYK the other way round (Adobe).
  int orientation = 1;       // EXIF: how the JPEG comes upright.
  double dpi = 0;            // 0: not known.
  // Size of the page that the image was rendered from, in points; 0: none.
  double paper_width = 0, paper_height = 0;
  // The PDF file that the image was rendered from, and the index of its page;
  // empty: none.
  std::string_view pdf = {};
  int pdf_page = 0;
};

struct WriterPage {
  const Document& document;
  Picture picture = {};
};

// Writes one file, page by page.
class PageWriter {
 public:
  virtual ~PageWriter() = default;
  // Appends to `out` what the page adds to the file.
  virtual Status Add(const WriterPage& page, std::string& out) = 0;
  // The same for its end; a file may have no pages.
  virtual Status Finish(std::string& out);
};

struct Writer {
  std::string_view name;       // As users name the format: "json".
  std::string_view extension;  // File name extension without the dot.
  std::string_view mime_type;
  // Makes the writer of a new file. UTF-8 formats replace malformed UTF-8 by
  // U+FFFD.
  std::unique_ptr<PageWriter> (*make)();
};

// One for each row of writers.def, in its order.
std::span<const Writer> AllWriters();

// The writer of that name, or null.
const Writer* FindWriter(std::string_view name);

// A file of these pages.
Result<std::string> WritePages(const Writer& writer,
                               std::span<const WriterPage> pages);

// A writer of formats in which pages just follow each other.
std::unique_ptr<PageWriter> EachPage(std::string (*write)(const Document&),
                                     std::string_view between = {});

// The functions behind the rows.
#define WRITER(symbol, stem, extension, mime) \
  std::unique_ptr<PageWriter> Make##symbol##Writer();
#include "document/writers/writers.def"
#undef WRITER

// One page, without a writer.
std::string WriteText(const Document& document);
std::string WriteJson(const Document& document);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_WRITER_H_
