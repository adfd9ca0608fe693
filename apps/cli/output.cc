#include "cli/output.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cli/exit_code.h"
#include "cli/shown.h"

namespace munja::cli {
namespace {

int first_error = 0;
bool to_standard_error = false;

std::FILE* Out() { return to_standard_error ? stderr : stdout; }

void Note() {
  if (first_error == 0) first_error = errno != 0 ? errno : EIO;
}

bool quiet = false;
std::atomic<bool> is_drawn{false};  // The log comes from any thread.
std::string input;                  // "[12/340] name", or empty.

bool ShowsProgress() {
  static const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  return on_terminal && !quiet;
}

void Draw(const std::string& line) {
  // Earlier output must appear above the line.
  std::fflush(stdout);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  is_drawn = true;
}

}  // namespace

void Print(std::string_view text) {
  ClearProgress();
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), Out()) != text.size()) Note();
}

void Printf(const char* format, ...) {
  ClearProgress();
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
  static bool is_told = false;
  if (!std::exchange(is_told, true))
    PrintError("standard output",
               std::string("cannot write: ") + std::strerror(first_error));
  return kCannotWrite;
}

int FinishWith(int code) {
  const int output = FinishOutput();
  return code == kSuccess ? output : code;
}

void SetQuiet(bool is_quiet) { quiet = is_quiet; }

bool IsQuiet() { return quiet; }

void ShowProgress(size_t done, size_t total, const std::string& name) {
  if (!ShowsProgress()) return;
  input.clear();
  if (name.empty()) {
    ClearProgress();
    return;
  }
  if (total < 2) return;
  char text[160];
  std::snprintf(text, sizeof text, "[%zu/%zu] %.60s", done, total,
                Shown(name).c_str());
  input = text;
  Draw(input);
}

void ShowStage(const char* what, uint64_t done, uint64_t total) {
  if (!ShowsProgress()) return;
  using Clock = std::chrono::steady_clock;
  static Clock::time_point last;
  // A short call is over before anybody reads a line.
  constexpr auto kPause = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  if (now - last < kPause) return;
  last = now;
  char text[160];
  const auto of = static_cast<unsigned long long>(total);
  const auto at = static_cast<unsigned long long>(done);
  constexpr uint64_t kMega = 1'000'000;
  if (total >= kMega)  // Bytes of a file.
    std::snprintf(text, sizeof text, "%.60s %.1f of %.1f MB", what,
                  static_cast<double>(done) / kMega,
                  static_cast<double>(total) / kMega);
  else if (total > 0)
    std::snprintf(text, sizeof text, "%.60s %llu/%llu", what, at, of);
  else
    std::snprintf(text, sizeof text, "%.60s %llu", what, at);
  Draw(input.empty() ? std::string(text) : input + ": " + text);
}

void ClearProgress() {
  if (!is_drawn.exchange(false)) return;
  std::fputs("\r\033[K", stderr);
}

}  // namespace munja::cli
