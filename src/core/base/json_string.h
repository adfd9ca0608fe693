// Strings as JSON has them, for files that are so simple that their writers do
// without a library, which takes the compiler long.
#ifndef MUNJA_BASE_JSON_STRING_H_
#define MUNJA_BASE_JSON_STRING_H_

#include <string>
#include <string_view>

namespace munja {

// The text in quotes, with escapes. Bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace munja

#endif  // MUNJA_BASE_JSON_STRING_H_
