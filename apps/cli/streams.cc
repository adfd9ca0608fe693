#include "cli/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/output.h"

namespace munja::cli {
namespace {

bool IsOneOf(const std::string& path, std::initializer_list<const char*> all) {
  for (const char* one : all)
    if (path == one) return true;
  return false;
}

bool IsStandardOutput(const std::string& path) {
  if (IsOneOf(path, {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}))
    return true;
  struct stat out, named;
  return ::fstat(STDOUT_FILENO, &out) == 0 &&
         ::stat(path.c_str(), &named) == 0 && out.st_dev == named.st_dev &&
         out.st_ino == named.st_ino &&
         (S_ISREG(out.st_mode) || S_ISFIFO(out.st_mode));
}

}  // namespace

bool IsStandardInput(const std::string& path) {
  return IsOneOf(path, {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"});
}

bool ReadStandardInput(size_t limit, std::vector<unsigned char>* bytes) {
  bytes->clear();
  size_t have = 0;
  while (have <= limit) {
    if (have == bytes->size())
      bytes->resize(std::min(limit + 1, std::max<size_t>(65536, 2 * have)));
    const ssize_t n = ::read(STDIN_FILENO, bytes->data() + have,
                             std::min<size_t>(bytes->size() - have, 1 << 20));
    if (n < 0 && errno == EINTR && CheckLimits() == MUNJA_OK) continue;
    if (n < 0) {
      PrintError("standard input",
                 std::string("cannot read: ") + std::strerror(errno));
      return false;
    }
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  bytes->resize(have);
  return true;
}

int CheckIsFile(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (error || type == std::filesystem::file_type::regular ||
      type == std::filesystem::file_type::directory ||
      type == std::filesystem::file_type::not_found)
    return kSuccess;
  PrintError(path, "is a pipe or a device, not a regular file");
  return kBadInput;
}

std::string OutputPath(const std::string& path) {
  if (path.empty() || !IsStandardOutput(path)) return path;
  PrintToStandardError();
  return "/proc/self/fd/1";
}

int CheckIsOther(const std::string& output, const std::string& input) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(output, error) ||
      !std::filesystem::equivalent(output, input, error))
    return kSuccess;
  return UsageError(output + ": this is also an input (" + input +
                    "); write to another file");
}

int CheckIsFolderName(const std::string& path) {
  if (path != "-") return kSuccess;
  return UsageError(
      "a bundle is a folder, which cannot be written to standard output: name "
      "one with -o (./- for one of that name)");
}

}  // namespace munja::cli
