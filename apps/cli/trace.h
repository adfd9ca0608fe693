// --trace: when what ran, of the whole command.
#ifndef MUNJA_CLI_TRACE_H_
#define MUNJA_CLI_TRACE_H_

#include <CLI/CLI.hpp>

namespace munja::cli {

void AddTraceOption(CLI::App& command);

// Before and after the command's action, whose exit code becomes that of a
// trace that cannot be written. The first is kSuccess, or a message and kUsage:
// it would replace a file that is no trace, such as an input.
int StartTrace();
int FinishTrace(int code);

}  // namespace munja::cli

#endif  // MUNJA_CLI_TRACE_H_
