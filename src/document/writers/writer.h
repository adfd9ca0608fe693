// Writers: documents as bytes, one for each output format.
#ifndef MUNJA_DOCUMENT_WRITERS_WRITER_H_
#define MUNJA_DOCUMENT_WRITERS_WRITER_H_

#include <span>
#include <string>
#include <string_view>

#include "document/document.h"

namespace munja::document {

struct Writer {
  std::string_view name;       // "text"
  std::string_view extension;  // "txt"
  std::string_view mime_type;
  // Ends with a line feed unless empty.
  std::string (*write)(const Document& document);
};

// All rows of writers.def.
std::span<const Writer> AllWriters();
// Null when there is no such format.
const Writer* FindWriter(std::string_view name);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_WRITER_H_
