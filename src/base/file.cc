#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace munja {
namespace {

Status SystemError(const std::string& path, const char* doing, int error) {
  std::string message = path + ": " + doing + ": " + std::strerror(error);
  if (error == ENOENT || error == ENOTDIR) return NotFound(std::move(message));
  if (error == ENOMEM) return OutOfMemory(std::move(message));
  return IoError(std::move(message));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Close() {
    const int result = fd_ >= 0 ? close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// Opens for reading and refuses what is not a regular file.
Result<size_t> OpenRegular(const std::string& path, const Descriptor& fd) {
  if (fd.get() < 0) return SystemError(path, "cannot open", errno);
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return SystemError(path, "cannot stat", errno);
  if (S_ISDIR(info.st_mode)) return IoError(path + ": is a folder, not a file");
  if (!S_ISREG(info.st_mode)) return IoError(path + ": is not a regular file");
  return static_cast<size_t>(info.st_size);
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  MUNJA_ASSIGN_OR_RETURN(const size_t size, OpenRegular(path, fd));
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
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  MUNJA_ASSIGN_OR_RETURN(const size_t size, OpenRegular(path, fd));
  if (size > limit) {
    return OutOfMemory(path + ": " + std::to_string(size) + " bytes, at most " +
                       std::to_string(limit) + " are read");
  }
  std::vector<uint8_t> bytes(size);
  size_t have = 0;
  while (have < size) {
    const ssize_t n = read(fd.get(), bytes.data() + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path, "cannot read", errno);
    if (n == 0) break;  // The file shrank meanwhile.
    have += static_cast<size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  std::string temporary = path + ".XXXXXX";
  Descriptor fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return SystemError(path, "cannot create", errno);
  const auto fail = [&](const char* doing) {
    const int error = errno;
    unlink(temporary.c_str());
    return SystemError(path, doing, error);
  };
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot write");
    done += static_cast<size_t>(n);
  }
  // mkstemp makes files private to the user; what we write is as readable as
  // what any program writes.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(fd.get(), 0666 & ~mask) != 0)
    return fail("cannot set permissions");
  if (fsync(fd.get()) != 0 && errno != EINVAL) return fail("cannot sync");
  if (fd.Close() != 0) return fail("cannot close");
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return fail("cannot rename into place");
  return Status();
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(
      path, std::span<const uint8_t>(
                reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace munja
