// Plain text: a line for each row of lines, an empty one between blocks, a form
// feed between pages.
#include "document/words.h"
#include "document/writers/writer.h"
#include "text/utf8.h"

namespace munja::document {

std::string WriteText(const Document& document) {
  std::string out;
  const Line* previous = nullptr;
  for (const Line& line : document.lines) {
    if (!line.unknown_writing.empty() && line.text.empty()) continue;
    if (previous != nullptr) {
      out += AreOneRow(*previous, line) ? ' ' : '\n';
      if (previous->block != line.block) out += '\n';
    }
    // A line break inside would look like two lines.
    for (char32_t c : text::DecodeUtf8(line.text))
      text::AppendUtf8(c == U'\n' || c == U'\r' ? U' ' : c, out);
    previous = &line;
  }
  if (previous != nullptr) out += '\n';
  return out;
}

std::unique_ptr<PageWriter> MakeTextWriter() {
  return EachPage(WriteText, "\f");
}

}  // namespace munja::document
