#include "text/unreadable.h"

#include <algorithm>

#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::text {

Script ScriptOfMark(char32_t c) {
  return c > MarkOf(Script::kKnown) && c < MarkOf(Script::kNotText)
             ? static_cast<Script>(c - MarkOf(Script::kKnown))
             : Script::kKnown;
}

Script ScriptOfLetter(char32_t c) {
  const auto is_between = [c](char32_t first, char32_t last) {
    return c >= first && c <= last;
  };
  switch (BlockOf(c)) {
    case Block::kGreek:
    case Block::kGreekExtended:
      return Script::kGreek;
    case Block::kCyrillic:
      return Script::kCyrillic;
    case Block::kHan:
    case Block::kKana:
    case Block::kBopomofo:
      return Script::kCjk;
    case Block::kHangul:
      return Script::kHangul;
    case Block::kArmenian:
      return Script::kOther;
    default:
      break;
  }
  if (c == U'\u3005') return Script::kCjk;  // It repeats the one before.
  if (is_between(0x0590, 0x05FF)) return Script::kHebrew;
  if (is_between(0x0600, 0x077F)) return Script::kArabic;
  // Syriac to Khmer, Georgian among them.
  return is_between(0x0780, 0x10FF) || is_between(0x1200, 0x17FF)
             ? Script::kOther
             : Script::kKnown;
}

std::u32string MarkUnreadable(std::u32string_view text,
                              const std::function<bool(char32_t)>& reads) {
  const auto is_greek = [](char32_t c) {
    return ScriptOfLetter(c) == Script::kGreek;
  };
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (is_greek(text[i]))
      while (end < text.size() && is_greek(text[end])) ++end;
    const std::u32string_view run = text.substr(i, end - i);
    const Script script = ScriptOfLetter(text[i]);
    if (script == Script::kKnown ||
        std::all_of(run.begin(), run.end(), reads)) {
      out += run;
    } else if (out.empty() || out.back() != MarkOf(script)) {
      out.push_back(MarkOf(script));
    }
    i = end;
  }
  return out;
}

std::string ReplaceUnreadable(std::u32string_view text,
                              const std::function<bool(char32_t)>& reads) {
  std::u32string replaced = MarkUnreadable(text, reads);
  for (char32_t& c : replaced)
    if (ScriptOfMark(c) != Script::kKnown) c = kReplacement;
  return EncodeUtf8(replaced);
}

}  // namespace munja::text
