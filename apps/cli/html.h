// Pieces of pages of HTML that need nothing else: no network, no other file.
#ifndef MUNJA_CLI_HTML_H_
#define MUNJA_CLI_HTML_H_

#include <string>
#include <string_view>

namespace munja::cli {

// For text and for values of attributes in double quotes.
std::string Escaped(std::string_view text);

// A number as printf() writes it.
std::string Number(double value, const char* format = "%.4g");

// "data:TYPE;base64,...".
std::string DataUri(std::string_view type, std::string_view bytes);

// `read` with what differs from `label` marked: <del> what should be there,
// <ins> what should not; characters are those of UTF-8.
std::string MarkedDifference(std::string_view label, std::string_view read);

}  // namespace munja::cli

#endif  // MUNJA_CLI_HTML_H_
