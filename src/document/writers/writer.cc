#include "document/writers/writer.h"

namespace munja::document {

#define WRITER(name, stem, extension, mime_type) \
  namespace stem##_writer {                      \
    std::string Write(const Document& document); \
  }
#include "document/writers/writers.def"
#undef WRITER

namespace {

constexpr Writer kWriters[] = {
#define WRITER(name, stem, extension, mime_type) \
  {#name, extension, mime_type, stem##_writer::Write},
#include "document/writers/writers.def"
#undef WRITER
};

}  // namespace

std::span<const Writer> AllWriters() { return kWriters; }

const Writer* FindWriter(std::string_view name) {
  for (const Writer& writer : kWriters)
    if (writer.name == name) return &writer;
  return nullptr;
}

}  // namespace munja::document
