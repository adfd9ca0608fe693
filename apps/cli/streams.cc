#include "cli/streams.h"

#include <fcntl.h>
#include <sys/mman.h>
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

int ReadInput(const std::string& path, std::vector<unsigned char>* bytes,
              size_t limit) {
  const bool is_standard = IsStandardInput(path);
  const std::string name = is_standard ? "standard input" : path;
  // A second try after a signal, unless that asks for the end.
  const auto again = [](ssize_t result) {
    return result < 0 && errno == EINTR &&
           CheckLimits().code() != MUNJA_CANCELLED;
  };
  const auto fail = [&](const char* doing) {
    if (errno == EINTR && Interrupted() != 0) return kUnavailable;
    PrintError(name, std::string(doing) + std::strerror(errno));
    return kBadInput;
  };
  int fd = STDIN_FILENO;
  if (!is_standard) {
    do {
      fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (again(fd));
    if (fd < 0) return fail("cannot open: ");
  }
  bytes->clear();
  struct stat info = {};
  size_t have = 0, expected = 1 << 16;
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    expected = static_cast<size_t>(info.st_size) + 1;  // To see the end.
  int code = kSuccess;
  while (have <= limit) {
    if (have == bytes->size())
      bytes->resize(std::min(limit + 1, std::max(expected, 2 * have)));
    const ssize_t n = ::read(fd, bytes->data() + have,
                             std::min<size_t>(bytes->size() - have, 1 << 20));
    if (again(n)) continue;
    if (n < 0) code = fail("cannot read: ");
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  bytes->resize(have);
  if (!is_standard) ::close(fd);
  return code;
}

InputBytes::~InputBytes() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
}

int InputBytes::Read(const std::string& path) {
  // Below this a copy costs less than a file that is cut while it is mapped.
  constexpr off_t kLong = off_t{16} << 20;
  struct stat info = {};
  if (!IsStandardInput(path) && ::stat(path.c_str(), &info) == 0 &&
      S_ISREG(info.st_mode) && info.st_size > kLong) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const auto size = static_cast<size_t>(info.st_size);
    void* const mapped =
        fd < 0 ? MAP_FAILED
               : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0) ::close(fd);
    if (mapped != MAP_FAILED) {
      mapped_ = mapped;
      size_ = size;
      return kSuccess;
    }
  }
  return ReadInput(path, &read_);
}

std::span<const unsigned char> InputBytes::bytes() const {
  if (mapped_ == nullptr) return read_;
  return {static_cast<const unsigned char*>(mapped_), size_};
}

void InputBytes::Release() {
  if (mapped_ != nullptr) ::madvise(mapped_, size_, MADV_DONTNEED);
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
