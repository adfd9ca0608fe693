#include "synth/alphabet.h"

#include <string_view>

#include "base/file.h"
#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::train {

Result<Alphabet> Alphabet::Read(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, size_t{1} << 20));
  std::string_view left(reinterpret_cast<const char*>(bytes.data()),
                        bytes.size());
  Alphabet alphabet;
  for (int line = 1; !left.empty(); ++line) {
    const size_t end = left.find('\n');
    const std::string_view symbol = left.substr(0, end);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    const auto wrong = [&](const std::string& what) {
      return Malformed(path + ": line " + std::to_string(line) + " " + what);
    };
    if (symbol.empty()) return wrong("is empty");
    if (!text::IsValidUtf8(symbol)) return wrong("is not UTF-8");
    const std::u32string code_points = text::DecodeUtf8(symbol);
    if (code_points.size() != 1) return wrong("has more than one character");
    if (text::IsWhiteSpace(code_points[0]) || code_points[0] < 0x20)
      return wrong("is white space; the space has a class of its own");
    if (!alphabet.index_.emplace(code_points[0], line - 1).second)
      return wrong("repeats '" + std::string(symbol) + "'");
    alphabet.symbols_.emplace_back(symbol);
    alphabet.characters_.push_back(code_points[0]);
  }
  if (alphabet.symbols_.empty()) return Malformed(path + ": no characters");
  return alphabet;
}

bool Alphabet::Spells(std::u32string_view text) const {
  for (char32_t c : text) {
    if (c != U' ' && !Has(c)) return false;
  }
  return true;
}

}  // namespace munja::train
