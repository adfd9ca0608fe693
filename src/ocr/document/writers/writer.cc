#include "document/writers/writer.h"

namespace munja::document {
namespace {

constexpr Writer kWriters[] = {
#define WRITER(symbol, stem, extension, mime) \
  {#stem, extension, mime, Make##symbol##Writer},
#include "document/writers/writers.def"
#undef WRITER
};

class EachPageWriter : public PageWriter {
 public:
  EachPageWriter(std::string (*write)(const Document&),
                 std::string_view between)
      : write_(write), between_(between) {}
  Status Add(const WriterPage& page, std::string& out) override {
    if (!is_first_) out += between_;
    is_first_ = false;
    out += write_(page.document);
    return Status();
  }

 private:
  std::string (*write_)(const Document&);
  std::string_view between_;
  bool is_first_ = true;
};

}  // namespace

Status PageWriter::Finish(std::string&) { return Status(); }

std::span<const Writer> AllWriters() { return kWriters; }

const Writer* FindWriter(std::string_view name) {
  for (const Writer& writer : kWriters)
    if (writer.name == name) return &writer;
  return nullptr;
}

Result<std::string> WritePages(const Writer& writer,
                               std::span<const WriterPage> pages) {
  const std::unique_ptr<PageWriter> file = writer.make();
  std::string out;
  for (const WriterPage& page : pages)
    MUNJA_RETURN_IF_ERROR(file->Add(page, out));
  MUNJA_RETURN_IF_ERROR(file->Finish(out));
  return out;
}

std::unique_ptr<PageWriter> EachPage(std::string (*write)(const Document&),
                                     std::string_view between) {
  return std::make_unique<EachPageWriter>(write, between);
}

}  // namespace munja::document
