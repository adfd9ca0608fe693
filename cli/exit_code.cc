#include "cli/exit_code.h"

#include <cstdio>

namespace munja::cli {

int ExitCodeOf(munja_status status, Subject subject) {
  switch (status) {
    case MUNJA_OK:
      return kSuccess;
    case MUNJA_INVALID_ARGUMENT:
      return subject == Subject::kModel ? kBadModel : kUsage;
    case MUNJA_MALFORMED:
    case MUNJA_NOT_FOUND:
    case MUNJA_IO:
      if (subject == Subject::kOutput) return kCannotWrite;
      return subject == Subject::kModel ? kBadModel : kBadInput;
    case MUNJA_UNSUPPORTED:
      return kUnsupported;
    case MUNJA_OUT_OF_MEMORY:
    case MUNJA_TIMED_OUT:
      return kOutOfMemory;
    case MUNJA_UNAVAILABLE:
    case MUNJA_CANCELLED:
      return kUnavailable;
    case MUNJA_INTERNAL:
      return kBug;
  }
  return kBug;
}

void PrintError(const std::string& context, const std::string& message) {
  if (context.empty() || message.starts_with(context)) {
    std::fprintf(stderr, "munja: %s\n", message.c_str());
  } else {
    std::fprintf(stderr, "munja: %s: %s\n", context.c_str(), message.c_str());
  }
}

int Fail(munja_status status, Subject subject, const std::string& context) {
  PrintError(context, munja_last_error());
  return ExitCodeOf(status, subject);
}

int UsageError(const std::string& message) {
  PrintError("", message);
  return kUsage;
}

}  // namespace munja::cli
