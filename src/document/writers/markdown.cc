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

// What would be read as more than text, where it stands in a line.
void AppendEscaped(std::string_view text, std::string& out) {
  const std::u32string line = text::DecodeUtf8(text);
  size_t number = 0;  // Digits that the line begins with.
  while (number < line.size() && IsDigit(line[number])) ++number;
  for (size_t i = 0; i < line.size(); ++i) {
    char32_t c = line[i];
    if (c == U'\n' || c == U'\r') c = U' ';
    constexpr std::u32string_view kAnywhere = U"\\`*_[]<>|&~";
    constexpr std::u32string_view kAtTheStart = U"#+-=";
    // "1." and "1)" begin lists.
    const bool is_list = number > 0 && i == number && (c == U'.' || c == U')');
    if (kAnywhere.find(c) != kAnywhere.npos ||
        (i == 0 && kAtTheStart.find(c) != kAtTheStart.npos) || is_list)
      out += '\\';
    text::AppendUtf8(c, out);
  }
}

std::string WriteMarkdown(const Document& document) {
  std::string out;
  for (const Block& block : BlocksOf(document)) {
    if (!out.empty()) out += '\n';
    for (size_t i = 0; i < block.lines.size(); ++i) {
      // White space at its start would make it code.
      std::string_view text = document.lines[block.lines[i]].text;
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      AppendEscaped(text, out);
      // Lines stay lines.
      out += i + 1 < block.lines.size() ? "  \n" : "\n";
    }
  }
  return out;
}

}  // namespace
}  // namespace markdown

std::unique_ptr<PageWriter> MakeMarkdownWriter() {
  return EachPage(markdown::WriteMarkdown, "\n---\n\n");
}

}  // namespace munja::document
