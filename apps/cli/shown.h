// Text of others on a terminal: names of files, words of models.
#ifndef MUNJA_CLI_SHOWN_H_
#define MUNJA_CLI_SHOWN_H_

#include <string>
#include <string_view>

namespace munja::cli {

// The text with what would change the terminal or hide a part of the line as
// its code: control characters and bytes that are no UTF-8 as \x1b, line ends
// as \n, characters that turn the direction of the text as \u202e.
std::string Shown(std::string_view text);

}  // namespace munja::cli

#endif  // MUNJA_CLI_SHOWN_H_
