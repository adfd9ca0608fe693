// Plain text: one line of text a line, in reading order.
#include <string>

#include "document/writers/writer.h"

namespace munja::document::text_writer {

std::string Write(const Document& document) {
  std::string out;
  for (const Line& line : document.lines) {
    out += line.text;
    out += '\n';
  }
  return out;
}

}  // namespace munja::document::text_writer
