#include "text/dictionary.h"

#include <utility>

#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::text {
namespace {

constexpr size_t kMaxLines = 1'000'000;
// A symbol is a character, at most a short sequence of them.
constexpr size_t kMaxSymbolBytes = 64;

}  // namespace

void Dictionary::Append(std::string_view symbol) {
  text_ += symbol;
  begins_.push_back(static_cast<uint32_t>(text_.size()));
}

Result<Dictionary> Dictionary::Parse(std::string_view bytes, bool use_space) {
  Dictionary dictionary;
  dictionary.Append("");  // The blank.
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  size_t line = 0;
  while (!bytes.empty()) {
    ++line;
    const size_t end = bytes.find('\n');
    std::string_view symbol = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (symbol.ends_with('\r')) symbol.remove_suffix(1);
    const std::string where = "dictionary line " + std::to_string(line);
    if (line > kMaxLines)
      return Malformed(where + ": more lines than a dictionary may have");
    if (symbol.size() > kMaxSymbolBytes) {
      return Malformed(where + ": " + std::to_string(symbol.size()) +
                       " bytes, a symbol has at most " +
                       std::to_string(kMaxSymbolBytes));
    }
    if (!IsValidUtf8(symbol)) return Malformed(where + ": is not UTF-8");
    if (symbol.find('\0') != std::string_view::npos)
      return Malformed(where + ": holds a NUL");
    dictionary.Append(symbol);
  }
  if (line == 0) return Malformed("the dictionary is empty");
  if (use_space) dictionary.Append(" ");
  return dictionary;
}

std::string_view Dictionary::TextOf(int cls) const {
  const std::string_view symbol = this->symbol(cls);
  std::string_view left = symbol;
  return symbol.size() == 4 &&
                 ScriptOfMark(NextCodePoint(left)) != Script::kKnown
             ? kUnreadableText
             : symbol;
}

int Dictionary::ClassOf(std::string_view symbol) const {
  if (symbol.empty()) return 0;
  int cls = 1;
  while (cls < classes() && this->symbol(cls) != symbol) ++cls;
  return cls < classes() ? cls : 0;
}

Status Dictionary::CheckClasses(int64_t model_classes) const {
  if (model_classes == classes()) return Status();
  return InvalidArgument(
      "the model tells " + std::to_string(model_classes) +
      " classes apart, the dictionary has " + std::to_string(classes()) +
      " (blank and space included); they do not belong together");
}

}  // namespace munja::text
