#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "cli/exit_code.h"

namespace munja::cli {
namespace {

int first_error = 0;
bool to_standard_error = false;

std::FILE* Out() { return to_standard_error ? stderr : stdout; }

void Note() {
  if (first_error == 0) first_error = errno != 0 ? errno : EIO;
}

}  // namespace

void Print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), Out()) != text.size()) Note();
}

void Printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  errno = 0;
  if (std::vfprintf(Out(), format, arguments) < 0) Note();
  va_end(arguments);
}

void PrintToStandardError() { to_standard_error = true; }

int FinishOutput() {
  errno = 0;
  if (std::fflush(Out()) != 0) Note();
  if (first_error == 0) return kSuccess;
  PrintError("standard output",
             std::string("cannot write: ") + std::strerror(first_error));
  return kCannotWrite;
}

int FinishWith(int code) {
  const int output = FinishOutput();
  return code == kSuccess ? output : code;
}

void ShowProgress(size_t done, size_t total, const std::string& name) {
  static const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  if (!on_terminal || total < 2) return;
  if (name.empty()) {
    std::fprintf(stderr, "\r\033[K");
  } else {
    std::fprintf(stderr, "\r\033[K[%zu/%zu] %.60s", done, total, name.c_str());
  }
}

}  // namespace munja::cli
