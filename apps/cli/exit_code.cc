#include "cli/exit_code.h"

#include <cctype>
#include <cstdio>
#include <string_view>

#include "cli/limits.h"
#include "cli/output.h"
#include "cli/shown.h"

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
    case MUNJA_NEEDS_VALUES:
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
  ClearProgress();
  if (context.empty() || message.starts_with(context)) {
    std::fprintf(stderr, "munja: %s\n", Shown(message).c_str());
  } else {
    std::fprintf(stderr, "munja: %s: %s\n", Shown(context).c_str(),
                 Shown(message).c_str());
  }
}

std::string InOwnWords(std::string text) {
  struct Word {
    std::string_view field, option;
  };
  static constexpr Word kWords[] = {{"allow_custom_ops", "--allow-custom-ops"},
                                    {"gpu_safe", "--gpu-safe"},
                                    {"base_url", "--from"},
                                    {"integer_io", "--integer-io"},
                                    {"report_shape", "--report-shape"}};
  const auto is_part = [&](size_t at) {
    const char c = at < text.size() ? text[at] : ' ';
    return c == '_' || c == '-' || c == '.' || c == '/' ||
           std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (const Word& word : kWords) {
    const size_t at = text.find(word.field);
    if (at == text.npos || (at > 0 && is_part(at - 1)) ||
        is_part(at + word.field.size()))
      continue;
    text.replace(at, word.field.size(), word.option);
  }
  return text;
}

int Fail(const munja::Status& status, Subject subject,
         const std::string& context) {
  // The code that ends the program prints the last message: see main.cc.
  if (status.code() == MUNJA_CANCELLED && Interrupted() != 0)
    return kUnavailable;
  PrintError(context, InOwnWords(status.message()));
  return ExitCodeOf(status.code(), subject);
}

int FailAbout(const munja::Status& status, Subject subject,
              const std::vector<NamedFile>& files) {
  if (status.code() == MUNJA_CANCELLED && Interrupted() != 0)
    return kUnavailable;
  const std::string message = InOwnWords(status.message());
  for (const NamedFile& file : files) {
    if (file.path.empty() || !message.starts_with(file.path)) continue;
    // A malformed output was caused by the inputs.
    if (file.subject == Subject::kOutput && status.code() == MUNJA_MALFORMED)
      continue;
    const char next = message[file.path.size()];  // '\0' at the end.
    if (next == ':' || next == '/') subject = file.subject;
  }
  PrintError("", message);
  return ExitCodeOf(status.code(), subject);
}

int UsageError(const std::string& message) {
  PrintError("", message);
  return kUsage;
}

}  // namespace munja::cli
