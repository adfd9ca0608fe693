#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/control.h"
#include "base/descriptor.h"

namespace munja {
namespace {

Status SystemError(const std::string& path, const char* doing, int error) {
  std::string message = SystemMessage(path, doing, error);
  if (error == ENOENT || error == ENOTDIR) return NotFound(message);
  if (error == ENOMEM) return OutOfMemory(message);
  return IoError(message);
}

int OpenToRead(const std::string& path, int flags) {
  for (;;) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY);
    // Only a signal ends waiting for a pipe without a writer.
    if (fd >= 0 || errno != EINTR || IsStopped()) return fd;
  }
}

Status CheckRegular(const std::string& path, const struct stat& info) {
  if (S_ISREG(info.st_mode)) return Status();
  const char* const kind = S_ISDIR(info.st_mode)    ? "a folder"
                           : S_ISFIFO(info.st_mode) ? "a pipe"
                           : S_ISSOCK(info.st_mode) ? "a socket"
                                                    : "a device";
  return IoError(path + ": is " + kind + ", not a regular file");
}

// Opens a regular file for reading. Looks first: opening is enough to hang at a
// pipe, and to wind back some devices.
Result<Descriptor> OpenRegular(const std::string& path, size_t* size) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return SystemError(path, "cannot open", errno);
  MUNJA_RETURN_IF_ERROR(CheckRegular(path, info));
  Descriptor fd(OpenToRead(path, O_RDONLY | O_NONBLOCK));
  if (fd.get() < 0) return SystemError(path, "cannot open", errno);
  // It may have become another since.
  if (fstat(fd.get(), &info) != 0)
    return SystemError(path, "cannot stat", errno);
  MUNJA_RETURN_IF_ERROR(CheckRegular(path, info));
  *size = static_cast<size_t>(info.st_size);
  return fd;
}

// Reads to the end, which may be sooner or later than `expected` says.
Result<std::vector<uint8_t>> ReadAll(const std::string& path, int fd,
                                     size_t expected, size_t limit) {
  constexpr size_t kLeast = 4096, kBlock = size_t{1} << 16;
  const auto refuse = [&](const std::string& bytes) {
    return OutOfMemory(path + ": " + bytes + " bytes, at most " +
                       std::to_string(limit) + " are read");
  };
  if (expected > limit) return refuse(std::to_string(expected));
  // One byte more than expected, so that the end is seen without growing.
  std::vector<uint8_t> bytes(expected + 1);
  size_t have = 0;
  for (;;) {
    if (have > limit) return refuse("more than " + std::to_string(limit));
    if (have == bytes.size()) {
      const size_t more = std::max(have, have == 1 ? kLeast : kBlock);
      bytes.resize(have + std::min(more, limit + 1 - have));
    }
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const ssize_t n = read(fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path, "cannot read", errno);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  size_t size = 0;
  MUNJA_ASSIGN_OR_RETURN(const Descriptor fd, OpenRegular(path, &size));
  std::shared_ptr<MappedFile> file(new MappedFile());
  if (size > 0) {
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) return SystemError(path, "cannot map", errno);
    file->data_ = static_cast<const uint8_t*>(data);
    file->size_ = size;
  }
  return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

Result<std::vector<uint8_t>> ReadFile(const std::string& path, size_t limit) {
  size_t size = 0;
  MUNJA_ASSIGN_OR_RETURN(const Descriptor fd, OpenRegular(path, &size));
  return ReadAll(path, fd.get(), size, limit);
}

Result<std::vector<uint8_t>> ReadDescriptor(int fd, int64_t offset,
                                            int64_t size) {
  if (offset < 0 || size < 0)
    return InvalidArgument("offset and size must not be negative");
  const std::string name = "descriptor " + std::to_string(fd);
  if (size == 0) {
    struct stat info;
    if (fstat(fd, &info) != 0) return SystemError(name, "cannot read", errno);
    MUNJA_RETURN_IF_ERROR(CheckRegular(name, info));
    size = std::max<int64_t>(int64_t{info.st_size} - offset, 0);
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(fd, bytes.data() + done, bytes.size() - done,
                              offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(name, "cannot read", errno);
    if (got == 0)
      return IoError(name + " ends " + std::to_string(bytes.size() - done) +
                     " bytes too early");
    done += static_cast<size_t>(got);
  }
  return bytes;
}

Result<std::vector<uint8_t>> ReadStream(const std::string& path, size_t limit) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return SystemError(path, "cannot open", errno);
  if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode))
    return ReadFile(path, limit);
  const Descriptor fd(OpenToRead(path, O_RDONLY));
  if (fd.get() < 0) return SystemError(path, "cannot open", errno);
  return ReadAll(path, fd.get(), 0, limit);
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat one, other;
  return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
         (S_ISREG(one.st_mode) || S_ISDIR(one.st_mode));
}

bool IsInFolder(const std::string& path, const std::string& folder) {
  if (!IsDirectory(folder)) return false;
  std::error_code error;
  std::filesystem::path at = std::filesystem::canonical(path, error);
  if (error) return false;
  for (; at.has_relative_path(); at = at.parent_path())
    if (IsSameFile(at.string(), folder)) return true;
  return IsSameFile(at.string(), folder);
}

}  // namespace munja
