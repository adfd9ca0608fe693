// Forms in which texts are compared.
#ifndef MUNJA_TEXT_NORMALIZE_H_
#define MUNJA_TEXT_NORMALIZE_H_

#include <string>
#include <string_view>
#include <vector>

namespace munja::text {

// Unicode normalization form KC; malformed UTF-8 becomes U+FFFD first.
std::u32string Nfkc(std::string_view utf8);

// Full case folding, code point by code point.
std::u32string CaseFold(std::u32string_view text);

// White space as Python's str.split() sees it: category Zs and the
// bidirectional classes WS, B and S.
bool IsSpace(char32_t c);

// NFKC, runs of white space as one space, none at the ends.
std::u32string Squeeze(std::string_view utf8);

// NFKC, case folded; letters and numbers (categories L and N) only.
std::u32string LettersAndNumbers(std::string_view utf8);

// NFKC, case folded, split at white space; each word without what is neither
// letter, number nor symbol (L, N, S) at its ends; empty ones dropped.
std::vector<std::u32string> Words(std::string_view utf8);

}  // namespace munja::text

#endif  // MUNJA_TEXT_NORMALIZE_H_
