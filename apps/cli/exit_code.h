// Exit codes and messages.
#ifndef MUNJA_CLI_EXIT_CODE_H_
#define MUNJA_CLI_EXIT_CODE_H_

#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

enum ExitCode {
#define EXIT_CODE(constant, number, when) constant = (number),
#include "cli/exit_codes.def"
#undef EXIT_CODE
};

// The kind of file that a failed call was about.
enum class Subject { kInput, kModel, kOutput };

int ExitCodeOf(munja_status status, Subject subject);

// Prints "munja: CONTEXT: message" (without the context when it is empty or
// the message begins with it) to standard error.
void PrintError(const std::string& context, const std::string& message);

// Prints the message and gives the exit code.
int Fail(const munja::Status& status, Subject subject,
         const std::string& context);

// The same where a call works on several files: the one that the message begins
// with is what it was about, else `subject`.
struct NamedFile {
  std::string path;
  Subject subject;
};
int FailAbout(const munja::Status& status, Subject subject,
              const std::vector<NamedFile>& files);

// A message of the library with its fields by the names of the command's
// options: "allow_custom_ops" is "--allow-custom-ops" here.
std::string InOwnWords(std::string message);

// For a command line that parses but makes no sense.
int UsageError(const std::string& message);

}  // namespace munja::cli

#endif  // MUNJA_CLI_EXIT_CODE_H_
