// Markdown (CommonMark): a paragraph for each block, a rule between pages.
#include <algorithm>
#include <string_view>

#include "document/words.h"
#include "document/writers/writer.h"
#include "text/utf8.h"

namespace munja::document {
namespace markdown {
namespace {

bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Escapes characters that Markdown would interpret within a line.
void AppendEscaped(std::string_view text, bool begins_line, std::string& out) {
  const std::u32string line = text::DecodeUtf8(text);
  size_t number = 0;  // Digits that the line begins with.
  while (begins_line && number < line.size() && IsDigit(line[number])) ++number;
  for (size_t i = 0; i < line.size(); ++i) {
    char32_t c = line[i];
    if (c == U'\n' || c == U'\r') c = U' ';
    constexpr std::u32string_view kAnywhere = U"\\`*_[]<>|&~";
    constexpr std::u32string_view kAtTheStart = U"#+-=";
    // "1." and "1)" begin lists.
    const bool is_list = number > 0 && i == number && (c == U'.' || c == U')');
    if (kAnywhere.find(c) != kAnywhere.npos ||
        (begins_line && i == 0 && kAtTheStart.find(c) != kAtTheStart.npos) ||
        is_list)
      out += '\\';
    text::AppendUtf8(c, out);
  }
}

std::string WriteMarkdown(const Document& document) {
  std::string out;
  for (const Block& block : BlocksOf(document)) {
    if (!out.empty()) out += '\n';
    for (size_t i = 0; i < block.lines.size(); ++i) {
      const Line& line = document.lines[block.lines[i]];
      const bool goes_on =
          i > 0 && AreOneRow(document.lines[block.lines[i - 1]], line);
      // Lines stay lines.
      if (i > 0) out += goes_on ? " " : "  \n";
      // White space at its start would make it code.
      std::string_view text = line.text;
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      AppendEscaped(text, !goes_on, out);
    }
    out += '\n';
  }
  return out;
}

}  // namespace
}  // namespace markdown

std::unique_ptr<PageWriter> MakeMarkdownWriter() {
  return EachPage(markdown::WriteMarkdown, "\n---\n\n");
}

}  // namespace munja::document
