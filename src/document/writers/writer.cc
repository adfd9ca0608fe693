#include "document/writers/writer.h"

namespace munja::document {
namespace {

constexpr Writer kWriters[] = {
#define WRITER(symbol, stem, extension, mime) \
  {#stem, extension, mime, Write##symbol},
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
