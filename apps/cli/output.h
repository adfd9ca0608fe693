// Standard output that is checked: a full disk must not pass for success.
#ifndef MUNJA_CLI_OUTPUT_H_
#define MUNJA_CLI_OUTPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace munja::cli {

// Writes to standard output; the first failure is remembered.
void Print(std::string_view text);
__attribute__((format(printf, 1, 2))) void Printf(const char* format, ...);

// From now on Print() and Printf() write to standard error, because something
// else goes to standard output.
void PrintToStandardError();

// Flushes. kSuccess, or a message and kCannotWrite when anything printed so
// far did not arrive.
int FinishOutput();

// `code`, unless it is success and the output did not arrive.
int FinishWith(int code);

// No progress, no notes.
void SetQuiet(bool is_quiet);
bool IsQuiet();

// A line on standard error that says how far the program is, if that is a
// terminal: overwritten by the next, cleared before anything is printed.
// "[12/340] name" for one of several inputs; an empty `name` clears it.
void ShowProgress(size_t done, size_t total, const std::string& name);
// "lines 3/20" after it: what the library says.
void ShowStage(const char* what, uint64_t done, uint64_t total);
void ClearProgress();

}  // namespace munja::cli

#endif  // MUNJA_CLI_OUTPUT_H_
