// Unreadable marks: classes for writing in a script that a network does not
// read. A run of such letters is one mark, so that the letters beside it are
// read as they are and the reader is told what is missing.
//
// A dictionary lists a mark as the code point U+F0000 + Script, of a private
// use area; in texts it stands as U+FFFD.
#ifndef MUNJA_TEXT_UNREADABLE_H_
#define MUNJA_TEXT_UNREADABLE_H_

#include <functional>
#include <string>
#include <string_view>

#include "text/ctc.h"

namespace munja::text {

inline constexpr std::string_view kUnreadableText = "\uFFFD";

inline constexpr char32_t MarkOf(Script script) {
  return char32_t{0xF0000} + static_cast<char32_t>(script);
}
// kKnown for what is no mark.
Script ScriptOfMark(char32_t c);
// The script of a letter of other alphabets, kOther for those without a name
// of their own; kKnown for Latin letters, digits, signs and spaces.
Script ScriptOfLetter(char32_t c);

// `text` with each run of characters that `reads` denies, of one script, as the
// mark of that script; characters of no script stay. Greek letters are signs of
// mathematics as well: a run of them is marked as a whole.
std::u32string MarkUnreadable(std::u32string_view text,
                              const std::function<bool(char32_t)>& reads);
// The same in UTF-8 with U+FFFD for marks: how such a text is to be read.
std::string ReplaceUnreadable(std::u32string_view text,
                              const std::function<bool(char32_t)>& reads);

}  // namespace munja::text

#endif  // MUNJA_TEXT_UNREADABLE_H_
