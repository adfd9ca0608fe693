// Messages about a command line that cannot be parsed: the word in question,
// the likely correction, and where to read on.
#ifndef MUNJA_CLI_USAGE_H_
#define MUNJA_CLI_USAGE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace munja::cli {

// "; did you mean 'read'?" when one of `known` is a few typing errors from
// `word`, else "".
std::string Suggestion(const std::string& word,
                       const std::vector<std::string>& known);

// Index of one of `words` that OneOf() accepted.
int IndexOf(const std::vector<std::string>& words, const std::string& word);

// Accepts one of `words`; the message lists them and names the nearest.
CLI::Validator OneOf(const std::vector<std::string>& words);

// Accepts a number from `least` to `most`; whole, or any that is one.
CLI::Validator Between(int least, int most);
CLI::Validator Between(double least, double most);

// Prints what is wrong with the command line that `app` refused; kUsage.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace munja::cli

#endif  // MUNJA_CLI_USAGE_H_
