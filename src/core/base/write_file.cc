// WriteFile: what a name stands for decides how it is written.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/replace.h"

namespace munja {
namespace {

using Bytes = std::span<const uint8_t>;

Status WriteError(const std::string& path, const char* doing, int error) {
  return IoError(SystemMessage(path, doing, error));
}

// A pipe whose reader has gone and a file beyond the process's limit are
// errors of this call, not the end of the program: their signals are held back
// on this thread, and those that came are taken.
class HoldSignals {
 public:
  HoldSignals() {
    sigemptyset(&held_);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) == 0) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HoldSignals() {
    const int error = errno;
    const timespec now = {0, 0};
    while (sigtimedwait(&held_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t held_, before_;
};

// False with errno.
bool WriteAll(int fd, Bytes bytes) {
  const HoldSignals hold;
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another process made this pipe or terminal non-blocking.
      pollfd wait = {fd, POLLOUT, 0};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// False with errno. Pipes, devices and some file systems have no disk to wait
// for.
bool Sync(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ||
         errno == ENOTSUP;
}

int OpenAgain(const std::string& path, int flags, mode_t mode = 0) {
  for (;;) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
    if (fd >= 0 || errno != EINTR) return fd;
  }
}

// The number in /proc/self/fd/N of this process, or -1.
int OwnDescriptor(const std::string& path) {
  char* const real = realpath(FolderOf(path).c_str(), nullptr);
  const std::string folder = real != nullptr ? real : "";
  std::free(real);
  char* const self = realpath("/proc/self", nullptr);
  const std::string process = self != nullptr ? self : "/";
  std::free(self);
  const bool is_own =
      folder == process + "/fd" ||
      (folder.starts_with(process + "/task/") && folder.ends_with("/fd"));
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!is_own || name.empty() || name.size() > 6 ||
      name.find_first_not_of("0123456789") != name.npos)
    return -1;
  return std::atoi(name.c_str());
}

// Targets that cannot be replaced get the bytes as they come.
Status WriteThrough(const std::string& path, int fd, Bytes bytes) {
  Descriptor file(fd);
  if (fd < 0) return WriteError(path, "cannot open for writing", errno);
  if (!WriteAll(fd, bytes)) return WriteError(path, "cannot write", errno);
  if (!Sync(fd)) return WriteError(path, "cannot sync", errno);
  if (file.Close() != 0) return WriteError(path, "cannot close", errno);
  return Status();
}

// Where no file can be made beside the old one. The space is there before the
// old bytes go, so that a full disk loses nothing; a crash may.
Status WriteInPlace(const std::string& path, Bytes bytes) {
  Descriptor file(OpenAgain(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return WriteError(path, "cannot write", errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return IoError(path + ": is no longer a regular file");
  const auto size = static_cast<off_t>(bytes.size());
  if (size > info.st_size) {
    const HoldSignals hold;
    // Where the file system cannot set space aside, the write says so.
    if (fallocate(file.get(), 0, 0, size) != 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS) {
      const int error = errno;
      (void)!ftruncate(file.get(), info.st_size);
      return WriteError(path, "cannot write", error);
    }
  }
  if (!WriteAll(file.get(), bytes))
    return WriteError(path, "cannot write", errno);
  if (ftruncate(file.get(), size) != 0)
    return WriteError(path, "cannot shorten", errno);
  if (!Sync(file.get())) return WriteError(path, "cannot sync", errno);
  if (file.Close() != 0) return WriteError(path, "cannot close", errno);
  return Status();
}

bool MayNotChangeFolder(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
}

// Writes a new file beside `path` and renames it. `old`: what is there, a
// regular file, or null.
Status Replace(const std::string& path, const struct stat* old, Bytes bytes) {
  if (path.empty() || path.ends_with('/'))
    return IoError("'" + path + "' names no file to write to");
  // Where the folder may be changed, a file that may not would be replaced all
  // the same.
  if (old != nullptr && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS))
    return WriteError(path, "cannot write", errno);
  const std::string folder = FolderOf(path);
  std::string temporary;
  Descriptor file;
  do {
    temporary = folder + "/" + kTemporaryStart + RandomName() + kTemporaryEnd;
    file = Descriptor(OpenAgain(temporary,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                old != nullptr ? 0600 : 0666));
  } while (file.get() < 0 && errno == EEXIST);
  if (file.get() < 0) {
    if (old != nullptr && MayNotChangeFolder(errno))
      return WriteInPlace(path, bytes);
    return WriteError(path, "cannot create", errno);
  }
  const auto fail = [&](const char* doing) {
    const int error = errno;
    unlink(temporary.c_str());
    return WriteError(path, doing, error);
  };
  if (!WriteAll(file.get(), bytes)) return fail("cannot write");
  if (old != nullptr) KeepAttributes(path, *old, file.get());
  if (!Sync(file.get())) return fail("cannot sync");
  if (file.Close() != 0) return fail("cannot close");
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    // A file that is mounted, or another user's in a folder for everybody.
    const bool in_place = old != nullptr && MayNotChangeFolder(errno);
    Status status = fail("cannot rename into place");
    if (in_place) return WriteInPlace(path, bytes);
    return status;
  }
  return SyncFolder(folder);
}

}  // namespace

Status WriteFile(const std::string& path, Bytes bytes) {
  MUNJA_ASSIGN_OR_RETURN(const std::string target, FollowLinks(path));
  struct stat info;
  if (lstat(target.c_str(), &info) != 0) {
    if (errno != ENOENT) return WriteError(path, "cannot write", errno);
    return Replace(target, nullptr, bytes);
  }
  if (S_ISREG(info.st_mode)) return Replace(target, &info, bytes);
  if (S_ISLNK(info.st_mode)) {
    // An open file of a process. Ours is written where it stands, which a
    // second opening would not do.
    const int own = OwnDescriptor(target);
    return WriteThrough(
        own == STDOUT_FILENO ? path + " (standard output)" : path,
        own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 3) : OpenAgain(target, O_WRONLY),
        bytes);
  }
  if (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode))
    return WriteThrough(path, OpenAgain(target, O_WRONLY | O_NOFOLLOW), bytes);
  if (S_ISDIR(info.st_mode))
    return IoError(path + ": is a folder; a file is to be written");
  return IoError(path +
                 (S_ISBLK(info.st_mode) ? ": is a disk" : ": is a socket") +
                 ", which is not written to");
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(
      path, Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace munja
