// The words of the command line before they are parsed: old names of options,
// and what may be left out.
#ifndef MUNJA_CLI_COMMAND_LINE_H_
#define MUNJA_CLI_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace munja::cli {

// The words behind the program's name in today's names. An option's old name is
// replaced and a note on standard error names the new one; "munja FILE" becomes
// "munja read FILE", and "munja help COMMAND" "munja COMMAND --help".
std::vector<std::string> TodaysWords(const CLI::App& app, int argc,
                                     char** argv);

}  // namespace munja::cli

#endif  // MUNJA_CLI_COMMAND_LINE_H_
