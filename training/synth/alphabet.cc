#include "synth/alphabet.h"

#include <string_view>

#include "base/file.h"
#include "text/normalize.h"
#include "text/unreadable.h"
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

Result<Alphabet> Alphabet::OfRecipe(const Json& recipe,
                                    const std::string& recipe_path) {
  const Json* name = FindSection(recipe, "alphabet");
  if (name == nullptr || !name->is_string())
    return Malformed(recipe_path + ": 'alphabet' wants the name of a file");
  MUNJA_ASSIGN_OR_RETURN(
      Alphabet alphabet,
      Read(BesideRecipe(recipe_path, name->get<std::string>())));
  const Json* foreign = FindSection(recipe, "foreign");
  if (foreign == nullptr) return alphabet;
  const auto wrong = [&] {
    return Malformed(recipe_path +
                     ": 'foreign' wants characters and ranges, as \"а-я\"");
  };
  if (!foreign->is_array()) return wrong();
  for (const Json& item : *foreign) {
    if (!item.is_string()) return wrong();
    const std::u32string range = text::DecodeUtf8(item.get<std::string>());
    const bool is_range = range.size() == 3 && range[1] == U'-';
    if (!is_range && range.size() != 1) return wrong();
    for (char32_t c = range.front(); c <= range.back(); ++c) {
      const text::Script script = text::ScriptOfLetter(c);
      if (script == text::Script::kKnown || !alphabet.Has(text::MarkOf(script)))
        return Malformed(recipe_path +
                         ": 'foreign': the alphabet has no mark "
                         "for '" +
                         text::EncodeUtf8(std::u32string(1, c)) + "'");
      const size_t index =
          alphabet.characters_.size() + alphabet.foreign_.size();
      if (alphabet.index_.emplace(c, static_cast<int>(index)).second)
        alphabet.foreign_.push_back(c);
    }
  }
  return alphabet;
}

std::string Alphabet::LabelOf(std::u32string_view text) const {
  return text::ReplaceUnreadable(text, [&](char32_t c) {
    const int index = Find(c);
    return index >= 0 && static_cast<size_t>(index) < characters_.size();
  });
}

bool Alphabet::Spells(std::u32string_view text) const {
  for (char32_t c : text) {
    if (c != U' ' && !Has(c)) return false;
  }
  return true;
}

}  // namespace munja::train
