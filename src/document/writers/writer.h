// Writer: one output format of documents.
#ifndef MUNJA_DOCUMENT_WRITERS_WRITER_H_
#define MUNJA_DOCUMENT_WRITERS_WRITER_H_

#include <span>
#include <string>
#include <string_view>

#include "document/document.h"

namespace munja::document {

struct Writer {
  std::string_view name;       // As users name the format: "json".
  std::string_view extension;  // Of file names, without the dot.
  std::string_view mime_type;
  // The bytes of the file. UTF-8 formats replace malformed UTF-8 by U+FFFD.
  std::string (*write)(const Document& document);
};

// One for each row of writers.def, in its order.
std::span<const Writer> AllWriters();

// The writer of that name, or null.
const Writer* FindWriter(std::string_view name);

// The functions behind the rows.
#define WRITER(symbol, stem, extension, mime) \
  std::string Write##symbol(const Document& document);
#include "document/writers/writers.def"
#undef WRITER

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_WRITER_H_
