// Forms of a text that are compared when results are scored.
#ifndef MUNJA_TEXT_NORMALIZE_H_
#define MUNJA_TEXT_NORMALIZE_H_

#include <string>
#include <string_view>
#include <vector>

namespace munja::text {

// White space is what Unicode gives the bidirectional class WS, B or S or the
// category Zs (as Python's str.split() has it).
bool IsWhiteSpace(char32_t c);
bool IsLetterOrDigit(char32_t c);  // Categories L and N.
bool IsSymbol(char32_t c);         // Category S.
bool IsRightToLeft(char32_t c);    // Bidirectional classes R and AL.

// All of the following read malformed UTF-8 as U+FFFD.

// Normalization form KC: one form of what looks and means the same.
std::u32string Nfkc(std::string_view text);

// Full case folding of each code point; not normalized again.
std::u32string FoldCase(std::u32string_view text);

// Nfkc, white space at both ends dropped, inside it one space each.
std::u32string Squeeze(std::string_view text);

// The letters and digits of the folded Nfkc.
std::u32string LettersAndDigits(std::string_view text);

// The words of the folded Nfkc: what white space separates, without anything
// but letters, digits and symbols at both ends.
std::vector<std::u32string> Words(std::string_view text);

}  // namespace munja::text

#endif  // MUNJA_TEXT_NORMALIZE_H_
